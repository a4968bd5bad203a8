/**
 * `ui`: a page for people who supervise agents, served on this machine only (docs/ui.md).
 */

import { isAgents } from "../answers/screen/terminal_format.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { flagOption } from "../calls/requests/request_fields.ts";
import { failConflict } from "../calls/requests/usage_failure.ts";

export const command = defineOperation({
  fields: {
    port: {
      kind: "integer",
      least: 0,
      most: 65_535,
      option: { value: "N", help: "listen on this port (default: a free one)" },
    },
    allow_undo: flagOption("let the page undo writes (default: read-only)"),
    allow_run: flagOption("let the page stop background commands, and run commands again"),
    open: flagOption("open the page in the browser"),
  },
  usage: "[--open] [--allow-undo] [--allow-run] [--port N]",
  example: "fdtool ui --open",
  noticesInterrupted: false,
  exitCodes: { 0: "the pipe at stdin was closed", 1: "refused or failed" },
  async answer({ port = 0, allow_undo = false, allow_run = false, open = false }, host) {
    // Who has the address can run stored commands, which an agent's harness would not judge.
    if (allow_run && isAgents(host.env)) {
      failConflict("ui", "--allow-run", "a call of an agent", "a person starts it");
    }
    const { serveUi } = await import("../page/serve_ui.ts");
    const stream = serveUi(host, { port, allowUndo: allow_undo, allowRun: allow_run, open });
    return { exitCode: 0, stream };
  },
});
