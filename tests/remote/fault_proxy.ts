/**
 * A proxy between a client and an object store: it delays, loses, cuts and makes up answers, shifts the server's clock, and
 * counts requests and bytes. Requests go through byte for byte, so signatures stay valid.
 */

import { type HttpMessage, joined, MessageReader, writeTo } from "./http_message.ts";

/** A request that came in. */
export interface SeenRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: ReadonlyMap<string, string>;
  byteCount: number;
}

/** One thing that goes wrong. */
export type Fault =
  /** The server never sees the request, and the connection ends without an answer. */
  | { kind: "lost_before" }
  /** The server carries the request out, and the connection ends without an answer. */
  | { kind: "lost_after" }
  /** The answer's body ends after `byteCount` bytes. */
  | { kind: "cut"; byteCount: number }
  /** The server never sees the request; the client gets this error. */
  | { kind: "refused"; status: number; code: string }
  /** The server never sees the request, and the client hears nothing until it gives up. */
  | { kind: "stalled" };

/** A running proxy. Its settings may be changed at any time. */
export interface FaultProxy extends AsyncDisposable {
  endpoint: string;
  /** Decides about each request. A promise holds it back. */
  fault: (request: SeenRequest) => Fault | undefined | Promise<Fault | undefined>;
  /** Added to each request. */
  delayMs: number;
  /** Bytes of bodies, in both directions, take this much time. */
  bytesPerMs: number;
  /** How far the server's clock is ahead, as its answers say. */
  clockAheadMs: number;
  requests: SeenRequest[];
  /** Bytes of bodies to the server and from it. */
  sentBytes: number;
  receivedBytes: number;
  /** Forgets what was counted. */
  reset(): void;
}

/** Starts a proxy before the server on `port` of this host. */
export function startFaultProxy(server: { host: string; port: number }): FaultProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    fault: () => undefined,
    delayMs: 0,
    bytesPerMs: Infinity,
    clockAheadMs: 0,
    requests: [],
    sentBytes: 0,
    receivedBytes: 0,
    reset() {
      this.requests = [];
      this.sentBytes = this.receivedBytes = 0;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) close(connection);
      await accepting;
    },
  };
  const serve = async (client: Deno.Conn) => {
    open.add(client);
    const reader = new MessageReader(client);
    const upstream = new Upstream(server, open);
    for (let request = await reader.read(); request !== undefined; request = await reader.read()) {
      if (!await answer(proxy, client, request, upstream)) break;
    }
    upstream.close();
    close(client);
    open.delete(client);
  };
  const accepting = (async () => {
    const served: Promise<void>[] = [];
    for (let isOpen = true; isOpen;) {
      try {
        served.push(serve(await listener.accept()));
      } catch (thrown) {
        // A client that was killed may be gone by now.
        if (thrown instanceof Deno.errors.NotConnected) continue;
        isOpen = false;
        if (!(thrown instanceof Deno.errors.BadResource || thrown instanceof Deno.errors.Interrupted)) {
          throw thrown;
        }
      }
    }
    await Promise.all(served);
  })();
  return proxy;
}

/** The connection to the server that belongs to one of a client. */
class Upstream {
  #connection: Deno.Conn | undefined;
  #reader: MessageReader | undefined;
  readonly #server: { host: string; port: number };
  readonly #open: Set<Deno.Conn>;

  constructor(server: { host: string; port: number }, open: Set<Deno.Conn>) {
    this.#server = server;
    this.#open = open;
  }

  async exchange(request: HttpMessage, method: string): Promise<HttpMessage | undefined> {
    if (this.#connection === undefined) {
      this.#connection = await Deno.connect({ hostname: this.#server.host, port: this.#server.port });
      this.#open.add(this.#connection);
      this.#reader = new MessageReader(this.#connection);
    }
    await writeTo(this.#connection, request.head, request.body);
    const answer = await this.#reader!.read(method !== "HEAD");
    if (answer === undefined || answer.headers.get("connection") === "close") this.close();
    return answer;
  }

  close(): void {
    if (this.#connection === undefined) return;
    this.#open.delete(this.#connection);
    close(this.#connection);
    this.#connection = undefined;
  }
}

/** Answers one request. Returns whether the connection stays open. */
async function answer(
  proxy: FaultProxy,
  client: Deno.Conn,
  request: HttpMessage,
  upstream: Upstream,
): Promise<boolean> {
  const [method = "", path = ""] = request.firstLine.split(" ");
  const seen = { method, path, headers: request.headers, byteCount: request.body.length };
  proxy.requests.push(seen);
  proxy.sentBytes += request.body.length;
  const fault = await proxy.fault(seen);
  await pauseFor(proxy.delayMs + request.body.length / proxy.bytesPerMs);
  switch (fault?.kind) {
    case "lost_before":
      return false;
    case "stalled":
      await client.read(new Uint8Array(1)).catch(() => null);
      return false;
    case "refused":
      return await writeTo(client, madeUp(fault.status, fault.code, method));
  }
  const answer = await upstream.exchange(request, method);
  if (answer === undefined || fault?.kind === "lost_after") return false;
  proxy.receivedBytes += answer.body.length;
  await pauseFor(answer.body.length / proxy.bytesPerMs);
  const head = proxy.clockAheadMs === 0 ? answer.head : shifted(answer.head, proxy.clockAheadMs);
  if (fault?.kind === "cut") {
    await writeTo(client, head, answer.body.subarray(0, fault.byteCount));
    return false;
  }
  return await writeTo(client, head, answer.body) && answer.headers.get("connection") !== "close";
}

function madeUp(status: number, code: string, method: string): Uint8Array {
  const body = new TextEncoder().encode(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  const head = `HTTP/1.1 ${status} ${code}\r\nDate: ${new Date().toUTCString()}\r\n` +
    `Content-Type: application/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
  return joined([new TextEncoder().encode(head), method === "HEAD" ? new Uint8Array() : body]);
}

/** Moves the dates in an answer's headers. */
function shifted(head: Uint8Array, byMs: number): Uint8Array {
  const text = new TextDecoder("latin1").decode(head)
    .replace(
      /^(date|last-modified): (.*)$/gim,
      (_, name, date) => `${name}: ${new Date(Date.parse(date) + byMs).toUTCString()}`,
    );
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

async function pauseFor(pauseMs: number): Promise<void> {
  if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BadResource)) throw thrown;
  }
}
