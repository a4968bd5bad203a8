/**
 * An {@link ObjectStore} that speaks the S3 API. Only what S3-like stores have in common is used: no checksum headers, no
 * multipart uploads, no versions, no tags.
 */

import { sameBytes } from "../bytes/utf8_bytes.ts";
import { fail } from "../disk/errors.ts";
import type { StorePromise } from "../failures.ts";
import type { ObjectFacts, ObjectPart, ObjectRange, ObjectStore, OwnWrite, Written } from "./object_store.ts";
import { readListing, withoutQuotes } from "./read_listing.ts";
import { requestSender, type SendRequest, type StoreAnswer, type StoreOptions } from "./send_request.ts";
import type { StoreAddress } from "./store_url.ts";

const MAX_LISTED = 1000;
/** Objects that are read without a range have at most this much. */
const MAX_WHOLE_BYTES = 16 * 2 ** 20;
/** Of an object that is read back to find out who wrote it: enough for a header, and one packet or two. */
const START_BYTES = 4096;

/** How the client writes to one store. */
interface Client {
  address: StoreAddress;
  send: SendRequest;
  /** Whether `If-Match` takes etags without quotes, as Ceph's gateway and stores built on it do. Learned by use. */
  hasBareEtags: boolean;
}

/** Opens the store at `address`. Sends nothing yet. */
export function openObjectStore(address: StoreAddress, options: StoreOptions): ObjectStore {
  const client: Client = { address, send: requestSender(address, options), hasBareEtags: false };
  return {
    get: (key, range) => getObject(client, key, range),
    head: (key) => headObject(client, key),
    create: (key, bytes, isOwn, endsAfter) => createObject(client, key, bytes, isOwn, endsAfter),
    replace: (key, bytes, etag, isOwn, endsAfter) =>
      replaceObject(client, key, bytes, etag, isOwn, endsAfter),
    put: async (key, bytes) => {
      const answer = await putObject(client, `write ${key}`, key, bytes, {}, "answers");
      return answer.status < 300 ? written(client, answer) : unexpected(client, `PUT of ${key}`, answer);
    },
    remove: async (key) => {
      await client.send({ method: "DELETE", key, action: `remove ${key}`, promise: "answers" });
    },
    list: (prefix, after, most) => listObjects(client, prefix, after, most),
  };
}

async function getObject(client: Client, key: string, range?: ObjectRange): Promise<ObjectPart | null> {
  const { from, byteCount } = range ?? { from: 0, byteCount: Infinity };
  if (byteCount === 0) return withoutBytes(await headObject(client, key));
  const answer = await client.send({
    method: "GET",
    key,
    headers: range === undefined ? {} : { range: `bytes=${from}-${from + byteCount - 1}` },
    action: `read ${key}`,
    promise: range === undefined ? "answers" : "ranges",
    maxBytes: range === undefined ? MAX_WHOLE_BYTES : byteCount,
  });
  const { status, headers, bytes } = answer;
  if (status === 404) return null;
  // The answer about a range after the end has neither etag nor date.
  if (range !== undefined && status === 416) return withoutBytes(await headObject(client, key));
  if (range === undefined) {
    if (status !== 200) return unexpected(client, `GET of ${key}`, answer);
    return { ...factsOf(client, answer, bytes.length), bytes };
  }
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  const size = Number(total);
  const end = Math.min(from + byteCount, size);
  // Some stores answer 200 to ranges, too; the range that they name counts.
  if (status >= 300 || Number(first) !== from || Number(last) !== end - 1 || bytes.length !== end - from) {
    const got = `${status} and ${bytes.length} bytes (${headers.get("content-range") ?? "no Content-Range"})`;
    return breaks(
      client,
      "ranges",
      `it answered bytes ${from}-${from + byteCount - 1} of ${key} with ${got}`,
    );
  }
  return { ...factsOf(client, answer, size), bytes };
}

function withoutBytes(facts: ObjectFacts | null): ObjectPart | null {
  return facts && { ...facts, bytes: new Uint8Array() };
}

async function headObject(client: Client, key: string): Promise<ObjectFacts | null> {
  const answer = await client.send({ method: "HEAD", key, action: `look up ${key}`, promise: "answers" });
  if (answer.status === 404) return null;
  if (answer.status !== 200) return unexpected(client, `HEAD of ${key}`, answer);
  const length = answer.headers.get("content-length") ?? "";
  if (!/^\d{1,15}$/.test(length)) return breaks(client, "answers", `HEAD of ${key} had no length`);
  return factsOf(client, answer, Number(length));
}

async function createObject(
  client: Client,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  isOwn?: OwnWrite,
  endsAfter?: Promise<void>,
): Promise<Written | null> {
  const conditions = { "if-none-match": "*" };
  const answer = await putObject(client, `create ${key}`, key, bytes, conditions, "create_once", endsAfter);
  if (answer.status < 300) return written(client, answer);
  if (answer.status !== 412) return unexpected(client, `PUT of ${key}`, answer);
  if (endsAfter !== undefined) return null;
  return await ownWrite(client, key, await readStart(client, key), bytes, isOwn);
}

async function replaceObject(
  client: Client,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  etag: string,
  isOwn?: OwnWrite,
  endsAfter?: Promise<void>,
): Promise<Written | null> {
  const put = (ifMatch: string) =>
    putObject(client, `replace ${key}`, key, bytes, { "if-match": ifMatch }, "replace_seen", endsAfter);
  const wasBare = client.hasBareEtags;
  let answer = await put(wasBare ? etag : `"${etag}"`);
  if (endsAfter !== undefined && answer.status === 412) return null;
  let current = answer.status === 412 ? await readStart(client, key) : null;
  if (current?.etag === etag && !wasBare) {
    // The object is as it was seen, so the store did not understand the quotes.
    answer = await put(etag);
    client.hasBareEtags = answer.status < 300;
    current = answer.status === 412 ? await readStart(client, key) : null;
  }
  if (answer.status < 300) return written(client, answer);
  if (answer.status !== 412 && answer.status !== 404) return unexpected(client, `PUT of ${key}`, answer);
  return await ownWrite(client, key, current, bytes, isOwn);
}

function readStart(client: Client, key: string): Promise<ObjectPart | null> {
  return getObject(client, key, { from: 0, byteCount: START_BYTES });
}

/** Decides whether an object, whose start was read back, is the result of a write whose answer was lost. */
async function ownWrite(
  client: Client,
  key: string,
  start: ObjectPart | null,
  bytes: Uint8Array<ArrayBuffer>,
  isOwn: OwnWrite | undefined,
): Promise<Written | null> {
  if (start === null) return null;
  const result = { etag: start.etag, serverNowMs: start.serverNowMs };
  if (isOwn !== undefined) return isOwn(start.bytes) ? result : null;
  if (start.byteCount !== bytes.length || !sameBytes(start.bytes, bytes.subarray(0, START_BYTES))) {
    return null;
  }
  if (bytes.length <= START_BYTES) return result;
  const whole = await getObject(client, key, { from: 0, byteCount: bytes.length });
  return whole?.etag === start.etag && sameBytes(whole.bytes, bytes) ? result : null;
}

function putObject(
  { address: { encryption }, send }: Client,
  action: string,
  key: string,
  body: Uint8Array<ArrayBuffer>,
  conditions: Readonly<Record<string, string>>,
  promise: StorePromise,
  endsAfter?: Promise<void>,
): Promise<StoreAnswer> {
  const headers: Record<string, string> = { "content-type": "application/octet-stream", ...conditions };
  if (encryption !== undefined) {
    headers["x-amz-server-side-encryption"] = encryption.algorithm;
    if (encryption.keyId !== undefined) {
      headers["x-amz-server-side-encryption-aws-kms-key-id"] = encryption.keyId;
    }
  }
  return send({ method: "PUT", key, headers, body, endsAfter, action, promise });
}

async function listObjects(client: Client, prefix: string, after: string | undefined, most = MAX_LISTED) {
  const own = client.address.prefix;
  const asked = { prefix: own + prefix, after: after === undefined ? undefined : own + after, most };
  const answer = await client.send({
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
  if (answer.status !== 200) return unexpected(client, `the list of ${prefix}`, answer);
  const text = new TextDecoder().decode(answer.bytes);
  const { objects, isCut } = readListing(text, asked, (...broken) => breaks(client, ...broken));
  for (const object of objects) object.key = object.key.slice(own.length);
  return { objects, isCut, serverNowMs: answer.serverNowMs };
}

function factsOf(client: Client, { headers, serverNowMs }: StoreAnswer, byteCount: number): ObjectFacts {
  const modifiedAtMs = Date.parse(headers.get("last-modified") ?? "");
  const etag = headers.get("etag");
  if (etag === null || Number.isNaN(modifiedAtMs)) {
    return breaks(client, "answers", "it returned an object without ETag or Last-Modified");
  }
  return { etag: withoutQuotes(etag), byteCount, modifiedAtMs, serverNowMs };
}

function written(client: Client, { headers, serverNowMs }: StoreAnswer): Written {
  const etag = headers.get("etag");
  if (etag === null) return breaks(client, "answers", "PUT returned no ETag");
  const versionId = headers.get("x-amz-version-id");
  return {
    etag: withoutQuotes(etag),
    serverNowMs,
    // Buckets that kept versions once, and those of some stores always, name all "null".
    versionId: versionId === null || versionId === "null" ? undefined : versionId,
    server: headers.get("server") ?? undefined,
  };
}

function unexpected(client: Client, request: string, { status }: StoreAnswer): never {
  return breaks(client, "answers", `${request} was answered with ${status}`);
}

function breaks({ address: { place } }: Client, promise: StorePromise, found: string): never {
  return fail({ kind: "store_unfit", store: place, promise, found });
}
