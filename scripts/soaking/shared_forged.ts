/**
 * Objects of a shared store changed behind its back, plain and encrypted: bits, lengths and numbers of any size, objects swapped,
 * restored and cut, frames in other places, lines of other kinds, decompression bombs, hostile keys. Fresh hosts and the host
 * that wrote read everything: what was written, or a typed failure, in little memory and few requests.
 */

import { existsSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { joinBytes, utf8Bytes, utf8Text } from "../../fd/bytes/utf8_bytes.ts";
import { parseStoreUrl } from "../../fd/mod.ts";
import { addressObject, decodeObjectHeader, encodeObject, objectParts } from "../../fd/packs/object_form.ts";
import type { ObjectStore } from "../../fd/shared/remote/object_store.ts";
import { openObjectStore } from "../../fd/shared/remote/open_object_store.ts";
import { openSharedObjects } from "../../fd/shared/objects/encrypted_store.ts";
import { ownedObject } from "../../fd/shared/objects/fd_object.ts";
import { HINT_EVERY, raiseHint } from "../../fd/shared/objects/next_object.ts";
import {
  DATA_PREFIX,
  FD_PREFIX,
  fdKey,
  GC_KEY,
  nameKey,
  NEXT_KEY,
  OFFLINE_PREFIX,
  STORE_KEY,
} from "../../fd/shared/objects/shared_keys.ts";
import { readSharedStore } from "../../fd/shared/objects/store_object.ts";
import { nameLine } from "../../fd/store/bind_name.ts";
import { FIRST_OFFLINE_ID } from "../../fd/store/fd_id.ts";
import { checkedLines, encodeCheckedLine } from "../../fd/store/checked_log.ts";
import { isMissing, startVersitygw, VERSITYGW } from "../../tests/remote/object_servers.ts";
import { type FaultProxy, startFaultProxy } from "../../tests/remote/fault_proxy.ts";
import { hostOf, manyLines, type SharedHost } from "../../tests/remote/shared_world.ts";
import { labelledContent, sampleObject } from "../fleet/sample_upload.ts";
import { nonceOf } from "../fleet/simulated_fleet.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { HOSTILE_NUMBERS, hostileValue } from "./hostile_words.ts";
import { must, sameBytes } from "./inner_world.ts";
import { assertTyped, noBinary } from "./outer_world.ts";
import type { Choices } from "./random_choices.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const KEY = { FDTOOL_SHARED_KEY: "0123456789abcdef".repeat(4) };
const PREFIX = "team";
const GNU_TIME = "/usr/bin/time";
const MIB = 2 ** 20;
const MAX_READER_BYTES = 128 * MIB;
/** For one read; and for one list, of about fifty fds that no listing has. */
const MAX_READ_REQUESTS = 60;
const MAX_LIST_REQUESTS = 250;
/** Forgeries that are there at the same time, each of another object. */
const AT_ONCE = 30;
/** Frames of an encrypted object, as they are in the bucket. */
const FRAME_BYTES = 24 + 65_536 + 16;

/** Contents: within a block, of several, in one segment, in two, packed before it is shared. */
const CONTENTS: readonly Bytes[] = [6, 200_000, 3 * MIB, 9 * MIB, 4 * MIB].map((size, at) =>
  joinBytes([utf8Bytes(`content ${at}\n`), manyLines(size)])
);
const REMOVED_ID = CONTENTS.length;
/** Small fds after them, enough for a listing. */
const SMALL_FDS = 36;

/** An object as it is in the bucket, and as hosts with the key see it. */
interface Target {
  key: string;
  sealed: Bytes;
  plain: Bytes;
  older: Bytes | undefined;
}

interface Forgery {
  key: string;
  about: string;
  /** Whether sums were made right, so that only content can be judged. */
  isCareful: boolean;
}

export const sharedForged: FaultClass = {
  name: "shared-forged",
  what:
    "objects of a shared store, plain and encrypted, are changed, swapped, restored, cut and blown up: each host reads what was " +
    "written or a typed failure, in at most 128 MiB and few requests",
  unable: () =>
    noBinary() ?? (isMissing(VERSITYGW) ? "no versitygw: scripts/object-servers" : undefined) ??
      (existsSync(GNU_TIME) ? undefined : "no GNU time"),
  async round(round) {
    await using server = await startVersitygw();
    await using proxy = startFaultProxy(server);
    const env = round.seed % 2 === 0 ? {} : KEY;
    using writer = hostOf(server, proxy, PREFIX, env);
    const address = parseStoreUrl(writer.env["FDTOOL_STORE"]!, "--store");
    const raw = openObjectStore(address, { env: server.env });
    const inner = await openSharedObjects(address, { env: { ...server.env, ...env } });
    const { contents, older } = await fill(writer, proxy, raw, inner, round.choices);
    const targets = await targetsIn(raw, inner, older);
    const forgeries = await forge(raw, inner, targets, round);
    using fresh = hostOf(server, proxy, PREFIX, env);
    await readAll(fresh, true, proxy, contents, forgeries, round);
    await readAll(writer, false, proxy, contents, forgeries, round);
  },
};

interface Filled {
  /** By fd. */
  contents: Map<string, Bytes>;
  /** Older versions of objects, by key. */
  older: Map<string, Bytes>;
}

/** Fills the store. */
async function fill(
  writer: SharedHost,
  proxy: FaultProxy,
  raw: ObjectStore,
  inner: ObjectStore,
  choices: Choices,
): Promise<Filled> {
  const contents = new Map<string, Bytes>();
  for (const content of CONTENTS.slice(0, -1)) {
    contents.set(String((await writer.capture(content))["fd"]), content);
  }
  // The last one is packed before it is shared.
  proxy.fault = () => ({ kind: "refused", status: 503, code: "SlowDown" });
  const env = { FDTOOL_UPLOAD_WAIT: "1ms" };
  const packed = await writer.answer(["capture", "--always", "--preview", "none"], {
    stdin: CONTENTS.at(-1)!,
    env,
  });
  contents.set(String(packed["fd"]), CONTENTS.at(-1)!);
  const [cache] = [...Deno.readDirSync(writer.world.path("cache"))].map(({ name }) => name);
  const local = { env: { FDTOOL_STORE: `${writer.world.path("cache")}/${cache}`, FDTOOL_TTL: "0" } };
  await writer.world.run(["gc", "--pack"], local);
  proxy.fault = () => undefined;
  must((await writer.run(["sync", "--wait"])).code === 0, () => "the packed fd is not shared");
  await writer.capture("removed\n", "--name", "gone");
  await writer.run(["name", "fd:2", "two"]);
  const older = new Map<string, Bytes>();
  const keep = async (key: string) => void older.set(key, (await raw.get(key))!.bytes);
  await keep(fdKey(REMOVED_ID));
  await writer.run(["rm", `fd:${REMOVED_ID}`]);
  inner.storeId = (await readSharedStore(inner))!.id;
  const ids = Array.from({ length: SMALL_FDS }, (_, at) => REMOVED_ID + 1 + at);
  for (const id of [...ids, FIRST_OFFLINE_ID + 1]) {
    const object = sampleObject(nonceOf(choices), labelledContent(`small ${id}`, 300));
    await inner.put(fdKey(id), ownedObject(inner, id, object));
    if (id % HINT_EVERY === 0) await raiseHint(inner, id);
  }
  await writer.run(["gc"]);
  await keep("v1/gc");
  await writer.run(["gc"]);
  contents.set(`fd:${FIRST_OFFLINE_ID + 1}`, labelledContent(`small ${FIRST_OFFLINE_ID + 1}`, 300));
  return { contents, older };
}

async function targetsIn(raw: ObjectStore, inner: ObjectStore, older: Map<string, Bytes>): Promise<Target[]> {
  const targets: Target[] = [];
  for (const { key } of (await raw.list("v1/")).objects) {
    const sealed = (await raw.get(key))!.bytes;
    // A name's key in the bucket is another one than that by which it is read.
    const isName = key.startsWith(nameKey(""));
    const plain = isName ? utf8Bytes(nameLine("two", 2)) : (await inner.get(key))!.bytes;
    targets.push({ key, sealed, plain: new Uint8Array(plain), older: older.get(key) });
  }
  return targets;
}

async function forge(
  raw: ObjectStore,
  inner: ObjectStore,
  targets: readonly Target[],
  { choices }: Round,
): Promise<Forgery[]> {
  const forgeries = new Map<string, Forgery>();
  // Without the store's own object nothing can be read, so that other forgeries would not be tried.
  const some = targets.filter(({ key }) => key !== STORE_KEY || choices.onceIn(10));
  const main = some.filter(({ key }) => !key.startsWith(FD_PREFIX) || key <= fdKey(REMOVED_ID));
  while (forgeries.size < AT_ONCE) {
    const target = choices.one(choices.onceIn(2) ? some : main);
    const isName = target.key.startsWith(nameKey(""));
    const isCareful = choices.onceIn(2) && !isName;
    const [how, method] = choices.one(Object.entries(isCareful ? CAREFUL : CARELESS));
    const forged = method(target, choices, targets);
    if (forged === undefined || forgeries.has(target.key) || sameBytes(forged, target.sealed)) continue;
    if (isCareful && sameBytes(forged, target.plain)) continue;
    await (isCareful ? inner : raw).put(target.key, forged);
    forgeries.set(target.key, { key: target.key, about: `${how} (${target.key})`, isCareful });
  }
  if (choices.onceIn(2)) {
    const key = choices.one(HOSTILE_KEYS);
    await raw.put(key, choices.one(targets).sealed);
    forgeries.set(key, { key, about: `an object at ${key}`, isCareful: true });
  }
  return [...forgeries.values()];
}

const HOSTILE_KEYS = [
  ...["000000009999", "000012345678", "070368744177663", "999999999999", "abc"].map((id) => FD_PREFIX + id),
  ...["000070368744177665", "999999999999999"].map((id) => OFFLINE_PREFIX + id),
  ...["v1/ref/..x", `v1/ref/${"n".repeat(200)}`, "v1/ref/00112233", "v1/ls/999999999", "v1/data/zz/zz"],
];

/** Returns the object instead of the target's; undefined if it does not fit. */
type Forge = (target: Target, choices: Choices, targets: readonly Target[]) => Bytes | undefined;

/** Changes by who may write to the bucket. */
const CARELESS: Readonly<Record<string, Forge>> = {
  bits({ sealed }, choices) {
    const bytes = sealed.slice();
    for (let left = choices.whole(1, 3); left > 0 && bytes.length > 0; left--) {
      bytes[placeIn(bytes, choices)]! ^= 1 << choices.whole(0, 7);
    }
    return bytes;
  },
  cut: ({ sealed }, choices) => sealed.slice(0, choices.onceIn(4) ? 0 : placeIn(sealed, choices)),
  zeros: ({ sealed }, choices) => sealed.slice().fill(0, placeIn(sealed, choices)),
  grown: ({ sealed }, choices) =>
    joinBytes([sealed, choices.one([sealed, utf8Bytes("00000000 {}\n"), new Uint8Array(5000)])]),
  "another object": ({ key }, choices, targets) => {
    const same = targets.filter((each) => each.key !== key && each.key.startsWith(key.slice(0, 6)));
    return choices.one(same.length > 0 && !choices.onceIn(4) ? same : targets).sealed;
  },
  "a part of another": ({ sealed }, choices, targets) => {
    const at = choices.onceIn(2) ? placeIn(sealed, choices) : 0;
    return joinBytes([sealed.subarray(0, at), choices.one(targets).sealed.subarray(at)]);
  },
  "frames moved": ({ sealed }, choices) => {
    const count = Math.floor(sealed.length / FRAME_BYTES);
    if (count < 2) return undefined;
    const frame = (place: number) => sealed.subarray(place * FRAME_BYTES, (place + 1) * FRAME_BYTES);
    const frames = Array.from({ length: count }, (_, place) => frame(place));
    const from = choices.whole(0, count - 1);
    // Taken out, or a second time in the place of another.
    if (choices.onceIn(2)) frames.splice(from, 1);
    else frames[choices.whole(0, count - 1)] = frame(from);
    return joinBytes([...frames, sealed.subarray(count * FRAME_BYTES)]);
  },
  "an older version": ({ older }) => older,
  "much larger": ({ sealed }, choices) =>
    choices.onceIn(4) ? joinBytes([sealed, new Uint8Array(choices.one([20, 70]) * MIB)]) : undefined,
};

/** A place in the bytes: headers and records are small, and at the start. */
function placeIn(bytes: Uint8Array, choices: Choices): number {
  return choices.whole(0, Math.max(0, (choices.onceIn(2) ? Math.min(bytes.length, 600) : bytes.length) - 1));
}

/** Changes by who has the key, if there is one. Every sum is made right but those of the content. */
const CAREFUL: Readonly<Record<string, Forge>> = {
  "numbers of a header": ({ key, plain }, choices) => {
    const header = partsOf(key, plain)?.header;
    if (header === undefined) return undefined;
    const bytes = plain.slice();
    const view = new DataView(bytes.buffer);
    const at = choices.one([16, 24, 32]);
    const near = view.getUint32(at, true) + choices.one([-1, 1, 128, MIB]);
    const value = choices.onceIn(2) ? near : choices.one(HOSTILE_NUMBERS);
    view.setUint32(at, value, true);
    view.setUint16(at + 4, Math.floor(value / 2 ** 32), true);
    return addressObject(bytes, header.id, header.store);
  },
  "values of lines": ({ key, plain }, choices) => {
    const parts = partsOf(key, plain);
    return parts && rebuilt(plain, { record: encoded(changedIn(linesIn(parts.record), choices)) });
  },
  "lines moved": ({ key, plain }, choices, targets) => {
    const parts = partsOf(key, plain);
    if (parts === undefined) return undefined;
    const lines = linesIn(parts.record);
    const other = choices.one(targets);
    const others = linesIn(partsOf(other.key, other.plain)?.record ?? new Uint8Array());
    lines.splice(choices.whole(0, lines.length), choices.whole(0, 1), ...choices.onceIn(2) ? others : []);
    return lines.length === 0 ? undefined : rebuilt(plain, { record: encoded(lines) });
  },
  "long records": ({ key, plain }, choices) => {
    const parts = partsOf(key, plain);
    if (parts === undefined || !choices.onceIn(4)) return undefined;
    const keep = { event: "keep", nonce: "n".repeat(choices.one([1, 1, 3 * MIB, 5 * MIB, 17 * MIB])) };
    const more = encoded(keep.nonce.length > 1 ? [keep] : new Array(100_000).fill(keep));
    return choices.onceIn(2)
      ? rebuilt(plain, { record: joinBytes([parts.record, more]) })
      : joinBytes([plain, more]);
  },
  "another index": ({ key, plain }, choices) => {
    const size = choices.one([0, 4096, 40 * MIB, partsOf(key, plain)?.index.length ?? 0]);
    return rebuilt(plain, { index: new Uint8Array(size).fill(choices.whole(0, 255)) });
  },
  "other content": ({ plain }, choices, targets) => {
    const other = choices.one(targets);
    const parts = partsOf(other.key, other.plain);
    return rebuilt(plain, { content: choices.one([other.plain.slice(0, 2 * MIB), parts?.content ?? plain]) });
  },
  "another segment": ({ key, plain }, choices) => {
    if (!key.startsWith(DATA_PREFIX)) return undefined;
    const bytes = plain.slice();
    bytes[choices.onceIn(2) ? placeIn(bytes, choices) : bytes.length - choices.whole(1, 5000)]! ^= 255;
    return bytes;
  },
  "values of other objects": ({ key, plain }, choices) => {
    if (key === GC_KEY || key === STORE_KEY) return encoded(changedIn(linesIn(plain), choices));
    if (key !== NEXT_KEY) return isZipped(key) ? rezipped(plain, choices) : undefined;
    const end = plain.indexOf(0x0a) + 1;
    const id = Math.abs(Math.floor(choices.one(HOSTILE_NUMBERS)));
    return choices.onceIn(2)
      ? joinBytes([utf8Bytes(nameLine(key, id)), plain.subarray(end)])
      : joinBytes([plain.subarray(0, end), rezipped(plain.subarray(end), choices)]);
  },
  bombs({ key, plain }, choices) {
    const field = key.startsWith("v1/sum/") ? "groups" : "fds";
    const bomb = choices.one([
      () => new Uint8Array(200 * MIB).fill(0x20),
      () => utf8Bytes(JSON.stringify("x".repeat(60 * MIB))),
      () => encoded([{ [field]: new Array(2_000_000).fill([1, 2, 3, 4]) }]),
      () => encoded([{ [field]: "y".repeat(63 * MIB) }]),
    ]);
    if (key === NEXT_KEY) return joinBytes([plain.subarray(0, plain.indexOf(0x0a) + 1), zipped(bomb())]);
    return isZipped(key) ? zipped(bomb()) : undefined;
  },
};

function isZipped(key: string): boolean {
  return /^v1\/(ls|sum)\//.test(key);
}

/** The entries of a listing with one value changed. */
function rezipped(bytes: Uint8Array, choices: Choices): Bytes {
  return zipped(encoded(changedIn(linesIn(gunzipSync(bytes)), choices)));
}

function zipped(bytes: Uint8Array): Bytes {
  return new Uint8Array(gzipSync(bytes, { level: 1 }));
}

function partsOf(key: string, plain: Bytes) {
  if (!key.startsWith(FD_PREFIX) && !key.startsWith(OFFLINE_PREFIX)) return undefined;
  const header = decodeObjectHeader(plain);
  return typeof header === "string" ? undefined : { ...objectParts(plain, header), header };
}

function linesIn(bytes: Uint8Array): unknown[] {
  return Array.from(checkedLines(bytes), ({ value }) => value);
}

function encoded(lines: readonly unknown[]): Bytes {
  return joinBytes(lines.map((line) => encodeCheckedLine(line)));
}

/** The object with other parts, and a header that fits; undefined if it is not that of an fd. */
function rebuilt(plain: Bytes, changed: Partial<Record<"record" | "index" | "content", Uint8Array>>) {
  const parts = partsOf(FD_PREFIX, plain);
  if (parts === undefined) return undefined;
  const { header: { nonce, id, store }, record, index, content } = parts;
  return addressObject(encodeObject({ nonce, record, index, content, ...changed }), id, store);
}

/** A copy of `value` with one value in it replaced. */
function changedIn<T>(value: T, choices: Choices): T {
  const copy = structuredClone(value);
  let place: unknown = copy;
  for (;;) {
    if (typeof place !== "object" || place === null || Object.keys(place).length === 0) return copy;
    const fields: Record<string, unknown> = place as Record<string, unknown>;
    const name = choices.one(Object.keys(fields));
    const held = fields[name];
    if (typeof held === "object" && held !== null && Object.keys(held).length > 0) {
      place = held;
      continue;
    }
    fields[name] = typeof held !== "number" || choices.onceIn(4)
      ? hostileValue(choices)
      : choices.onceIn(2)
      ? held + choices.one([-1, 1, 100, 1e6])
      : choices.one(HOSTILE_NUMBERS);
    return copy;
  }
}

/** Reads all fds and lists as `host`, and judges what it is answered. */
async function readAll(
  host: SharedHost,
  isFresh: boolean,
  proxy: FaultProxy,
  contents: ReadonlyMap<string, Bytes>,
  forgeries: readonly Forgery[],
  { attempt }: Round,
): Promise<void> {
  const about = forgeries.map((each) => each.about).join("; ");
  const isListed = !forgeries.some(({ isCareful, key }) => isCareful || /^v1\/(ls|sum|next|gc)/.test(key));
  for (const [name, content] of contents) {
    const forged = forgeries.find(({ key }) => key === fdKey(Number(name.slice(3))));
    for (const slice of [["--all"], ["--lines", "4-5"]]) {
      await attempt(`read ${name} ${slice.join(" ")} (${about})`, async () => {
        const read = ["read", name, ...slice, "--fresh", "--format", "raw"];
        const { code, stdout, stderr } = await measured(host, proxy, read, MAX_READ_REQUESTS);
        // An fd that is being written has no sums yet.
        if (isFresh && forged?.isCareful === true && stderr.includes("is still live")) return;
        const wanted = slice.length === 1 ? content : linesOf(content);
        const isStart = sameBytes(stdout, wanted.subarray(0, stdout.length));
        must(isStart, () => `other bytes, ${code}: ${stderr}`);
        must(
          stdout.length === wanted.length || code !== 0 || stderr !== "",
          () => `${stdout.length} bytes without a word`,
        );
      });
    }
  }
  await attempt(`ls (${about})`, async () => {
    const list = ["ls", "--all", "--fresh", "--format", "json"];
    const { code, text } = await measured(host, proxy, list, MAX_LIST_REQUESTS);
    if (code !== 0 || !isListed) return;
    for (const { fd, bytes, state } of JSON.parse(text).fds) {
      const content = contents.get(fd);
      must(
        content === undefined || bytes === content.length || state !== "sealed",
        () => `${fd} is listed with ${bytes} bytes`,
      );
    }
  });
  await attempt(`refs (${about})`, async () => {
    const { code, text } = await measured(host, proxy, ["refs", "--format", "json"], MAX_LIST_REQUESTS);
    if (code !== 0) return;
    for (const { name, fd } of JSON.parse(text).refs ?? []) {
      must(name !== "two" || fd === "fd:2", () => `ref:${name} is ${fd}`);
    }
  });
  await attempt(`verify (${about})`, () => measured(host, proxy, ["verify", "--remote"], 1000));
}

/** Lines 4 and 5. */
function linesOf(content: Uint8Array): Uint8Array {
  return utf8Bytes(utf8Text(content.subarray(0, 500)).split(/(?<=\n)/).slice(3, 5).join(""));
}

/** Runs fdtool, and judges how it ends, its memory and its requests. */
async function measured(host: SharedHost, proxy: FaultProxy, args: readonly string[], maxRequests: number) {
  proxy.reset();
  const line = `exec ${GNU_TIME} -f %M -o peak fdtool ${args.join(" ")}`;
  const finished = await host.world.shell(line, { env: host.env });
  assertTyped(finished, args.join(" "));
  const peak = Number(host.world.text("peak").trim().split("\n").at(-1)) * 1024;
  must(peak <= MAX_READER_BYTES, () => `${(peak / MIB).toFixed(0)} MiB of memory`);
  const count = proxy.requests.length;
  must(count <= maxRequests, () => `${count} requests`);
  return finished;
}
