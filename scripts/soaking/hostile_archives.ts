/**
 * Damaged and malicious archives: bytes flipped, members cut, swapped, renamed to paths outside or turned into links and
 * devices, impossible sizes, and invalid manifests with valid sums. An import stores exactly what was exported, or fails
 * with a typed failure and changes nothing.
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { exportFds, listFds, putBytes, readWhole } from "../../fd/mod.ts";
import { MANIFEST_NAME, SUMS_NAME } from "../../fd/archive/archive_manifest.ts";
import { TAR_BLOCK_BYTES, TAR_END, tarHeader, tarPadding } from "../../fd/archive/tar_header.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { HOSTILE_NUMBERS, hostileValue, hostileWord } from "./hostile_words.ts";
import {
  assertValidStore,
  called,
  contentOr,
  type InnerWorld,
  innerWorld,
  must,
  seen,
} from "./inner_world.ts";
import { type Choices, weighted } from "./random_choices.ts";

const CONTENTS: readonly Buffer[] = [
  Buffer.from("one\ntwo\n"),
  Buffer.alloc(0),
  Buffer.alloc(40_000, "a line of a log\n"),
  Buffer.from([0xff, 0x0a, 0xe6, 0xbc, 0x00, 0xc0]),
];

async function goodArchive(): Promise<Buffer> {
  using world = innerWorld();
  const { store } = world;
  putBytes(store, CONTENTS[0]!, { source: "soak", names: ["two", "b"] });
  putBytes(store, CONTENTS[1]!, { source: "soak" });
  putBytes(store, CONTENTS[2]!, { source: "soak", command: ["make", "-j4"], cwd: "/work", pageSize: 40 });
  putBytes(store, CONTENTS[3]!, { source: "soak" });
  return Buffer.from(readWhole(await exportFds(store, listFds(store), 1_700_000_000_000)));
}

interface Member {
  header: Buffer;
  content: Buffer;
}

function membersOf(archive: Buffer): Member[] {
  const members: Member[] = [];
  for (let at = 0; archive[at] !== 0;) {
    const header = archive.subarray(at, at + TAR_BLOCK_BYTES);
    const byteCount = parseInt(header.toString("latin1", 124, 135), 8);
    const contentAt = at + TAR_BLOCK_BYTES;
    members.push({ header, content: archive.subarray(contentAt, contentAt + byteCount) });
    at = contentAt + byteCount + tarPadding(byteCount);
  }
  return members;
}

function archiveOf(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(({ header, content }) => [
    header,
    content,
    Buffer.alloc(tarPadding(content.length)),
  ]);
  return Buffer.concat([...blocks, TAR_END]);
}

/** Returns the header with a valid checksum. */
function withChecksum(header: Buffer): Buffer {
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

const NAMES = "../../x /tmp/x fdtool-export/fd/../../../x fdtool-export".split(" ");
/** Links, devices, directories, pipes, and the records of other kinds of tar. */
const KINDS = [..."\u00001234567xgLKS"];
const SIZES = ["77777777777\0", "00000000000\0", "-0000000001\0", `\u0080${"\0".repeat(10)}\u0001`, ""];

/** A copy of a member with another name, kind, size or link target. */
function disguised({ header, content }: Member, choices: Choices): Member {
  const changed = Buffer.from(header);
  const field = (at: number, length: number, text: string) => {
    changed.fill(0, at, at + length);
    changed.write(text, at, length, "utf8");
  };
  const word = hostileWord(choices);
  choices.one([
    () => field(0, 100, choices.one([...NAMES, word])),
    () => {
      field(156, 1, choices.one(KINDS));
      field(157, 100, choices.one(["/etc/passwd", "../..", "../v2/next", word]));
    },
    () => field(124, 12, choices.one(SIZES)),
    () => field(345, 155, choices.one(["..", "/", "../../../x", word])),
    () => field(choices.one([100, 108, 116, 136, 257, 265, 297, 329]), 7, word),
  ])();
  return { header: choices.onceIn(4) ? changed : withChecksum(changed), content };
}

const NUMBERS = [...HOSTILE_NUMBERS, 8.64e15, 1e309];

/** The members with the manifest changed and everything that is said of it made right again: malice can do that. */
function forged(members: readonly Member[], choices: Choices): Member[] {
  const manifest = JSON.parse(members[1]!.content.toString());
  for (let n = choices.onceIn(4) ? 2 : 1; n > 0; n--) {
    const changed = choices.onceIn(4) ? manifest : choices.one(manifest.fds as Record<string, unknown>[]);
    if (changed === undefined) break;
    const known = ["command", "cwd", "parent", "gap", "exit_code", "signal", "duration_ms", "surprise"];
    const key = choices.onceIn(3) ? choices.one(known) : choices.one(Object.keys(changed));
    const number = choices.one(NUMBERS);
    if (choices.onceIn(12)) delete changed[key];
    else if (choices.onceIn(8)) changed[key] = hostileValue(choices);
    else if (key === "parent") {
      changed[key] = { id: choices.whole(0, 5), mode: "line", start: number, count: choices.one(NUMBERS) };
    } else if (key === "gap") changed[key] = { at_byte: number, dropped_bytes: choices.one(NUMBERS) };
    else if (key === "names") changed[key] = [choices.one(["b", "two", hostileWord(choices)])];
    else if (key === "source" || key === "cwd" || key === "signal") changed[key] = hostileWord(choices);
    else if (key === "command") changed[key] = [hostileWord(choices), hostileWord(choices)];
    else changed[key] = number;
    if (!Array.isArray(manifest.fds) || manifest.fds.some((fd: unknown) => Object(fd) !== fd)) break;
  }
  const json = choices.onceIn(12)
    ? choices.one(["[".repeat(100_000), "", "{", "null", JSON.stringify(hostileValue(choices))])
    : JSON.stringify(manifest);
  const text = Buffer.from(`${json}\n`);
  const fds: unknown = manifest.fds;
  const lines = Array.isArray(fds) ? fds.map((fd) => `${spelled(fd?.sha256)}  fd/${spelled(fd?.id)}\n`) : [];
  const sums = Buffer.from(
    `${createHash("sha256").update(text).digest("hex")}  manifest.json\n${lines.join("")}`,
  );
  const mtimeSeconds = secondsOf(manifest.exported);
  const rest = members.slice(2).map((member, at) => {
    const fd = Array.isArray(fds) ? fds[at] : undefined;
    const name = `fdtool-export/fd/${spelled(fd?.id)}`;
    if (name.length > 99 || choices.onceIn(10)) return member;
    const byteCount = member.content.length;
    return { ...member, header: tarHeader({ name, byteCount, mtimeSeconds: secondsOf(fd?.created) }) };
  });
  return [
    { header: tarHeader({ name: SUMS_NAME, byteCount: sums.length, mtimeSeconds }), content: sums },
    { header: tarHeader({ name: MANIFEST_NAME, byteCount: text.length, mtimeSeconds }), content: text },
    ...rest,
  ];
}

/** A value as a path or a list of sums would have it; some values have no text. */
function spelled(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "x";
}

/** A member's time for a moment that the manifest gives, whatever that is. */
function secondsOf(moment: unknown): number {
  const seconds = typeof moment === "number" ? Math.floor(moment / 1000) : 0;
  return seconds >= 0 ? Math.min(seconds, 8 ** 11 - 1) : 0;
}

function damaged(archive: Buffer, choices: Choices): Buffer {
  const members = membersOf(archive);
  const bytes = Buffer.from(archive);
  const some = () => choices.whole(0, members.length - 1);
  const from = choices.whole(0, bytes.length - 1);
  const upTo = Math.min(bytes.length, from + choices.whole(1, 2000));
  const without = () => Buffer.concat([bytes.subarray(0, from), bytes.subarray(upTo)]);
  const spliced = (put: readonly Member[], at = some()) =>
    archiveOf(members.toSpliced(at, choices.onceIn(2) ? 1 : 0, ...put));
  return choices.one(weighted<() => Buffer>(
    // Half of the flips are in the headers and the manifest, which are small and matter most.
    [2, () => {
      for (let n = choices.whole(1, 3); n > 0; n--) {
        bytes[choices.whole(0, choices.onceIn(2) ? 3000 : bytes.length - 1)]! ^= choices.whole(1, 255);
      }
      return bytes;
    }],
    [1, () => bytes.subarray(0, from)],
    [1, () => Buffer.concat([bytes, choices.onceIn(2) ? bytes : Buffer.alloc(choices.whole(1, 2000))])],
    [1, () => choices.onceIn(2) ? bytes.fill(choices.whole(0, 255), from, upTo) : without()],
    [1, () => {
      const [one, other] = [some(), some()];
      return archiveOf(members.with(one, members[other]!).with(other, members[one]!));
    }],
    [1, () => spliced(choices.onceIn(2) ? [members[some()]!] : [])],
    [1, () => {
      const at = some();
      return spliced([disguised(members[at]!, choices)], at);
    }],
    [5, () => archiveOf(forged(members, choices))],
  ))();
}

/** The files of the store, except those that reading creates. */
const heldBy = (world: InnerWorld) => JSON.stringify({ ...seen(world.store.path), ...seen(world.files) });

async function importOnce(world: InnerWorld, good: Buffer, choices: Choices): Promise<void> {
  const archive = damaged(good, choices);
  writeFileSync(world.path("a.tar"), archive);
  const before = heldBy(world);
  const known = new Set(listFds(world.store).map(({ id }) => id));
  const { outcome } = await called(["import", "a.tar"], world.host);
  if (outcome === undefined) {
    must(heldBy(world) === before, () => `an import that was refused changed the store`);
    return;
  }
  const fresh = listFds(world.store).filter(({ id }) => !known.has(id));
  for (const entry of fresh) {
    const { id, state, source } = entry;
    const held = contentOr(world.store, id);
    must(typeof held !== "string", () => `fd:${id} was taken in and cannot be read: ${held}`);
    const { parent, gap, byteCount } = entry;
    must(parent === undefined || parent.id < id, () => `fd:${id} was taken from fd:${parent?.id}`);
    must(gap === undefined || gap.atByte <= byteCount, () => `fd:${id} has a hole behind its end`);
    must(state !== "live" && source !== "unknown", () => `fd:${id} was taken in without its record`);
    must(CONTENTS.some((content) => content.equals(held.bytes)), () => `fd:${id} holds what nobody exported`);
  }
  for (const words of [["ls"], ["refs"], ...fresh.map(({ id }) => ["stat", `fd:${id}`])]) {
    const { failed } = await called(words, world.host);
    must(failed === undefined, () => `${words.join(" ")} after an import that was taken: ${failed}`);
  }
  await assertValidStore(world.store, "after an import that was taken");
  // Imported fds can be exported again.
  const ids = fresh.map(({ id }) => `fd:${id}`);
  if (ids.length === 0) return;
  const further = await called(["export", ...ids, "--output", `on-${ids[0]!.slice(3)}.tar`], world.host);
  must(further.failed === undefined, () => `what was taken in cannot be exported: ${further.failed}`);
}

export const hostileArchives: FaultClass = {
  name: "archives",
  what:
    "archives damaged, or made to harm (.., links, devices, huge sizes, forged manifests): all of it or none",
  async round({ choices, attempt }: Round) {
    const good = await goodArchive();
    for (let n = 0; n < 10; n++) {
      using world = innerWorld();
      putBytes(world.store, Buffer.from("here before\n"), { source: "soak", names: ["two"] });
      await called(["ls"], world.host);
      for (let each = 0; each < 25; each++) await attempt("", () => importOnce(world, good, choices));
    }
  },
};
