/**
 * `count`: counts lines as `rewrite` expects them, with bytes and sha-256 (contract, Writing files).
 */

import { bytesSource } from "../../fd/mod.ts";
import { checkRequest, defineOperation } from "../calls/arguments/define_operation.ts";
import { namesFd } from "../calls/arguments/file_for_fd.ts";
import { CHECKPOINT_BYTES, storeFile, takingFiles, withSentences } from "../reading/file_as_fd.ts";
import { COUNT_REQUEST, type CountRequest } from "../calls/requests/rewrite_request.ts";
import { readStdinBytes } from "../calls/streams/read_stdin_bytes.ts";
import type { AnswerOf } from "../calls/terms/answers.ts";
import { lineCountOf, tallyLineEnds } from "../writing/checks/line_ends.ts";
import { type GivenContent, requestedContent } from "../writing/commit/given_content.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

const answer = takingFiles("count", COUNT_REQUEST.fields, async (request: CountRequest, host) => {
  const { path } = request;
  if (path === undefined) return await countGiven(request, host);
  const { fd, sentence } = await storeFile(path, host);
  return withSentences(await countGiven({ fd }, host), [sentence], host);
});

async function countGiven({ fd, content, ...range }: CountRequest, host: Host): Promise<Outcome> {
  const { store } = writeContextOf(host);
  const given = await requestedContent(store, { fd, range, text: content, field: "content" });
  return { exitCode: 0, answer: await countContent(given, host.checkpoint) };
}

export const command = defineOperation({
  ...COUNT_REQUEST,
  usage: "[PATH|FD|-]",
  line: { ...COUNT_REQUEST.fields, given: { kind: "fd", isArgument: true, argumentName: "path" } },
  values: { path: "PATH|FD|-" },
  example: "fdtool count src/a.js",
  noticesInterrupted: true,
  exitCodes: { 0: "the count was printed", 1: "the input cannot be read" },
  answer,
  async run({ given = "-", ...stated }, host, call) {
    if (given === "-") {
      return { exitCode: 0, answer: await countContent(bytesSource(readStdinBytes())) };
    }
    const isFd = namesFd(writeContextOf(host).store, given, host.cwd);
    const request = isFd ? { ...stated, fd: given } : { ...stated, path: given };
    checkRequest(call.command, COUNT_REQUEST, request);
    return await answer(request, host);
  },
});

async function countContent(
  content: GivenContent,
  checkpoint?: Host["checkpoint"],
): Promise<AnswerOf<"line_count">> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const lineEnds = tallyLineEnds([]);
  let byteCount = 0;
  let checkedBytes = 0;
  for (const chunk of content.chunks()) {
    byteCount += chunk.length;
    tallyLineEnds([chunk], lineEnds);
    hash.update(chunk);
    if (checkpoint === undefined || byteCount - checkedBytes < CHECKPOINT_BYTES) continue;
    checkedBytes = byteCount;
    await checkpoint(byteCount, Math.max(byteCount, content.byteLength));
  }
  const lines = lineCountOf(lineEnds);
  const sha256 = hash.digest("hex");
  return { type: "line_count", lines, bytes: byteCount, sha256, message: content.remark };
}
