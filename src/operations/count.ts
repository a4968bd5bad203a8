/**
 * `count`: counts lines as `rewrite` expects them, with bytes and sha-256 (contract, Writing files).
 */

import { disk } from "../../fd/mod.ts";
import { optionsFrom, requestFrom } from "../arguments/field_options.ts";
import { COUNT_FIELDS } from "../requests/rewrite_request.ts";
import type { Command } from "../terms/command.ts";
import { readStdinBytes } from "../streams/read_stdin_bytes.ts";
import { countContent, countLines } from "../writing/count_lines.ts";
import { bytesSource } from "../writing/commit/given_content.ts";
import { resolveRealPath } from "../writing/commit/resolve_path.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command: Command = {
  spec: {
    usage: "[PATH|FD|-]",
    positionals: { least: 0, most: 1, names: ["path"] },
    values: { path: "PATH|FD|-" },
    options: optionsFrom(COUNT_FIELDS),
    example: "fdtool count src/a.js",
    noticesInterrupted: true,
    exitCodes: [[0, "the count was printed"], [1, "the input cannot be read"], [2, "usage error"]],
  },
  async run(call, host) {
    const [given = "-"] = call.positionals;
    const context = writeContextOf(host);
    const stated = requestFrom(COUNT_FIELDS, call);
    if (given === "-") return { exitCode: 0, answer: await countContent(stdinContent()) };
    const request = isHandle(given, host.cwd) ? { ...stated, fd: given } : { ...stated, path: given };
    return { exitCode: 0, answer: await countLines(request, context) };
  },
};

function stdinContent(): Parameters<typeof countContent>[0] {
  const bytes = readStdinBytes();
  return { byteCount: bytes.length, chunks: () => bytesSource(bytes).chunks() };
}

/** `fd:12` and `ref:x` are fds; a bare number is one unless a file has that name. */
function isHandle(given: string, cwd: string): boolean {
  if (/^(?:fd:|ref:)/.test(given)) return true;
  if (!/^[1-9][0-9]*$/.test(given)) return false;
  return disk.stat(resolveRealPath(given, cwd), { throwIfNoEntry: false }) === undefined;
}
