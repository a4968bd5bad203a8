/**
 * Damages a store: bits flipped, files cut, grown, zeroed, swapped, deleted, or replaced by links, pipes and directories;
 * foreign files. No read returns wrong bytes, no command hangs or crashes, `verify` reports the damage, and what can be
 * derived from the content is repaired.
 */

import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import {
  bindName,
  checkStore,
  findFd,
  formatFd,
  listFds,
  locateSlice,
  putBytes,
  readSlice,
  readWhole,
  type Store,
} from "../../fd/mod.ts";
import { FdError, type SliceMode } from "../../fd/system.ts";
import { model, slice as modelSlice, unitCount } from "../../tests/model.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import {
  called,
  callsIn,
  type InnerWorld,
  innerWorld,
  must,
  mustTakeMore,
  passTime,
  sameBytes,
} from "./inner_world.ts";
import type { Choices } from "./random_choices.ts";

/** The contents of fd:1 to fd:5: one block, several, many chars of several bytes, nothing, a slice of another. */
const CONTENTS: readonly Uint8Array[] = [
  new TextEncoder().encode("small\ncontent\n"),
  new TextEncoder().encode(Array.from({ length: 9000 }, (_, n) => `line ${n} of a log\n`).join("")),
  new TextEncoder().encode("漢字かな交じりの行、😀\n".repeat(3000)),
  new Uint8Array(),
  Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31 + (at >> 7)) & 0xff),
];
const MODELS = CONTENTS.map((content) => model(content, 4000));

const LINE_FEED = 0x0a;

/** Damages a file and returns a word for the damage, or undefined if this file cannot be damaged so. */
type Damage = (path: string, choices: Choices, others: readonly string[]) => string | undefined;

const DAMAGES: readonly Damage[] = [
  (path, choices) => {
    const bytes = readFileSync(path);
    if (bytes.length === 0) return undefined;
    const at = choices.whole(0, bytes.length - 1);
    bytes[at] = bytes[at]! ^ (1 << choices.whole(0, 7));
    writeFileSync(path, bytes);
    return `bit flipped in byte ${at}`;
  },
  (path, choices) => {
    const size = lstatSync(path).size;
    if (size === 0) return undefined;
    const length = choices.whole(0, size - 1);
    truncateSync(path, length);
    return `cut to ${length} bytes`;
  },
  (path, choices) => {
    const size = lstatSync(path).size;
    if (size === 0) return undefined;
    const length = choices.whole(0, size - 1);
    if (readFileSync(path).subarray(length).every((byte) => byte === 0)) return undefined;
    truncateSync(path, length);
    truncateSync(path, size);
    return `zeroes from byte ${length}`;
  },
  (path) => {
    rmSync(path);
    return "gone";
  },
  (path, choices) => {
    appendFileSync(path, choices.one(["x", "\n", "\0".repeat(5000), "00000000 {}\n"]));
    return "grown";
  },
  (path, choices, others) => {
    const other = choices.one(others);
    if (other === path || sameBytes(readFileSync(path), readFileSync(other))) return undefined;
    renameSync(path, `${path}.swap`);
    renameSync(other, path);
    renameSync(`${path}.swap`, other);
    return `swapped with ${basename(other)}`;
  },
  (path) => {
    rmSync(path);
    mkdirSync(path);
    return "a directory";
  },
  (path) => {
    renameSync(path, `${path}.away`);
    symlinkSync(`${path}.away`, path);
    return "a link";
  },
  (path) => {
    rmSync(path);
    const made = new Deno.Command("mkfifo", { args: ["-m", "600", path] }).outputSync();
    return made.success ? "a pipe" : "gone";
  },
];

/** Returns the listed ids; none if a record cannot be read, which must be reported. */
function listIds(store: Store): number[] {
  try {
    return listFds(store).map(({ id }) => id);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return [];
  }
}

function prepare(world: InnerWorld): void {
  for (const content of CONTENTS) putBytes(world.store, content, { source: "soak" });
  bindName(world.store, "two", 2);
}

/** The files that cannot be rebuilt, and the indexes, which can. Hints and caches are tried separately. */
function filesOf(store: Store): string[] {
  const shard = join(store.path, "v2", "fds", "0000");
  return [
    ...readdirSync(shard).filter((name) => /\.(dat|idx|rec)$/.test(name)).map((name) => join(shard, name)),
    join(store.path, "v2", "refs", "two"),
  ];
}

/** Reads slices of every fd, which must be right or refused. Returns the ids of those that were refused. */
function readAll(store: Store, choices: Choices, about: string): Set<string> {
  const refused = new Set<string>();
  for (const [index, m] of MODELS.entries()) {
    for (const argument of index === 1 ? ["fd:2", "ref:two"] : [formatFd(index + 1)]) {
      for (let n = 0; n < 4; n++) {
        const mode = choices.one<SliceMode>(["page", "line", "char"]);
        const total = unitCount(m, mode);
        const first = mode === "char" ? 0 : 1;
        const start = first + choices.whole(0, Math.max(0, total - 1));
        const count = choices.whole(1, mode === "char" ? 9000 : 50);
        try {
          const entry = findFd(store, argument);
          if (entry.state !== "sealed") {
            refused.add(argument);
            continue;
          }
          const found = locateSlice(store, entry, n === 0 ? { all: true } : { mode, start, count });
          const bytes = readWhole(readSlice(store, entry, found));
          const wanted = n === 0 ? { bytes: m.content } : modelSlice(m, mode, start, count);
          must(
            "bytes" in wanted && sameBytes(bytes, wanted.bytes),
            () =>
              `${about}: ${argument} gave wrong bytes for ${mode} ${start}, ${count} units (${bytes.length} bytes)`,
          );
        } catch (thrown) {
          if (!(thrown instanceof FdError)) throw thrown;
          if (total > 0) refused.add(argument);
        }
      }
    }
  }
  return refused;
}

const CALLS = [...callsIn("verify; ls; refs; gc; stat fd:2; rm fd:3"), ["search", "fd:2", "9 of"]];

async function damageOnce(choices: Choices): Promise<void> {
  using world = innerWorld();
  const { store, host } = world;
  prepare(world);
  const path = choices.one(filesOf(store));
  const how = choices.one(DAMAGES)(path, choices, filesOf(store));
  if (how === undefined) return;
  passTime(store);
  const about = `${basename(path)} ${how}`;

  const isIndex = path.endsWith(".idx");
  if (choices.onceIn(2)) readAll(store, choices, about);
  const { findings } = await checkStore(store, { repair: false });
  // An index that was read has been rebuilt by then; any other is reported.
  const isRepaired = isIndex && findings.length === 0;
  // A deleted name looks like one that was never bound.
  const isNothing = how === "gone" && /two$|4\.dat$/.test(path);
  // A record cut right after its claim looks live: its writer, this process, is running.
  const isAtWork = path.endsWith(".rec") && how.startsWith("cut") && readFileSync(path).at(-1) === LINE_FEED;
  must(findings.length > 0 || isRepaired || isNothing || isAtWork, () => `${about}: verify names nothing`);
  await checkStore(store, { repair: true });
  const refused = readAll(store, choices, about);
  if (isIndex && !how.startsWith("swapped")) {
    must(
      refused.size === 0,
      () => `${about}: ${[...refused].join()} refused, though an index can be rebuilt`,
    );
  }
  for (const words of CALLS) await called(words, host);
  const ids = new Set(listIds(store));
  const next = mustTakeMore(store, CONTENTS[0]!, about);
  must(!ids.has(next) && next >= 6, () => `${about}: the next fd is fd:${next}`);
}

const STRANGE = [
  ...("v2/next v2/fds/0000.listing v2/swept v2/fds/0000/99.dat v2/fds/0000/stranger v2/fds/0001/7.rec v2/fds/stranger " +
    "v2/stranger v2/journal/0000/1.rec v2/inquiries/0000/1.rec v2/locks/stranger v2/tmp/stranger v3/fds/0000/1.rec")
    .split(" "),
  "v2/refs/..stranger ",
];

const STRANGE_CALLS = callsIn(
  "ls; verify --no-repair; gc; refs; name fd:1 one; edit f --old old --new new; log; undo; recover; " +
    "inquiries; create asked",
);

/** Damages hints and caches and adds foreign files: no answer changes, and `verify` reports foreign files. */
async function strangeOnce(choices: Choices): Promise<void> {
  using world = innerWorld();
  const { store, host } = world;
  prepare(world);
  const inside = (name: string) => join(store.path, name);
  const strange = choices.one(STRANGE);
  const kind = choices.one(["text", "directory", "pipe", "link", "zeros"]);
  mkdirSync(join(inside(strange), ".."), { recursive: true, mode: 0o700 });
  rmSync(inside(strange), { recursive: true, force: true });
  if (kind === "text") {
    writeFileSync(inside(strange), choices.one(["", "nonsense\n", "999999999999999", "00000000 {}\n"]));
  }
  if (kind === "zeros") writeFileSync(inside(strange), new Uint8Array(9000));
  if (kind === "directory") mkdirSync(inside(strange));
  if (kind === "link") symlinkSync(world.path("victim"), inside(strange));
  if (kind === "pipe") new Deno.Command("mkfifo", { args: [inside(strange)] }).outputSync();
  writeFileSync(world.path("f"), "old\n");
  const about = `${strange} is a ${kind}`;
  must(readAll(store, choices, about).size === 0, () => `${about}: a read was refused`);
  for (const words of STRANGE_CALLS) await called(words, host);
  must(!existsSync(world.path("victim")), () => `${about}: something was written through the link`);
  const isForeign = /stranger|99\.dat|v3/.test(strange);
  const { outcome } = await called(["verify"], host);
  if (isForeign && !strange.includes("/tmp/") && !strange.includes("/locks/")) {
    const reported = JSON.stringify(outcome?.answer);
    must(
      reported.includes(strange.split("/")[strange.startsWith("v3") ? 0 : 2] ?? strange) ||
        reported.includes(basename(strange)),
      () => `${about}: verify does not name it: ${reported}`,
    );
  }
  mustTakeMore(store, CONTENTS[0]!, about);
}

export const damage: FaultClass = {
  name: "damage",
  what: "bits flipped, files cut, swapped, gone, replaced or foreign: named by verify, never read as right",
  round: trying(15, damageOnce, strangeOnce),
};
