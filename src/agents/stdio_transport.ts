/**
 * JSON-RPC over standard input and output, one message a line, for an MCP server.
 *
 * The SDK's own transport reads `process.stdin` and writes `process.stdout`: that makes pipes non-blocking for everybody
 * who shares them, and loses at exit what is still buffered. Here both are read and written by descriptor, a message is
 * written whole before the next one, and a client that sends without reading does not stop the reading of its messages.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { read, write } from "node:fs";
import process from "node:process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { systemCode } from "../../fd/mod.ts";
import { STDOUT } from "../standard_streams.ts";

const STDIN = 0;
const READ_BYTES = 65_536;
/** See `standard_streams.ts`: pieces of this size are written whole or not at all where the runtime hides partial counts. */
const PIECE_BYTES = process.versions["deno"] === undefined ? 65_536 : 4096;
/** A longer line is refused, and skipped to its end: it must not fill the memory. */
const MOST_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const WAIT_MS = 2;

/** JSON-RPC's error codes for what is no message. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** A transport over descriptors 0 and 1; `ended` resolves when the client has gone and all answers are out. */
export function stdioTransport(): Transport & { ended: Promise<void> } {
  let closed = false;
  let endReached: () => void;
  const ended = new Promise<void>((resolve) => endReached = resolve);
  let writing: Promise<void> = Promise.resolve();
  /** Requests of the client that have no answer yet, and whom to tell when there are none. */
  const open = new Set<string | number>();
  let allAnswered = () => {};
  /** Requests to the client that have no answer yet. */
  const asked = new Set<string | number>();
  let inputEnded = false;

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
      const sent = sendText(JSON.stringify(message));
      if ("method" in message) {
        if ("id" in message) asked.add(message.id);
        // Who has gone answers no question.
        if ("id" in message && inputEnded) void sent.then(() => transport.close());
      } else if (message.id !== undefined) {
        settle(message.id);
      }
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

  /** No more will come. What was asked is answered still; a question to the client never will be. */
  async function endInput(): Promise<void> {
    inputEnded = true;
    if (open.size > 0 && asked.size === 0) await new Promise<void>((resolve) => allAnswered = resolve);
    await transport.close();
  }

  function settle(id: string | number): void {
    open.delete(id);
    if (open.size === 0) allAnswered();
  }

  function sendText(text: string): Promise<void> {
    const bytes = Buffer.from(`${text}\n`);
    writing = writing.then(() => writeWhole(bytes)).catch((thrown: unknown) => {
      // The client has gone: there is nobody to tell. Anything else is told to the server.
      if (systemCode(thrown) !== "EPIPE") transport.onerror?.(asError(thrown));
      closed = true;
    });
    return writing;
  }

  function takeLine(line: Buffer | undefined): void {
    if (line === undefined) {
      return refuse(INVALID_REQUEST, `a message may have ${MOST_LINE_BYTES} bytes at most`);
    }
    const text = line.toString("utf8");
    if (text.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      const value: unknown = JSON.parse(text);
      const parsed = JSONRPCMessageSchema.safeParse(value);
      if (!parsed.success) return refuse(INVALID_REQUEST, "this is no JSON-RPC 2.0 message", idOf(value));
      message = parsed.data;
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
      return refuse(PARSE_ERROR, "this line is no JSON");
    }
    follow(message);
    transport.onmessage?.(message);
  }

  /** Keeps count of what is open between the two sides. */
  function follow(message: JSONRPCMessage): void {
    if (!("method" in message)) {
      if (message.id !== undefined) asked.delete(message.id);
    } else if ("id" in message) open.add(message.id);
    else if (message.method === "notifications/cancelled") {
      const requestId = message.params?.["requestId"];
      if (typeof requestId === "string" || typeof requestId === "number") settle(requestId);
    }
  }

  function refuse(code: number, message: string, id: string | number | null = null): void {
    void sendText(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  return transport;
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Hands each line of stdin, without its line feed, to `take`; undefined for one that is too long. */
async function readLines(take: (line: Buffer | undefined) => void, isClosed: () => boolean): Promise<void> {
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  while (!isClosed()) {
    const chunk = await readChunk();
    if (chunk === undefined) break;
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      heldBytes += piece.length;
      if (heldBytes <= MOST_LINE_BYTES) pieces.push(piece);
      else pieces = [];
      if (end < 0) break;
      take(heldBytes <= MOST_LINE_BYTES ? Buffer.concat(pieces) : undefined);
      pieces = [];
      heldBytes = 0;
      from = end + 1;
    }
  }
  // A last line without its line feed is a message still.
  if (heldBytes > 0 && heldBytes <= MOST_LINE_BYTES && !isClosed()) take(Buffer.concat(pieces));
}

/** What has arrived on stdin; undefined at its end. */
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

/** Whoever shares a non-blocking pipe is not told when it is ready again. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS));
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
