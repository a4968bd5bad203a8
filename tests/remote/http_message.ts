/** HTTP/1.1 messages as bytes, for a proxy that changes nothing it is not asked to. */

/** One request or answer, its bytes unchanged. */
export interface HttpMessage {
  /** `GET /path HTTP/1.1` or `HTTP/1.1 200 OK`. */
  firstLine: string;
  /** By name in lower case. */
  headers: ReadonlyMap<string, string>;
  /** First line and headers, with the empty line. */
  head: Uint8Array;
  body: Uint8Array;
}

/** Reads messages from a connection. */
export class MessageReader {
  #buffered: Uint8Array = new Uint8Array();
  readonly #connection: Deno.Conn;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Returns the next message, or undefined if the connection ends first. `hasBody`: that of a HEAD's answer is not sent. */
  async read(hasBody = true): Promise<HttpMessage | undefined> {
    const headLength = await this.#lengthTo("\r\n\r\n");
    if (headLength === undefined) return undefined;
    const head = this.#take(headLength);
    const [firstLine = "", ...lines] = new TextDecoder().decode(head).trimEnd().split("\r\n");
    const headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const body = hasBody ? await this.#body(headers) : new Uint8Array();
    return body && { firstLine, headers, head, body };
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<Uint8Array | undefined> {
    if (headers.get("transfer-encoding") !== "chunked") {
      return await this.#exactly(Number(headers.get("content-length") ?? 0));
    }
    const parts: Uint8Array[] = [];
    for (;;) {
      const length = await this.#lengthTo("\r\n");
      if (length === undefined) return undefined;
      const size = this.#take(length);
      const byteCount = Number.parseInt(new TextDecoder().decode(size), 16);
      const chunk = await this.#exactly(byteCount + 2);
      if (chunk === undefined) return undefined;
      parts.push(size, chunk);
      if (byteCount === 0) return joined(parts);
    }
  }

  async #exactly(byteCount: number): Promise<Uint8Array | undefined> {
    const parts = [this.#buffered];
    let held = this.#buffered.length;
    while (held < byteCount) {
      const chunk = await this.#more();
      if (chunk === undefined) return undefined;
      parts.push(chunk);
      held += chunk.length;
    }
    this.#buffered = joined(parts);
    return this.#take(byteCount);
  }

  async #lengthTo(mark: string): Promise<number | undefined> {
    for (;;) {
      const at = new TextDecoder("latin1").decode(this.#buffered).indexOf(mark);
      if (at >= 0) return at + mark.length;
      const chunk = await this.#more();
      if (chunk === undefined) return undefined;
      this.#buffered = joined([this.#buffered, chunk]);
    }
  }

  #take(byteCount: number): Uint8Array {
    const taken = this.#buffered.slice(0, byteCount);
    this.#buffered = this.#buffered.subarray(byteCount);
    return taken;
  }

  async #more(): Promise<Uint8Array | undefined> {
    const chunk = new Uint8Array(64 * 1024);
    try {
      const taken = await this.#connection.read(chunk);
      return taken === null ? undefined : chunk.subarray(0, taken);
    } catch {
      return undefined;
    }
  }
}

/** Writes all of `bytes`. Returns whether the reader still took them. */
export async function writeTo(connection: Deno.Conn, ...parts: readonly Uint8Array[]): Promise<boolean> {
  const bytes = joined(parts);
  try {
    for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
    return true;
  } catch {
    return false;
  }
}

/** The parts in one array. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
