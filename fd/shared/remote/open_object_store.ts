/**
 * An {@link ObjectStore} that speaks the S3 API. Only what S3-like stores have in common is used: no checksum headers, no
 * multipart uploads, no versions, no tags.
 */

import { sameBytes } from "../../bytes/utf8_bytes.ts";
import { fail } from "../../disk/errors.ts";
import type { StorePromise } from "../../failures.ts";
import type {
  Bytes,
  Listing,
  ObjectFacts,
  ObjectPart,
  ObjectRange,
  ObjectStore,
  OwnWrite,
  Written,
} from "./object_store.ts";
import { readListing, withoutQuotes } from "./read_listing.ts";
import { requestSender, type StoreAnswer, type StoreOptions } from "./send_request.ts";
import type { StoreAddress } from "./store_url.ts";

const MAX_LISTED = 1000;

/** Objects that are read without a range have at most this much. */
const MAX_WHOLE_BYTES = 16 * 2 ** 20;
/** Of an object that is read back to find out who wrote it: enough for a header, and one packet or two. */
const START_BYTES = 4096;

/** Opens the store at `address`. Sends nothing yet. */
export function openObjectStore(address: StoreAddress, options: StoreOptions): ObjectStore {
  return new S3ObjectStore(address, options);
}

class S3ObjectStore implements ObjectStore {
  /** Known once the object that describes the store was read. */
  storeId?: string;
  keyId?: string;
  private readonly send: ReturnType<typeof requestSender>;
  /** Whether `If-Match` takes etags without quotes, as Ceph's gateway and stores built on it do. Learned by use. */
  private hasBareEtags = false;

  constructor(private readonly address: StoreAddress, options: StoreOptions) {
    this.send = requestSender(address, options);
  }

  async create(
    key: string,
    bytes: Bytes,
    isOwn?: OwnWrite,
    endsAfter?: Promise<void>,
  ): Promise<Written | null> {
    const answer = await this.write("create", key, bytes, { "if-none-match": "*" }, "create_once", endsAfter);
    if (answer.status < 300) return this.written(answer);
    if (answer.status !== 412) return this.unexpected(`PUT of ${key}`, answer);
    return endsAfter === undefined ? await this.ownWrite(key, await this.readStart(key), bytes, isOwn) : null;
  }

  async replace(
    key: string,
    bytes: Bytes,
    etag: string,
    isOwn?: OwnWrite,
    endsAfter?: Promise<void>,
  ): Promise<Written | null> {
    const putIf = (ifMatch: string) =>
      this.write("replace", key, bytes, { "if-match": ifMatch }, "replace_seen", endsAfter);
    const wasBare = this.hasBareEtags;
    let answer = await putIf(wasBare ? etag : `"${etag}"`);
    if (endsAfter !== undefined && answer.status === 412) return null;
    let current = answer.status === 412 ? await this.readStart(key) : null;
    if (current?.etag === etag && !wasBare) {
      // The object is as it was seen, so the store did not understand the quotes.
      answer = await putIf(etag);
      this.hasBareEtags = answer.status < 300;
      current = answer.status === 412 ? await this.readStart(key) : null;
    }
    if (answer.status < 300) return this.written(answer);
    if (answer.status !== 412 && answer.status !== 404) return this.unexpected(`PUT of ${key}`, answer);
    return await this.ownWrite(key, current, bytes, isOwn);
  }

  async put(key: string, bytes: Bytes): Promise<Written> {
    const answer = await this.write("write", key, bytes, {}, "answers");
    return answer.status < 300 ? this.written(answer) : this.unexpected(`PUT of ${key}`, answer);
  }

  async remove(key: string): Promise<void> {
    await this.send({ method: "DELETE", key, action: `remove ${key}`, promise: "answers" });
  }

  async list(prefix: string, after?: string, most = MAX_LISTED): Promise<Listing> {
    const own = this.address.prefix;
    const asked = { prefix: own + prefix, after: after === undefined ? undefined : own + after, most };
    const answer = await this.send({
      method: "GET",
      key: "",
      query: {
        "list-type": "2",
        "encoding-type": "url",
        "max-keys": String(most),
        prefix: asked.prefix,
        ...asked.after === undefined ? {} : { "start-after": asked.after },
      },
      action: `list ${prefix}`,
      promise: "ordered_list",
    });
    if (answer.status !== 200) return this.unexpected(`the list of ${prefix}`, answer);
    const { objects, isCut } = readListing(
      new TextDecoder().decode(answer.bytes),
      asked,
      (promise, found) => this.breaks(promise, found),
    );
    for (const object of objects) object.key = object.key.slice(own.length);
    return { objects, isCut, serverNowMs: answer.serverNowMs };
  }

  private breaks(promise: StorePromise, found: string): never {
    return fail({ kind: "store_unfit", store: this.address.place, promise, found });
  }

  private unexpected(request: string, { status }: StoreAnswer): never {
    return this.breaks("answers", `${request} was answered with ${status}`);
  }

  private factsOf({ headers, serverNowMs }: StoreAnswer, byteCount: number): ObjectFacts {
    const modifiedAtMs = Date.parse(headers.get("last-modified") ?? "");
    const etag = headers.get("etag");
    if (etag === null || Number.isNaN(modifiedAtMs)) {
      return this.breaks("answers", "it returned an object without ETag or Last-Modified");
    }
    return { etag: withoutQuotes(etag), byteCount, modifiedAtMs, serverNowMs };
  }

  async head(key: string): Promise<ObjectFacts | null> {
    const answer = await this.send({ method: "HEAD", key, action: `look up ${key}`, promise: "answers" });
    if (answer.status === 404) return null;
    if (answer.status !== 200) return this.unexpected(`HEAD of ${key}`, answer);
    const length = answer.headers.get("content-length") ?? "";
    if (!/^\d{1,15}$/.test(length)) return this.breaks("answers", `HEAD of ${key} had no length`);
    return this.factsOf(answer, Number(length));
  }

  private async headWithoutBytes(key: string): Promise<ObjectPart | null> {
    const facts = await this.head(key);
    return facts && { ...facts, bytes: new Uint8Array() };
  }

  async get(key: string, range?: ObjectRange): Promise<ObjectPart | null> {
    const { from, byteCount } = range ?? { from: 0, byteCount: Infinity };
    if (byteCount === 0) return await this.headWithoutBytes(key);
    const asked = `bytes=${from}-${from + byteCount - 1}`;
    const answer = await this.send({
      method: "GET",
      key,
      headers: range === undefined ? {} : { range: asked },
      action: `read ${key}`,
      promise: range === undefined ? "answers" : "ranges",
      maxBytes: range === undefined ? MAX_WHOLE_BYTES : byteCount,
    });
    const { status, headers, bytes } = answer;
    if (status === 404) return null;
    // The answer about a range after the end has neither etag nor date.
    if (range !== undefined && status === 416) return await this.headWithoutBytes(key);
    if (range === undefined) {
      if (status !== 200) return this.unexpected(`GET of ${key}`, answer);
      return { ...this.factsOf(answer, bytes.length), bytes };
    }
    const named = headers.get("content-range");
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(named ?? "") ?? [];
    const size = Number(total);
    const end = Math.min(from + byteCount, size);
    // Some stores answer 200 to ranges, too; the range that they name counts.
    if (status >= 300 || Number(first) !== from || Number(last) !== end - 1 || bytes.length !== end - from) {
      const got = `${status} and ${bytes.length} bytes (${named ?? "no Content-Range"})`;
      return this.breaks("ranges", `it answered ${asked.replace("=", " ")} of ${key} with ${got}`);
    }
    return { ...this.factsOf(answer, size), bytes };
  }

  private write(
    action: string,
    key: string,
    body: Bytes,
    conditions: Readonly<Record<string, string>>,
    promise: StorePromise,
    endsAfter?: Promise<void>,
  ): Promise<StoreAnswer> {
    const { encryption } = this.address;
    const headers: Record<string, string> = { "content-type": "application/octet-stream", ...conditions };
    if (encryption !== undefined) {
      headers["x-amz-server-side-encryption"] = encryption.algorithm;
      if (encryption.keyId !== undefined) {
        headers["x-amz-server-side-encryption-aws-kms-key-id"] = encryption.keyId;
      }
    }
    return this.send({ method: "PUT", key, headers, body, endsAfter, action: `${action} ${key}`, promise });
  }

  private written({ headers, serverNowMs }: StoreAnswer): Written {
    const etag = headers.get("etag");
    if (etag === null) return this.breaks("answers", "PUT returned no ETag");
    const versionId = headers.get("x-amz-version-id");
    return {
      etag: withoutQuotes(etag),
      serverNowMs,
      // Buckets that kept versions once, and those of some stores always, name all "null".
      versionId: versionId === null || versionId === "null" ? undefined : versionId,
      server: headers.get("server") ?? undefined,
    };
  }

  private readStart(key: string): Promise<ObjectPart | null> {
    return this.get(key, { from: 0, byteCount: START_BYTES });
  }

  /** Decides whether an object, whose start was read back, is the result of a write whose answer was lost. */
  private async ownWrite(
    key: string,
    start: ObjectPart | null,
    bytes: Bytes,
    isOwn: OwnWrite | undefined,
  ): Promise<Written | null> {
    if (start === null) return null;
    const result = { etag: start.etag, serverNowMs: start.serverNowMs };
    if (isOwn !== undefined) return isOwn(start.bytes) ? result : null;
    if (start.byteCount !== bytes.length || !sameBytes(start.bytes, bytes.subarray(0, START_BYTES))) {
      return null;
    }
    if (bytes.length <= START_BYTES) return result;
    const whole = await this.get(key, { from: 0, byteCount: bytes.length });
    return whole?.etag === start.etag && sameBytes(whole.bytes, bytes) ? result : null;
  }
}
