/**
 * `ui`: a page for people who supervise agents, served on this machine only (docs/ui.md).
 */

import { type Command, type CommandSpec, optionsOf } from "../terms/command.ts";

const OPTIONS = {
  port: {
    kind: "integer",
    value: "N",
    limits: { least: 0, most: 65_535 },
    help: "listen on this port (default: a free one)",
  },
  "allow-undo": { kind: "flag", help: "let the page undo writes (default: read-only)" },
  open: { kind: "flag", help: "open the page in the browser" },
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    usage: "[--open] [--allow-undo] [--port N]",
    positionals: { least: 0, most: 0 },
    options: OPTIONS,
    example: "fdtool ui --open",
    noticesInterrupted: false,
    exitCodes: [[0, "the pipe at stdin was closed"], [1, "refused or failed"], [2, "usage error"]],
  },
  async run(call, host) {
    const options = optionsOf(OPTIONS, call);
    const { serveUi } = await import("../ui/serve_ui.ts");
    const stream = serveUi(host, {
      port: options.port ?? 0,
      allowUndo: options["allow-undo"] === true,
      open: options.open === true,
    });
    return { exitCode: 0, stream };
  },
};
