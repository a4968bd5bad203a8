/**
 * `count`: counts lines as `rewrite` expects them, with bytes and sha-256 (contract, Writing files).
 */

import { checkRequest, defineOperation } from "../arguments/define_operation.ts";
import { namesFd } from "../arguments/file_for_fd.ts";
import { COUNT_REQUEST, type CountRequest } from "../requests/rewrite_request.ts";
import { readStdinBytes } from "../streams/read_stdin_bytes.ts";
import { bytesSource } from "../writing/commit/given_content.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

async function answer(request: CountRequest, host: Host): Promise<Outcome> {
  const { countLines } = await import("../writing/count_lines.ts");
  return { exitCode: 0, answer: await countLines(request, writeContextOf(host), host.checkpoint) };
}

export const command = defineOperation({
  ...COUNT_REQUEST,
  usage: "[PATH|FD|-]",
  line: { ...COUNT_REQUEST.fields, given: { kind: "text", isArgument: true, argumentName: "path" } },
  values: { path: "PATH|FD|-" },
  example: "fdtool count src/a.js",
  noticesInterrupted: true,
  exitCodes: { 0: "the count was printed", 1: "the input cannot be read" },
  answer,
  async run({ given = "-", ...stated }, host, call) {
    const { countContent } = await import("../writing/count_lines.ts");
    if (given === "-") return { exitCode: 0, answer: await countContent(stdinContent()) };
    const isFd = namesFd(writeContextOf(host).store, given, host.cwd);
    const request = isFd ? { ...stated, fd: given } : { ...stated, path: given };
    checkRequest(call.command, COUNT_REQUEST, request);
    return await answer(request, host);
  },
});

function stdinContent() {
  const bytes = readStdinBytes();
  return { byteCount: bytes.length, chunks: () => bytesSource(bytes).chunks() };
}
