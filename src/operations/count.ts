/**
 * `count`: counts lines as `rewrite` expects them, with bytes and sha-256 (contract, Writing files).
 */

import { bytesSource } from "../../fd/mod.ts";
import { checkRequest, defineOperation } from "../arguments/define_operation.ts";
import { namesFd } from "../arguments/file_for_fd.ts";
import { COUNT_REQUEST, type CountRequest } from "../requests/rewrite_request.ts";
import { readStdinBytes } from "../streams/read_stdin_bytes.ts";
import type { LineCount } from "../terms/answers.ts";
import { LineEndTally } from "../writing/checks/line_ends.ts";
import { type GivenContent, prepareHandle, requestedContent } from "../writing/commit/given_content.ts";
import { namedContent } from "../writing/commit/inspect_target.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { type WriteContext, writeContextOf } from "../writing/commit/write_context.ts";

async function answer(request: CountRequest, host: Host): Promise<Outcome> {
  const context = writeContextOf(host);
  await prepareHandle(context.store, request.fd, request);
  const content = contentOf(request, context);
  return { exitCode: 0, answer: await countContent(content, host.checkpoint) };
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
    if (given === "-") {
      return { exitCode: 0, answer: await countContent(sized(bytesSource(readStdinBytes()))) };
    }
    const isFd = namesFd(writeContextOf(host).store, given, host.cwd);
    const request = isFd ? { ...stated, fd: given } : { ...stated, path: given };
    checkRequest(call.command, COUNT_REQUEST, request);
    return await answer(request, host);
  },
});

type Countable = Pick<GivenContent, "chunks" | "remark"> & { byteCount: number };

/** The bytes between two checkpoints. */
const CHECKPOINT_BYTES = 8_388_608;

async function countContent(
  content: Countable,
  checkpoint?: Host["checkpoint"],
): Promise<LineCount> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const lineEnds = new LineEndTally();
  let byteCount = 0;
  let checkedBytes = 0;
  for (const chunk of content.chunks()) {
    byteCount += chunk.length;
    lineEnds.add(chunk);
    hash.update(chunk);
    if (checkpoint === undefined || byteCount - checkedBytes < CHECKPOINT_BYTES) continue;
    checkedBytes = byteCount;
    await checkpoint(byteCount, Math.max(byteCount, content.byteCount));
  }
  return {
    type: "line_count",
    lines: lineEnds.lineCount,
    bytes: byteCount,
    sha256: hash.digest("hex"),
    message: content.remark,
  };
}

function contentOf(
  { path, fd, content, pages, lines, chars }: CountRequest,
  context: WriteContext,
): Countable {
  if (path !== undefined) return namedContent(path, context);
  return sized(requestedContent(context.store, fd, { pages, lines, chars }, content, "content"));
}

function sized(content: GivenContent): Countable {
  return { byteCount: content.byteLength, remark: content.remark, chunks: () => content.chunks() };
}
