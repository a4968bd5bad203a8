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
import type { ObjectStore } from "../../fd/remote/object_store.ts";
import { openObjectStore } from "../../fd/remote/open_object_store.ts";
import { openSharedObjects } from "../../fd/shared/encrypted_store.ts";
import { ownedObject, smallObject } from "../../fd/shared/fd_object.ts";
import { FD_PREFIX, fdKey, nameKey, OFFLINE_PREFIX, STORE_KEY } from "../../fd/shared/shared_keys.ts";
import { readSharedStore } from "../../fd/shared/store_object.ts";
import { nameLine } from "../../fd/store/bind_name.ts";
import { encodeCheckedLine, readCheckedLines } from "../../fd/store/checked_log.ts";
import { isMissing, startVersitygw, VERSITYGW } from "../../tests/remote/object_servers.ts";
import { type FaultProxy, startFaultProxy } from "../../tests/remote/fault_proxy.ts";
import { hostOf, manyLines, type SharedHost } from "../../tests/remote/shared_world.ts";
import { labelledContent, sampleUpload } from "../fleet/sample_upload.ts";
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
  /** Whether nothing is wrong with it, so that only a host that has seen the fd can know. */
  isWhole?: boolean;
}

const forgedBy = new Map<string, number>();
const forgedCount = { plain: 0, encrypted: 0 };
let mostMemory = 0;
let mostRequests = 0;

export const sharedForged: FaultClass = {
  name: "shared-forged",
  what:
    "objects of a shared store, plain and encrypted, are changed, swapped, restored, cut and blown up: each host reads what was " +
    "written or a typed failure, in at most 128 MiB and few requests",
  wanted: 2000,
  unable: () =>
    noBinary() ?? (isMissing(VERSITYGW) ? "no versitygw: scripts/object-servers" : undefined) ??
      (existsSync(GNU_TIME) ? undefined : "no GNU time"),
  tally: () =>
    [
      `${forgedCount.plain} forgeries plain, ${forgedCount.encrypted} encrypted`,
      ...[...forgedBy].map(([how, count]) => `${count} ${how}`),
      `at most ${(mostMemory / MIB).toFixed(0)} MiB and ${mostRequests} requests`,
    ].join(", "),
  async round(round) {
    await using server = await startVersitygw();
    await using proxy = startFaultProxy(server);
    const env = round.seed % 2 === 0 ? {} : KEY;
    using writer = hostOf(server, proxy, PREFIX, env);
    const address = parseStoreUrl(writer.env["FDTOOL_STORE"]!, "--store");
    const raw = openObjectStore(address, { env: server.env });
    const inner = openSharedObjects(address, { env: { ...server.env, ...env } });
    const { contents, older } = await fill(writer, proxy, raw, inner, round.choices);
    const targets = await targetsIn(raw, inner, older);
    for (let batch = 0; batch < 4; batch++) {
      const forgeries = await forge(raw, inner, targets, round);
      using fresh = hostOf(server, proxy, PREFIX, env);
      await readAll(fresh, true, proxy, contents, forgeries, round);
      await readAll(writer, false, proxy, contents, forgeries, round);
      await restore(raw, forgeries, targets);
    }
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
  for (let id = REMOVED_ID + 1; id <= REMOVED_ID + SMALL_FDS; id++) {
    const content = labelledContent(`small ${id}`, 300);
    const source = sampleUpload(content);
    const parts = { nonce: nonceOf(choices), record: source.record(), index: source.index() };
    await inner.put(fdKey(id), ownedObject(inner, id, smallObject(parts, content)));
  }
  await writer.run(["gc"]);
  await keep("v1/gc");
  await writer.run(["gc"]);
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
    const how = choices.one(choices.onceIn(2) && !isName ? CAREFUL : CARELESS);
    const forged = how.forge(target, choices, targets);
    if (forged === undefined || forgeries.has(target.key) || sameBytes(forged, target.sealed)) continue;
    const isCareful = CAREFUL.includes(how);
    if (isCareful && sameBytes(forged, target.plain)) continue;
    await (isCareful ? inner : raw).put(target.key, forged);
    const isWhole = how === ANOTHER_TEXT;
    forgeries.set(target.key, { key: target.key, about: `${how.name} (${target.key})`, isCareful, isWhole });
    forgedBy.set(how.name, (forgedBy.get(how.name) ?? 0) + 1);
  }
  if (choices.onceIn(2)) {
    const key = choices.one(HOSTILE_KEYS);
    await raw.put(key, choices.one(targets).sealed);
    forgeries.set(key, { key, about: `an object at ${key}`, isCareful: true });
  }
  forgedCount[inner.keys === undefined ? "plain" : "encrypted"] += forgeries.size;
  return [...forgeries.values()];
}

async function restore(raw: ObjectStore, forgeries: readonly Forgery[], targets: readonly Target[]) {
  for (const { key } of forgeries) {
    const target = targets.find((each) => each.key === key);
    await (target === undefined ? raw.remove(key) : raw.put(key, target.sealed));
  }
}

const HOSTILE_KEYS = [
  `${FD_PREFIX}000000009999`,
  `${FD_PREFIX}000012345678`,
  `${FD_PREFIX}070368744177663`,
  `${FD_PREFIX}999999999999`,
  `${FD_PREFIX}abc`,
  `${OFFLINE_PREFIX}000070368744177665`,
  `${OFFLINE_PREFIX}999999999999999`,
  "v1/ref/..x",
  `v1/ref/${"n".repeat(200)}`,
  "v1/ref/00112233",
  "v1/ls/999999999",
  "v1/data/zz/zz",
];

interface Method {
  name: string;
  /** Returns the object instead of the target's; undefined if it does not fit. */
  forge(target: Target, choices: Choices, targets: readonly Target[]): Bytes | undefined;
}

/** Changes by who may write to the bucket. */
const CARELESS: readonly Method[] = [
  {
    name: "bits",
    forge: ({ sealed }, choices) => {
      const bytes = sealed.slice();
      for (let left = choices.whole(1, 3); left > 0 && bytes.length > 0; left--) {
        bytes[placeIn(bytes, choices)]! ^= 1 << choices.whole(0, 7);
      }
      return bytes;
    },
  },
  { name: "cut", forge: ({ sealed }, choices) => sealed.slice(0, placeIn(sealed, choices)) },
  {
    name: "grown",
    forge: ({ sealed }, choices) =>
      joinBytes([
        sealed,
        choices.one([sealed, utf8Bytes("\n"), utf8Bytes("00000000 {}\n"), new Uint8Array(5000)]),
      ]),
  },
  {
    name: "zeros",
    forge: ({ sealed }, choices) => {
      const bytes = sealed.slice();
      return bytes.fill(0, placeIn(bytes, choices));
    },
  },
  {
    name: "another object",
    forge: (target, choices, targets) => {
      const folder = target.key.slice(0, 6);
      const same = targets.filter(({ key }) => key !== target.key && key.startsWith(folder));
      return choices.one(same.length > 0 && !choices.onceIn(4) ? same : targets).sealed;
    },
  },
  {
    name: "a part of another",
    forge: ({ sealed }, choices, targets) => {
      const other = choices.one(targets).sealed;
      const at = choices.onceIn(2) ? placeIn(sealed, choices) : 0;
      return joinBytes([sealed.subarray(0, at), other.subarray(at)]);
    },
  },
  {
    name: "frames moved",
    forge: ({ sealed }, choices) => {
      const count = Math.floor(sealed.length / FRAME_BYTES);
      if (count < 2) return undefined;
      const frames = Array.from(
        { length: count },
        (_, frame) => sealed.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES),
      );
      const [from, to] = [choices.whole(0, count - 1), choices.whole(0, count - 1)];
      const frame = frames[from]!;
      switch (choices.whole(0, 2)) {
        case 0:
          frames[from] = frames[to]!;
          frames[to] = frame;
          break;
        case 1:
          frames[to] = frame;
          break;
        default:
          frames.splice(from, 1);
      }
      return joinBytes([...frames, sealed.subarray(count * FRAME_BYTES)]);
    },
  },
  { name: "an older version", forge: ({ older }) => older },
  { name: "emptied", forge: () => new Uint8Array() },
  {
    name: "much larger",
    forge: ({ sealed }, choices) =>
      choices.onceIn(4) ? joinBytes([sealed, new Uint8Array(choices.one([20, 70]) * MIB)]) : undefined,
  },
];

function placeIn(bytes: Uint8Array, choices: Choices): number {
  // Headers and records are small, and at the start.
  const end = choices.onceIn(2) ? Math.min(bytes.length, 600) : bytes.length;
  return choices.whole(0, Math.max(0, end - 1));
}

/** Another fd in place of the first, with nothing wrong in it. */
const ANOTHER_TEXT: Method = {
  name: "another text",
  forge({ key, plain }, choices) {
    const parts = partsOf(key, plain);
    if (parts?.header.id !== 1) return undefined;
    const source = sampleUpload(labelledContent("another text", choices.whole(20, 40_000)));
    return rebuilt(plain, {
      record: source.record(),
      index: source.index(),
      content: source.read(0, source.byteCount()),
    });
  },
};

/** Changes by who has the key, if there is one. Every sum is made right but those of the content. */
const CAREFUL: readonly Method[] = [
  ANOTHER_TEXT,
  {
    name: "numbers of a header",
    forge: ({ key, plain }, choices) => {
      if (partsOf(key, plain) === undefined) return undefined;
      const bytes = plain.slice();
      const view = new DataView(bytes.buffer);
      const at = choices.one([16, 24, 32]);
      const value = choices.onceIn(2)
        ? view.getUint32(at, true) + choices.one([-1, 1, 128, MIB])
        : choices.one(
          HOSTILE_NUMBERS,
        );
      view.setUint32(at, value, true);
      view.setUint16(at + 4, Math.floor(value / 2 ** 32), true);
      return resummed(bytes);
    },
  },
  {
    name: "values of lines",
    forge: ({ key, plain }, choices) => {
      const parts = partsOf(key, plain);
      const lines = parts && linesIn(parts.record);
      return lines && rebuilt(plain, { record: encoded(changedIn(lines, choices)) });
    },
  },
  {
    name: "lines moved",
    forge: ({ key, plain }, choices, targets) => {
      const parts = partsOf(key, plain);
      if (parts === undefined) return undefined;
      const lines = linesIn(parts.record);
      const other = choices.one(targets);
      const others = linesIn(partsOf(other.key, other.plain)?.record ?? new Uint8Array());
      const at = choices.whole(0, lines.length - 1);
      lines.splice(at, choices.whole(0, 1), ...choices.onceIn(2) ? others : []);
      return lines.length === 0 ? undefined : rebuilt(plain, { record: encoded(lines) });
    },
  },
  {
    name: "long records",
    forge: ({ key, plain }, choices) => {
      const parts = partsOf(key, plain);
      if (parts === undefined || !choices.onceIn(4)) return undefined;
      const keep = { event: "keep", nonce: "n".repeat(choices.one([3, 5, 17]) * MIB) };
      const short = encoded(Array.from({ length: 100_000 }, () => ({ event: "keep", nonce: "n" })));
      const more = choices.onceIn(2) ? encoded([keep]) : short;
      return choices.onceIn(2)
        ? rebuilt(plain, { record: joinBytes([parts.record, more]) })
        : joinBytes([plain, more]);
    },
  },
  {
    name: "another index",
    forge: ({ key, plain }, choices) => {
      const index = partsOf(key, plain)?.index;
      if (index === undefined) return undefined;
      const size = choices.onceIn(2) ? index.length : choices.one([0, 1, 4096, 40 * MIB]);
      return rebuilt(plain, {
        index: new Uint8Array(size).fill(choices.whole(0, 255)),
      });
    },
  },
  {
    name: "other content",
    forge: ({ key, plain }, choices, targets) => {
      if (partsOf(key, plain) === undefined) return undefined;
      const other = choices.one(targets);
      const content = choices.one([
        other.plain.slice(0, 2 * MIB),
        partsOf(other.key, other.plain)?.content ?? new Uint8Array(5),
      ]);
      return rebuilt(plain, { content });
    },
  },
  {
    name: "another segment",
    forge: ({ key, plain }, choices) => {
      if (!key.startsWith("v1/data/")) return undefined;
      const bytes = plain.slice();
      bytes[choices.onceIn(2) ? placeIn(bytes, choices) : bytes.length - choices.whole(1, 5000)]! ^= 255;
      return bytes;
    },
  },
  {
    name: "values of other objects",
    forge: ({ key, plain }, choices) => {
      const isZipped = /^v1\/(ls|sum)\//.test(key);
      if (key === "v1/next") {
        return utf8Bytes(nameLine(key, Math.abs(Math.floor(choices.one(HOSTILE_NUMBERS)))));
      }
      if (!isZipped && key !== "v1/gc" && key !== STORE_KEY) return undefined;
      const lines = linesIn(isZipped ? gunzipSync(plain) : plain);
      return zipped(encoded(changedIn(lines, choices)), isZipped);
    },
  },
  {
    name: "bombs",
    forge: ({ key }, choices) => {
      if (!/^v1\/(ls|sum)\//.test(key)) return undefined;
      const field = key.startsWith("v1/ls/") ? "fds" : "groups";
      const row = () => [1, 2, 3, 4];
      return zipped(
        choices.one([
          () => new Uint8Array(200 * MIB).fill(0x20),
          () => utf8Bytes(JSON.stringify("x".repeat(60 * MIB))),
          () => encoded([{ [field]: Array.from({ length: 2_000_000 }, row) }]),
          () => encoded([{ [field]: "y".repeat(63 * MIB) }]),
        ])(),
        true,
      );
    },
  },
];

function partsOf(key: string, plain: Bytes) {
  if (!key.startsWith(FD_PREFIX) && !key.startsWith(OFFLINE_PREFIX)) return undefined;
  const header = decodeObjectHeader(plain);
  return typeof header === "string" ? undefined : { ...objectParts(plain, header), header };
}

function linesIn(bytes: Uint8Array): unknown[] {
  const lines: unknown[] = [];
  readCheckedLines(bytes, (value) => lines.push(value));
  return lines;
}

function encoded(lines: readonly unknown[]): Bytes {
  return joinBytes(lines.map((line) => encodeCheckedLine(line)));
}

function zipped(bytes: Uint8Array, isZipped: boolean): Bytes {
  return new Uint8Array(isZipped ? gzipSync(bytes, { level: 1 }) : bytes);
}

/** The object with other parts, and a header that fits. */
function rebuilt(
  plain: Bytes,
  parts: { record?: Uint8Array; index?: Uint8Array; content?: Uint8Array },
): Bytes {
  const { header, record, index, content } = partsOf(FD_PREFIX, plain)!;
  return addressObject(
    encodeObject({ nonce: header.nonce, record, index, content, ...parts }),
    header.id,
    header.store,
  );
}

function resummed(bytes: Bytes): Bytes {
  const view = new DataView(bytes.buffer);
  const id = view.getUint32(56, true) + view.getUint16(60, true) * 2 ** 32;
  return addressObject(bytes, id, bytes.slice(64, 76));
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
    if (isFresh && forged?.isWhole === true) continue;
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
  [mostMemory, mostRequests] = [Math.max(mostMemory, peak), Math.max(mostRequests, count)];
  return finished;
}
