/**
 * JSON-RPC over stdin and stdout, one message a line. `process.stdin` and `process.stdout` would make shared pipes
 * non-blocking for other processes and lose buffered output at exit. This uses the descriptors, writes each message
 * whole, and goes on reading while a client does not read, until much waits for it.
 */

import { Buffer } from "node:buffer";
import { read, write, writeSync } from "node:fs";
import process from "node:process";
import { promisify } from "node:util";
import { systemCode, undefinedIf } from "../../../fd/system.ts";
import { STDIN, STDOUT } from "../../calls/streams/standard_streams.ts";
import type { McpSession } from "./mcp_session.ts";

const READ_BYTES = 65_536;
/** `standard_streams.ts` has the reason: pieces of this size are written whole or not at all. */
const PIECE_BYTES = process.versions["deno"] === undefined ? 65_536 : 4096;
/** A longer line is refused and skipped, so that it cannot fill the memory. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** If so much waits to be written, or so many calls run, no further line is taken. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const MAX_RUNNING = 256;
/** Read ahead of the lines that are taken, so that the end of input is seen. */
const MAX_AHEAD_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);
const WAIT_MS = 2;
/** Interval at which a client that closed its output is looked for, while it waits for answers. */
const WATCH_MS = 100;
/**
 * A client that closed its output and reads nothing while it is looked for so often is gone. Looks are counted, not time: on a
 * busy machine neither side may get to work for a while.
 */
const STALLED_LOOKS = 8;

/**
 * Serves the client on descriptors 0 and 1. Resolves when input has ended and all answers are written, or when the client
 * is gone: it takes no answer any more.
 */
export async function serveStdio(session: McpSession): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  let waitingBytes = 0;
  let wroteAtMs = 0;
  const gone = Promise.withResolvers<void>();
  let isGone = false;
  const leave = () => {
    isGone = true;
    session.close();
    gone.resolve();
    lines.goOn();
  };
  session.open((message) => {
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    waitingBytes += bytes.length;
    // A message that cannot be written means that the client is gone: EPIPE, as a rule.
    return writing = writing.then(() => isGone ? undefined : writeWhole(bytes)).catch(leave).finally(() => {
      waitingBytes -= bytes.length;
      wroteAtMs = performance.now();
      lines.goOn();
    });
  });
  const lines = lineQueue(
    () => !isGone && (waitingBytes > MAX_WAITING_BYTES || session.runningCount >= MAX_RUNNING),
    (line) => {
      if (line === undefined) session.refuse(`a message may have ${MAX_LINE_BYTES} bytes at most`);
      else if (!isGone && line.toString("utf8").trim() !== "") session.receiveText(line.toString("utf8"));
    },
  );
  const parentPid = process.ppid;
  let watch: ReturnType<typeof setInterval> | undefined;
  const served = readLines(lines, () => isGone).then(async () => {
    let looks = 0;
    let seenMs = wroteAtMs;
    watch = setInterval(() => {
      looks = waitingBytes > 0 && wroteAtMs === seenMs ? looks + 1 : 0;
      seenMs = wroteAtMs;
      const isStalled = looks >= STALLED_LOOKS;
      if (isStalled || process.ppid !== parentPid || isOutputBroken()) leave();
      // A write that does not end would keep the process.
      if (isStalled) process.exit(0);
    }, WATCH_MS);
    await lines.ended();
    return await session.endInput();
  }).catch(leave);
  await Promise.race([served, gone.promise]);
  await writing;
  clearInterval(watch);
}

/** Lines that were read but not taken yet, because `isFull`: then some more are read, so that the end of input is seen. */
export function lineQueue(isFull: () => boolean, take: (line: Buffer | undefined) => void) {
  let lines: (Buffer | undefined)[] = [];
  let next = 0;
  let aheadBytes = 0;
  let resume = () => {};
  const changed = () => new Promise<void>((resolve) => resume = resolve);
  /** Takes lines as far as it may. */
  const goOn = () => {
    for (; next < lines.length && !isFull(); next++) {
      aheadBytes -= lines[next]?.length ?? 0;
      take(lines[next]);
      lines[next] = undefined;
    }
    if (next === lines.length) [lines, next] = [[], 0];
    resume();
  };
  return {
    goOn,
    add(line: Buffer | undefined) {
      lines.push(line);
      aheadBytes += line?.length ?? 0;
      goOn();
    },
    /** Resolves when a further line may be read. */
    async hasRoom(): Promise<void> {
      while (aheadBytes > MAX_AHEAD_BYTES) await changed();
    },
    /** Resolves when all lines are taken. */
    async ended(): Promise<void> {
      while (lines.length > 0) await changed();
    },
  };
}

/** Adds each line of stdin without its line feed to `queue`; undefined for one that is too long. */
async function readLines(queue: ReturnType<typeof lineQueue>, isClosed: () => boolean): Promise<void> {
  let pieces: Buffer[] = [];
  let bufferedBytes = 0;
  while (!isClosed()) {
    const chunk = await readChunk();
    if (chunk === undefined) break;
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      bufferedBytes += piece.length;
      if (bufferedBytes <= MAX_LINE_BYTES) pieces.push(piece);
      else pieces = [];
      if (end < 0) break;
      queue.add(bufferedBytes <= MAX_LINE_BYTES ? Buffer.concat(pieces) : undefined);
      pieces = [];
      bufferedBytes = 0;
      from = end + 1;
    }
    await queue.hasRoom();
  }
  // The last line may have no line feed.
  if (bufferedBytes > 0 && bufferedBytes <= MAX_LINE_BYTES && !isClosed()) queue.add(Buffer.concat(pieces));
}

/** Reads what has arrived on stdin; undefined at its end. */
async function readChunk(): Promise<Buffer | undefined> {
  const into = Buffer.allocUnsafe(READ_BYTES);
  const reading = whenReady(() => promisify(read)(STDIN, into, 0, into.length, null));
  const { bytesRead } = await reading.catch(undefinedIf("EOF", "EBADF")) ?? { bytesRead: 0 };
  return bytesRead === 0 ? undefined : into.subarray(0, bytesRead);
}

async function writeWhole(bytes: Buffer): Promise<void> {
  for (let byteOffset = 0; byteOffset < bytes.length;) {
    const pieceBytes = Math.min(PIECE_BYTES, bytes.length - byteOffset);
    const writing = whenReady(() => promisify(write)(STDOUT, bytes, byteOffset, pieceBytes, null));
    byteOffset += (await writing).bytesWritten;
  }
}

/** Repeats a call until the pipe is ready. Polls, because a process that shares a non-blocking pipe is not notified. */
async function whenReady<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (thrown) {
      const code = systemCode(thrown);
      if (code === "EAGAIN" || code === "EWOULDBLOCK") {
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      } else if (code !== "EINTR") throw thrown;
    }
  }
}

/** Whether the reader of stdout has closed it, as far as an empty write tells: sockets report it, pipes do not. */
function isOutputBroken(): boolean {
  try {
    writeSync(STDOUT, NOTHING);
    return false;
  } catch (thrown) {
    return systemCode(thrown) === "EPIPE";
  }
}
