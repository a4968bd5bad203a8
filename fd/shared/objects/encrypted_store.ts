/**
 * Encrypts what a shared store holds before it leaves the host (SHARED.md, "Encryption"). All but the store's own object is
 * encrypted, names in keys too; readers of ranges fetch the frames around them.
 */

import { hexOf, joinBytes, sameBytes, utf8Bytes, utf8Text } from "../../bytes/utf8_bytes.ts";
import { failCorrupt, ifPossible, refuse } from "../../disk/errors.ts";
import { nodeCrypto } from "../../disk/loaded_late.ts";
import { openObjectStore } from "../remote/open_object_store.ts";
import type {
  Bytes,
  ListedObject,
  ObjectFacts,
  ObjectPart,
  ObjectRange,
  ObjectStore,
  OwnWrite,
  Written,
} from "../remote/object_store.ts";
import type { StoreOptions } from "../remote/send_request.ts";
import { hmacSha256 } from "../remote/sign_request.ts";
import { readSmallFile } from "../remote/small_file.ts";
import type { StoreAddress } from "../remote/store_url.ts";
import type { Environment } from "../../store/open_store.ts";
import { bytesOfHex, NAME_PREFIX, STORE_KEY } from "./shared_keys.ts";
import { failWithoutKey, readSharedStore } from "./store_object.ts";

/** Plain bytes in a frame; only the last may have fewer. */
const FRAME_BYTES = 65_536;
const KEY_ID_BYTES = 8;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const HEAD_BYTES = KEY_ID_BYTES + SALT_BYTES;
const SEALED_BYTES = HEAD_BYTES + FRAME_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

/** The keys of a store, by id: 16 hex digits. The first encrypts. */
type StoreKeys = ReadonlyMap<string, Uint8Array>;

/** Opens the store at `address`, encrypted if the environment has keys. Sends nothing yet. */
export async function openSharedObjects(address: StoreAddress, options: StoreOptions): Promise<ObjectStore> {
  const objects = openObjectStore(address, options);
  const keys = await storeKeys(options.env);
  return keys === undefined ? objects : encryptedStore(objects, keys);
}

/**
 * The keys in FDTOOL_SHARED_KEY, or in the lines of the file FDTOOL_SHARED_KEY_FILE; undefined if neither is set.
 *
 * @throws {FdError} `invalid_parameter`.
 */
async function storeKeys(env: Environment): Promise<StoreKeys | undefined> {
  const path = env["FDTOOL_SHARED_KEY_FILE"];
  const written = env["FDTOOL_SHARED_KEY"] || (path ? readSmallFile(path) ?? "" : undefined);
  if (written === undefined) return undefined;
  const field = env["FDTOOL_SHARED_KEY"] ? "FDTOOL_SHARED_KEY" : "FDTOOL_SHARED_KEY_FILE";
  const keys = written.split(/\s+/).filter((word) => word !== "");
  const isRight = keys.length > 0 && keys.every((key) => /^[0-9a-fA-F]{64}$/.test(key));
  if (!isRight) {
    const wanted =
      "64 hex digits, as openssl rand -hex 32 writes them; in a file one key a line, the first for writing";
    // A key that is nearly right must not appear in an answer.
    refuse(field, `${keys.length} words`, wanted);
  }
  const bytes = keys.map(bytesOfHex);
  const ids = await Promise.all(bytes.map((key) => hmacSha256(key, "id")));
  return new Map(bytes.map((key, at) => [hexOf(ids[at]!.subarray(0, KEY_ID_BYTES)), key]));
}

/** The same store for callers, encrypted in `objects`. */
function encryptedStore(objects: ObjectStore, keys: StoreKeys): ObjectStore {
  const [writing] = keys;
  const cipher: Cipher = { keys, writing: writing!, storeId: "" };
  /** Memory of the last object, which is used again: what was sent is not freed at once. */
  let free: Bytes | undefined;
  /** Reads once which store it is, which every key depends on. */
  const identify = async () => {
    if (self.storeId === undefined) {
      const store = await readSharedStore(self);
      self.storeId = store?.id ?? "";
      self.keyId = store?.keyId;
    }
    cipher.storeId = self.storeId;
  };
  /** The key of an object in the bucket. Names are hidden with the store's own key, so that each has one place. */
  const placed = async (key: string): Promise<string> => {
    await identify();
    return key.startsWith(NAME_PREFIX)
      ? NAME_PREFIX + hiddenName(nameKey(), key.slice(NAME_PREFIX.length))
      : key;
  };
  const nameKey = () => keys.get(self.keyId ?? "") ?? writing![1];
  const get = async (key: string, range?: ObjectRange): Promise<ObjectPart | null> => {
    if (key === STORE_KEY) return await objects.get(key, range);
    const at = await placed(key);
    const { from, byteCount } = range ?? { from: 0, byteCount: Infinity };
    if (byteCount === 0) return await objects.get(at, range).then((part) => part && plainFacts(part));
    const first = Math.floor(from / FRAME_BYTES);
    const end = Math.ceil((from + byteCount) / FRAME_BYTES);
    const frames = range && { from: first * SEALED_BYTES, byteCount: (end - first) * SEALED_BYTES };
    const getting = objects.get(at, frames);
    // Loading it takes milliseconds, in which the request is on its way.
    nodeCrypto();
    const part = await getting;
    if (part === null) return null;
    const facts = plainFacts(part);
    const bytes = unsealed(cipher, key, part.bytes, first, facts.byteCount);
    return { ...facts, bytes: bytes.subarray(from - first * FRAME_BYTES).subarray(0, byteCount) };
  };
  /** Whether a write whose answer was lost is this one. Without `isOwn` any object with the same plain bytes is. */
  const settled = async (
    key: string,
    bytes: Bytes,
    isOwn: OwnWrite | undefined,
    write: (key: string, sealed: Bytes, isOwn: OwnWrite | undefined) => Promise<Written | null>,
  ): Promise<Written | null> => {
    if (key === STORE_KEY) return await write(key, bytes, isOwn);
    const at = await placed(key);
    const size = sealedLength(bytes.length);
    const sealed = free?.length === size ? free : new Uint8Array(size);
    free = undefined;
    seal(cipher, key, bytes, sealed);
    const own = isOwn && ((start: Uint8Array) => isOwn(startOf(cipher, key, start)));
    const result = await write(at, sealed, own);
    free = sealed;
    return result;
  };
  const self: ObjectStore = {
    keys,
    get,
    async head(key) {
      const facts = await objects.head(key === STORE_KEY ? key : await placed(key));
      return facts && key !== STORE_KEY ? plainFacts(facts) : facts;
    },
    async create(key, bytes, isOwn) {
      const written = await settled(key, bytes, isOwn, (...sealed) => objects.create(...sealed));
      if (written !== null || isOwn !== undefined || key === STORE_KEY) return written;
      const part = await get(key);
      return part !== null && sameBytes(part.bytes, bytes) ? part : null;
    },
    replace: (key, bytes, etag, isOwn) =>
      settled(key, bytes, isOwn, (at, sealed, own) => objects.replace(at, sealed, etag, own)),
    async put(key, bytes) {
      return (await settled(key, bytes, undefined, (at, sealed) => objects.put(at, sealed)))!;
    },
    remove: async (key) => await objects.remove(await placed(key)),
    async list(prefix, after, most) {
      await identify();
      const listed: ListedObject[] = [];
      for (let start = after === undefined ? undefined : await placed(after);;) {
        const { objects: found, isCut, serverNowMs } = await objects.list(prefix, start, most);
        const shown = found.map((object) => shownObject(nameKey(), object));
        for (const object of shown) if (object !== undefined) listed.push(object);
        // The next page starts after an object whose key a caller knows.
        if (!isCut || shown.at(-1) !== undefined) return { objects: listed, isCut, serverNowMs };
        start = found.at(-1)?.key;
      }
    },
  };
  return self;
}

/** An object of a listing as callers see it; undefined if its key is a name that was not hidden with the store's key. */
function shownObject(nameKey: Uint8Array, object: ListedObject): ListedObject | undefined {
  const { key, byteCount } = object;
  if (key === STORE_KEY) return object;
  const shown = { ...object, byteCount: plainLength(byteCount) };
  if (!key.startsWith(NAME_PREFIX)) return shown;
  const name = shownName(nameKey, key.slice(NAME_PREFIX.length));
  return name === undefined ? undefined : { ...shown, key: NAME_PREFIX + name };
}

interface Cipher {
  keys: StoreKeys;
  writing: [string, Uint8Array];
  storeId: string;
}

function plainLength(byteCount: number): number {
  return Math.max(0, byteCount - Math.ceil(byteCount / SEALED_BYTES) * (HEAD_BYTES + TAG_BYTES));
}

function plainFacts<Facts extends ObjectFacts>(facts: Facts): Facts {
  return { ...facts, byteCount: plainLength(facts.byteCount) };
}

/** The key of one version of one object: a frame of another object, store or version does not open with it. */
function objectKey({ storeId }: Cipher, key: Uint8Array, salt: Uint8Array, name: string): Uint8Array {
  return new Uint8Array(
    nodeCrypto().hkdfSync("sha256", key, salt, `fdtool shared ${storeId} ${name}`, KEY_BYTES),
  );
}

function nonceOf(frame: number): Uint8Array {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setUint32(0, frame);
  return nonce;
}

/** The length of an object is part of what each frame's tag covers. */
function lengthText(byteCount: number): Uint8Array {
  return utf8Bytes(String(byteCount));
}

function sealedLength(byteCount: number): number {
  return byteCount + Math.max(1, Math.ceil(byteCount / FRAME_BYTES)) * (HEAD_BYTES + TAG_BYTES);
}

/** Encrypts the object `name` into `sealed`. */
function seal(cipher: Cipher, name: string, bytes: Uint8Array, sealed: Bytes): void {
  const [id, key] = cipher.writing;
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const head = joinBytes([bytesOfHex(id), salt]);
  const own = objectKey(cipher, key, salt, name);
  for (let frame = 0, at = 0; at < sealed.length; frame++) {
    const plain = bytes.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES);
    const gcm = nodeCrypto().createCipheriv("aes-256-gcm", own, nonceOf(frame)).setAAD(
      lengthText(bytes.length),
    );
    sealed.set(head, at);
    sealed.set(gcm.update(plain), at + HEAD_BYTES);
    gcm.final();
    sealed.set(gcm.getAuthTag(), at + HEAD_BYTES + plain.length);
    at += HEAD_BYTES + plain.length + TAG_BYTES;
  }
}

/** Opens frames of one object in place, from frame `first` on, which has `byteCount` plain bytes in all. */
function unsealed(cipher: Cipher, name: string, sealed: Bytes, first: number, byteCount: number): Bytes {
  const head = sealed.slice(0, HEAD_BYTES);
  const own = sealed.length === 0 ? undefined : ownKey(cipher, name, head);
  for (let at = 0, frame = first; own !== undefined && at < sealed.length; at += SEALED_BYTES, frame++) {
    const bytes = sealed.subarray(at, at + SEALED_BYTES);
    const plain = openFrame(own, head, bytes, frame, byteCount);
    if (plain === undefined) failCorrupt(name, "it was not written under this name with the store's key");
    // Plain frames are shorter, so that none is in the way of the next.
    sealed.set(plain, (frame - first) * FRAME_BYTES);
  }
  return sealed.subarray(0, plainLength(sealed.length));
}

function openFrame(
  own: Uint8Array,
  head: Uint8Array,
  bytes: Uint8Array,
  frame: number,
  byteCount: number,
): Uint8Array | undefined {
  if (bytes.length < HEAD_BYTES + TAG_BYTES || !sameBytes(bytes.subarray(0, HEAD_BYTES), head)) {
    return undefined;
  }
  const gcm = nodeCrypto().createDecipheriv("aes-256-gcm", own, nonceOf(frame)).setAAD(lengthText(byteCount));
  gcm.setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = gcm.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES));
  return ifPossible(() => gcm.final(), Error) && plain;
}

/** Finds the key that an object was encrypted with. */
function ownKey(cipher: Cipher, name: string, head: Uint8Array): Uint8Array {
  const id = hexOf(head.subarray(0, KEY_ID_BYTES));
  const key = cipher.keys.get(id);
  if (key === undefined) failWithoutKey(id, `read ${name}`);
  return objectKey(cipher, key, head.subarray(KEY_ID_BYTES), name);
}

/** The first plain bytes of an object of which only the start is there, unchecked: enough to tell whose claim it is. */
function startOf(cipher: Cipher, name: string, start: Uint8Array): Uint8Array {
  const head = start.subarray(0, HEAD_BYTES);
  const own = ownKey(cipher, name, head);
  // The counter mode that GCM encrypts with begins at 2.
  const counter = joinBytes([nonceOf(0), Uint8Array.of(0, 0, 0, 2)]);
  const plain = nodeCrypto().createDecipheriv("aes-256-ctr", own, counter).update(
    start.subarray(HEAD_BYTES, SEALED_BYTES),
  );
  return start.length < SEALED_BYTES ? plain.subarray(0, -TAG_BYTES) : plain;
}

/** Returns what is in the key of a name instead of it: the same for the same name. */
function hiddenName(key: Uint8Array, name: string): string {
  const vector = hmacOf(hmacOf(key, "names"), name).subarray(0, SALT_BYTES);
  const cipher = nodeCrypto().createCipheriv("aes-256-ctr", hmacOf(key, "hide"), vector);
  return hexOf(vector) + hexOf(cipher.update(utf8Bytes(name)));
}

/** Returns the name that was hidden; undefined if that was not with this key. */
function shownName(key: Uint8Array, hidden: string): string | undefined {
  if (!/^[0-9a-f]{34,288}$/.test(hidden)) return undefined;
  const bytes = bytesOfHex(hidden);
  const vector = bytes.subarray(0, SALT_BYTES);
  const cipher = nodeCrypto().createDecipheriv("aes-256-ctr", hmacOf(key, "hide"), vector);
  const name = utf8Text(cipher.update(bytes.subarray(SALT_BYTES)));
  return hiddenName(key, name) === hidden ? name : undefined;
}

function hmacOf(key: Uint8Array, text: string): Uint8Array {
  return nodeCrypto().createHmac("sha256", key).update(text).digest();
}
