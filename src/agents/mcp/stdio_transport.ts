/**
 * JSON-RPC over stdin and stdout, one message a line. The SDK's transport uses `process.stdin` and `process.stdout`,
 * which makes shared pipes non-blocking for other processes and loses buffered output at exit. This one uses the
 * descriptors, writes each message whole, and goes on reading while a client does not read.
 */

import { Buffer } from "node:buffer";
import { read, write, writeSync } from "node:fs";
import process from "node:process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { systemCode } from "../../../fd/system.ts";
import { STDOUT } from "../../streams/standard_streams.ts";

const STDIN = 0;
const READ_BYTES = 65_536;
/** `standard_streams.ts` has the reason: pieces of this size are written whole or not at all. */
const PIECE_BYTES = process.versions["deno"] === undefined ? 65_536 : 4096;
/** A longer line is refused and skipped, so that it cannot fill the memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);
const WAIT_MS = 2;
/** Interval at which a client that closed its output is looked for, while it waits for answers. */
const WATCH_MS = 250;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** The only protocol version with batches. */
const BATCHED_VERSION = "2025-03-26";

/** Requests of one line, and their answers, which go out as one line too. */
interface Batch {
  waiting: Set<string | number>;
  answers: unknown[];
}

interface JsonRpcError {
  jsonrpc: "2.0";
  id: string | number | null;
  error: { code: number; message: string };
}

function errorOf(code: number, message: string, id: string | number | null): JsonRpcError {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function messageIn(value: unknown): JSONRPCMessage | undefined {
  const parsed = JSONRPCMessageSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/**
 * Opens a transport over descriptors 0 and 1. `ended` resolves when input has ended and all answers are written, or when
 * the client is gone.
 */
export function stdioTransport(): Transport & { ended: Promise<void> } {
  let closed = false;
  let endReached: () => void;
  const ended = new Promise<void>((resolve) => endReached = resolve);
  let writing: Promise<void> = Promise.resolve();
  /** Requests of the client without an answer, and the callback for when there are none. */
  const clientRequests = new Set<string | number>();
  let allAnswered = () => {};
  /** Requests to the client without an answer. */
  const serverRequests = new Set<string | number>();
  let inputEnded = false;
  /** Depends on the protocol version of the handshake. */
  let takesBatches = false;
  /** Batches by the requests in them that have no answer yet. */
  const batches = new Map<string | number, Batch>();
  const parentPid = process.ppid;

  const transport: Transport & { ended: Promise<void> } = {
    ended,
    start() {
      void readLines(takeLine, () => closed).then(endInput, (thrown: unknown) => {
        transport.onerror?.(asError(thrown));
        return transport.close();
      });
      return Promise.resolve();
    },
    send(message) {
      const answered = "method" in message ? undefined : message.id;
      const batch = answered === undefined ? undefined : batches.get(answered);
      const sent = batch === undefined || answered === undefined
        ? sendText(JSON.stringify(message))
        : answerInBatch(batch, answered, message);
      if ("method" in message) {
        if ("id" in message) serverRequests.add(message.id);
        // Input has ended, so a question to the client would never be answered.
        if ("id" in message && inputEnded) void sent.then(() => transport.close());
      } else if (answered !== undefined) settle(answered);
      return sent;
    },
    async close() {
      if (closed) return;
      closed = true;
      transport.onclose?.();
      allAnswered();
      await writing;
      endReached();
    },
  };

  /**
   * Handles the end of input. The client's requests are still answered, unless it is gone; questions to the client cannot
   * be.
   */
  async function endInput(): Promise<void> {
    inputEnded = true;
    if (clientRequests.size > 0 && serverRequests.size === 0) {
      const watch = setInterval(() => {
        if (process.ppid !== parentPid || isOutputBroken()) void transport.close();
      }, WATCH_MS);
      await new Promise<void>((resolve) => allAnswered = resolve);
      clearInterval(watch);
    }
    await transport.close();
  }

  function settle(id: string | number): void {
    clientRequests.delete(id);
    if (clientRequests.size === 0) allAnswered();
  }

  function sendText(text: string): Promise<void> {
    const bytes = Buffer.from(`${text}\n`);
    writing = writing.then(() => writeWhole(bytes)).catch((thrown: unknown) => {
      // EPIPE means that the client is gone.
      if (systemCode(thrown) !== "EPIPE") transport.onerror?.(asError(thrown));
      void transport.close();
    });
    return writing;
  }

  function takeLine(line: Buffer | undefined): void {
    if (line === undefined) {
      return refuse(INVALID_REQUEST, `a message may have ${MAX_LINE_BYTES} bytes at most`);
    }
    const text = line.toString("utf8");
    if (text.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
      return refuse(PARSE_ERROR, "this line is not valid JSON");
    }
    if (takesBatches && Array.isArray(value) && value.length > 0) takeBatch(value);
    else takeMessages([value], (error) => void sendText(JSON.stringify(error)));
  }

  function takeBatch(values: readonly unknown[]): void {
    const batch: Batch = { waiting: new Set(), answers: [] };
    for (const value of values) {
      const id = idOf(value);
      if (id !== null && typeof value === "object" && value !== null && "method" in value) {
        batch.waiting.add(id);
        batches.set(id, batch);
      }
    }
    takeMessages(values, (error) => {
      batch.answers.push(error);
      if (error.id !== null) leaveBatch(batch, error.id);
    });
    void sendBatch(batch);
  }

  /** Passes on valid messages and calls `reject` for each other value. */
  function takeMessages(values: readonly unknown[], reject: (error: JsonRpcError) => void): void {
    for (const value of values) {
      const message = messageIn(value);
      if (message === undefined) {
        reject(errorOf(INVALID_REQUEST, "not a JSON-RPC 2.0 message", idOf(value)));
      } else {
        follow(message);
        transport.onmessage?.(message);
      }
    }
  }

  function answerInBatch(batch: Batch, id: string | number, answer: unknown): Promise<void> {
    batch.answers.push(answer);
    leaveBatch(batch, id);
    return sendBatch(batch);
  }

  function leaveBatch(batch: Batch, id: string | number): void {
    batch.waiting.delete(id);
    batches.delete(id);
  }

  function sendBatch({ waiting, answers }: Batch): Promise<void> {
    if (waiting.size > 0 || answers.length === 0) return Promise.resolve();
    return sendText(JSON.stringify(answers.splice(0)));
  }

  /** Keeps track of open requests in both directions. */
  function follow(message: JSONRPCMessage): void {
    if (!("method" in message)) {
      if (message.id !== undefined) serverRequests.delete(message.id);
    } else if ("id" in message) clientRequests.add(message.id);
    else if (message.method === "notifications/cancelled") {
      const requestId = message.params?.["requestId"];
      if (typeof requestId === "string" || typeof requestId === "number") cancelRequest(requestId);
    }
    if ("method" in message && message.method === "initialize") {
      takesBatches = message.params?.["protocolVersion"] === BATCHED_VERSION;
    }
  }

  /** A cancelled request gets no answer, and its batch does not wait for one. */
  function cancelRequest(id: string | number): void {
    const batch = batches.get(id);
    if (batch !== undefined) {
      leaveBatch(batch, id);
      void sendBatch(batch);
    }
    settle(id);
  }

  function refuse(code: number, message: string): void {
    void sendText(JSON.stringify(errorOf(code, message, null)));
  }

  return transport;
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Passes each line of stdin without its line feed to `take`; undefined for one that is too long. */
async function readLines(take: (line: Buffer | undefined) => void, isClosed: () => boolean): Promise<void> {
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
      take(bufferedBytes <= MAX_LINE_BYTES ? Buffer.concat(pieces) : undefined);
      pieces = [];
      bufferedBytes = 0;
      from = end + 1;
    }
  }
  // The last line may have no line feed.
  if (bufferedBytes > 0 && bufferedBytes <= MAX_LINE_BYTES && !isClosed()) take(Buffer.concat(pieces));
}

/** Reads what has arrived on stdin; undefined at its end. */
async function readChunk(): Promise<Buffer | undefined> {
  for (;;) {
    const into = Buffer.allocUnsafe(READ_BYTES);
    try {
      const byteCount = await readOnce(into);
      return byteCount === 0 ? undefined : into.subarray(0, byteCount);
    } catch (thrown) {
      switch (systemCode(thrown)) {
        case "EAGAIN":
        case "EWOULDBLOCK":
          await pause();
          break;
        case "EINTR":
          break;
        case "EOF":
        case "EBADF":
          return undefined;
        default:
          throw thrown;
      }
    }
  }
}

function readOnce(into: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    read(
      STDIN,
      into,
      0,
      into.length,
      null,
      (error, byteCount) => error === null ? resolve(byteCount) : reject(error),
    );
  });
}

async function writeWhole(bytes: Buffer): Promise<void> {
  let byteOffset = 0;
  while (byteOffset < bytes.length) {
    try {
      byteOffset += await writeOnce(bytes, byteOffset, Math.min(PIECE_BYTES, bytes.length - byteOffset));
    } catch (thrown) {
      const code = systemCode(thrown);
      if (code === "EAGAIN" || code === "EWOULDBLOCK") await pause();
      else if (code !== "EINTR") throw thrown;
    }
  }
}

function writeOnce(bytes: Buffer, byteOffset: number, byteLength: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(
      STDOUT,
      bytes,
      byteOffset,
      byteLength,
      null,
      (error, byteCount) => error === null ? resolve(byteCount) : reject(error),
    );
  });
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

/** Polls, because a process that shares a non-blocking pipe is not notified when it is ready. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS));
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
