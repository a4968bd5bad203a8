import { assert, assertEquals, assertThrows } from "@std/assert";
import process from "node:process";
import fc from "fast-check";
import { dieAtCall } from "../../tests/dying_disk.ts";
import { withFailingCall } from "../../tests/failing_disk.ts";
import { type TemporaryStore, temporaryStore } from "../../tests/temporary_store.ts";
import { exportFds } from "../archive/export_fds.ts";
import { disk } from "../disk/disk.ts";
import { FdError, systemCode } from "../disk/errors.ts";
import { forkStore } from "../forks/fork_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { findFd } from "../records/find_fd.ts";
import { listFds } from "../records/list_fds.ts";
import { searchFd } from "../search/search_fd.ts";
import { digestFd, sha256Of } from "../slices/digest_fd.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { sliceText } from "../library/read.ts";
import type { Store } from "../store/open_store.ts";
import { sharedPacksPath } from "../store/further_paths.ts";
import { contentPath, indexPath, packPath, recordPath, shardPath } from "../store/store_paths.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { collectGarbage } from "../upkeep/collect_garbage.ts";
import { frameCountOf, seekTableLength } from "../packs/seek_table.ts";
import { removeFd } from "../upkeep/remove_fd.ts";
import { packFds, type PackReport } from "./pack_store.ts";
import { plainFile } from "./plain_file.ts";

const LINES = new TextEncoder().encode(
  Array.from({ length: 12_000 }, (_, n) => `line ${n + 1} of a log, with é and ${n * 7919 % 1000}\n`).join(
    "",
  ),
);
const SMALL = LINES.subarray(0, 40_000);
const NOISE = new Uint8Array(400_000);
for (let at = 0, state = 1; at < NOISE.length; at++) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  NOISE[at] = state;
}

const pack = (store: Store): Promise<PackReport> => packFds(store, listFds(store), { nowMs: Date.now() });
const contentOf = (store: Store, entry: FdEntry): Uint8Array =>
  readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
const exists = (path: string): boolean => disk.lstat(path, { throwIfNoEntry: false }) !== undefined;
const formsOf = ({ path }: Store, id: number): string =>
  [exists(contentPath(path, id)) ? "plain" : "", exists(packPath(path, id)) ? "packed" : ""].join("");

async function packedWorld(bytes: Uint8Array = LINES): Promise<TemporaryStore> {
  const world = temporaryStore();
  putBytes(world.store, bytes, { source: "test" });
  assertEquals((await pack(world.store)).packedCount, 1);
  assertEquals(formsOf(world.store, 1), "packed");
  return world;
}

/** Changes one byte of fd:1's packed file. */
function damage(store: Store, at: (size: number) => number): void {
  const bytes = Deno.readFileSync(packPath(store.path, 1));
  bytes[at(bytes.length)]! ^= 0x10;
  Deno.writeFileSync(packPath(store.path, 1), bytes);
}

Deno.test("packed content is read, searched, summed and exported as plain content is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 32_769, max: LINES.length }),
      fc.array(fc.tuple(fc.nat({ max: 12_500 }), fc.integer({ min: 1, max: 9000 })), { maxLength: 6 }),
      async (byteCount, slices) => {
        using world = temporaryStore();
        const { store } = world;
        const entry = putBytes(store, LINES.subarray(0, byteCount), { source: "test" });
        const seen = async () => ({
          bytes: contentOf(store, entry),
          slices: slices.map(([start, count]) => {
            try {
              return sliceText(store, entry, { mode: "line", start, count });
            } catch (thrown) {
              return (thrown as FdError).failure;
            }
          }),
          hits: await searchFd(store, entry, { pattern: "7919|\\b11[0-9]*3 of", keep: 100 }),
          sha256: await digestFd(store, entry),
          archive: await sha256Of((await exportFds(store, listFds(store), 0)).chunks()),
        });
        const plain = await seen();
        assertEquals((await pack(store)).packedCount, 1);
        assertEquals(formsOf(store, 1), "packed");
        assertEquals(await seen(), plain);
        assertEquals((await checkStore(store, { repair: false })).findings, []);
      },
    ),
    { numRuns: 12 },
  );
});

Deno.test("packed content without an index is read, and the index rebuilt", async () => {
  using world = await packedWorld();
  Deno.removeSync(indexPath(world.store.path, 1));
  assertEquals(contentOf(world.store, findFd(world.store, "1")), LINES);
  assert(exists(indexPath(world.store.path, 1)));
});

Deno.test("packed content whose seal is lost keeps its bytes", async () => {
  using world = await packedWorld();
  const path = recordPath(world.store.path, 1);
  const claim = Deno.readTextFileSync(path).split("\n")[0]!.replace(/"pid":\d+/, '"pid":4194304');
  Deno.writeTextFileSync(path, `${claim}\n`);
  assertEquals(contentOf(world.store, findFd(world.store, "1")), LINES);
});

Deno.test("the same content is kept once, until the last fd that has it is removed", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LINES, { source: "test" });
  const { bytesBefore, bytesAfter } = await pack(store);
  const { size, nlink } = disk.stat(packPath(store.path, 1));
  assertEquals([bytesBefore, bytesAfter, nlink], [3 * LINES.length, size, 4]);
  await removeFd(store, findFd(store, "1"), "test");
  await removeFd(store, findFd(store, "3"), "test");
  assertEquals(contentOf(store, findFd(store, "2")), LINES);
  await removeFd(store, findFd(store, "2"), "test");
  const left = [...Deno.readDirSync(sharedPacksPath(store.path))].flatMap(({ name }) => [
    ...Deno.readDirSync(`${sharedPacksPath(store.path)}/${name}`),
  ]);
  assertEquals(left, []);
});

Deno.test("the index of the same content is kept once for each page size, if it is undamaged", async () => {
  using world = temporaryStore();
  const { store } = world;
  const put = (pageSize: number) => putBytes(store, LINES, { source: "test", pageSize });
  for (const pageSize of [4000, 4000, 500]) put(pageSize);
  await pack(store);
  const inodeOf = (id: number) => disk.stat(indexPath(store.path, id)).ino;
  assertEquals(inodeOf(1), inodeOf(2));
  assert(inodeOf(3) !== inodeOf(1));
  // Damage to the shared file stays with those that have it.
  const bytes = Deno.readFileSync(indexPath(store.path, 1));
  bytes[40]! ^= 1;
  Deno.writeFileSync(indexPath(store.path, 1), bytes);
  put(4000);
  await pack(store);
  assert(inodeOf(4) !== inodeOf(1));
  put(4000);
  await pack(store);
  assertEquals(inodeOf(5), inodeOf(4));
  for (const entry of listFds(store)) assertEquals(contentOf(store, entry), LINES);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
  for (const entry of listFds(store)) await removeFd(store, entry, "test");
  const left = [...Deno.readDirSync(sharedPacksPath(store.path))].flatMap(({ name }) => [
    ...Deno.readDirSync(`${sharedPacksPath(store.path)}/${name}`),
  ]);
  assertEquals(left, []);
});

Deno.test("damaged packed content is not shared", async () => {
  using world = await packedWorld();
  const { store } = world;
  damage(store, (size) => size >> 1);
  putBytes(store, LINES, { source: "test" });
  assertEquals((await pack(store)).packedCount, 1);
  assertEquals(contentOf(store, findFd(store, "2")), LINES);
});

Deno.test("content that does not shrink stays plain and is tried once", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, NOISE, { source: "test" });
  assertEquals((await pack(store)).packedCount, 0);
  const before = Deno.readTextFileSync(recordPath(store.path, 1));
  assertEquals(before.includes('"dense"'), true);
  assertEquals((await pack(store)).packedCount, 0);
  assertEquals(Deno.readTextFileSync(recordPath(store.path, 1)), before);
  assertEquals(formsOf(store, 1), "plain");
  assertEquals((await checkStore(store, { repair: false })).findings, []);
});

Deno.test("a damaged frame loses its own lines only, and read and verify name them", async () => {
  using world = await packedWorld();
  const { store } = world;
  damage(store, (size) => size >> 1);
  const entry = findFd(store, "1");
  const { failure } = assertThrows(() => contentOf(store, entry), FdError);
  const what = failure.kind === "store_corrupt" ? failure.what : "";
  const [, first, last] = /\(lines (\d+) to (\d+)\) are damaged/.exec(what) ?? [];
  assert(Number(first) > 1 && Number(last) < entry.lineCount, what);
  const before = sliceText(store, entry, { mode: "line", start: 1, count: Number(first) - 1 });
  const after = sliceText(store, entry, { mode: "line", start: Number(last) + 1, count: 20_000 });
  const all = new TextDecoder().decode(LINES).split(/(?<=\n)/);
  assertEquals([before, after], [all.slice(0, Number(first) - 1).join(""), all.slice(Number(last)).join("")]);
  const { findings } = await checkStore(store, { repair: false });
  assertEquals(findings.map(({ problem, detail }) => [problem, detail]), [["content_damaged", what]]);
});

Deno.test("a damaged seek table loses nothing", async () => {
  using world = await packedWorld();
  for (const fromEnd of [1, 9, 14, 20]) {
    damage(world.store, (size) => size - fromEnd);
    assertEquals(contentOf(world.store, findFd(world.store, "1")), LINES);
  }
});

Deno.test("verify reports any damage to a seek table, bytes missing at its end, and bytes after it", async () => {
  using world = await packedWorld();
  const { store } = world;
  const path = packPath(store.path, 1);
  const right = Deno.readFileSync(path);
  const problemsWith = async (bytes: Uint8Array) => {
    Deno.writeFileSync(path, bytes);
    assertEquals(contentOf(store, findFd(store, "1")), LINES);
    return (await checkStore(store, { repair: false })).findings.map(({ problem }) => problem);
  };
  assertEquals(await problemsWith(right), []);
  const wanted = ["seek_table_damaged"];
  for (let fromEnd = 1; fromEnd <= seekTableLength(frameCountOf(LINES.length)); fromEnd += 3) {
    const flipped = right.slice();
    flipped[right.length - fromEnd]! ^= 0x10;
    assertEquals(await problemsWith(flipped), wanted, `a flip ${fromEnd} bytes before the end`);
    assertEquals(await problemsWith(right.slice(0, -fromEnd)), wanted, `${fromEnd} bytes missing`);
  }
  assertEquals(await problemsWith(new Uint8Array([...right, 0])), wanted, "a byte more");
  assertEquals(await problemsWith(new Uint8Array([...right, ...right.slice(-40)])), wanted, "40 bytes more");
});

Deno.test("a frame that claims another size is refused before it is unpacked", async () => {
  using world = await packedWorld();
  const { store } = world;
  const path = packPath(store.path, 1);
  const bytes = Deno.readFileSync(path);
  // The size of the first frame's content, four bytes after the magic number and the descriptor.
  new DataView(bytes.buffer).setUint32(5, 0xffff_fff0, true);
  Deno.writeFileSync(path, bytes);
  const { failure } = assertThrows(() => contentOf(store, findFd(store, "1")), FdError);
  assertEquals(failure.kind === "store_corrupt" && failure.what.startsWith("bytes 0 to 131071"), true);
});

Deno.test("path makes a plain file of packed content, which packing removes again", async () => {
  using world = await packedWorld();
  const { store } = world;
  const path = await plainFile(store, findFd(store, "1"));
  assertEquals(Deno.readFileSync(path), LINES);
  assertEquals(formsOf(store, 1), "plainpacked");
  const { bytesAfter } = await pack(store);
  assertEquals([formsOf(store, 1), bytesAfter], ["packed", 0]);
});

Deno.test("packing that dies at any call loses nothing, and the next one still keeps the content once", async () => {
  for (let callNumber = 1, isOver = false; !isOver; callNumber++) {
    using world = temporaryStore();
    const { store } = world;
    for (let n = 0; n < 2; n++) putBytes(store, SMALL, { source: "test" });
    const dead = await dieAtCall(callNumber, async () => {
      try {
        await pack(store);
      } catch (thrown) {
        if (systemCode(thrown) === undefined && !(thrown instanceof FdError)) throw thrown;
      }
    });
    for (const id of [1, 2]) {
      assertEquals(contentOf(store, findFd(store, `${id}`)), SMALL, `call ${callNumber}`);
    }
    assertEquals((await pack(store)).failures, []);
    const [one, other] = [1, 2].map((id) => disk.stat(packPath(store.path, id)).ino);
    assertEquals(one, other, `call ${callNumber}`);
    // Half of a line is reported, and nothing depends on it.
    const { findings } = await checkStore(store, { repair: false });
    assertEquals(findings.filter(({ problem }) => problem !== "record_damaged"), []);
    isOver = !dead;
  }
});

Deno.test("packing with filters that dies at any call loses nothing, and leaves no filter that is wrong", async () => {
  const content = new Uint8Array(8 * 131_072);
  for (let at = 0; at < content.length; at += LINES.length) {
    content.set(LINES.subarray(0, content.length - at), at);
  }
  for (let callNumber = 1, isOver = false; !isOver; callNumber++) {
    using world = temporaryStore();
    const { store } = world;
    const entry = putBytes(store, content, { source: "test" });
    isOver = !await dieAtCall(callNumber, async () => {
      try {
        await pack(store);
      } catch (thrown) {
        if (systemCode(thrown) === undefined && !(thrown instanceof FdError)) throw thrown;
      }
    });
    const { total } = await searchFd(store, entry, { pattern: "line 777 of", keep: 0, clean: true });
    const { findings } = await checkStore(store, { repair: false });
    assertEquals(
      [total, findings.filter(({ problem }) => problem !== "record_damaged")],
      [3, []],
      `call ${callNumber}`,
    );
  }
});

Deno.test("what a killed packing left is synced before the plain file is removed", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test" });
  const { open, unlink } = disk;
  const shard = shardPath(store.path, 1);
  const calls: string[] = [];
  disk.open = ((path: string, ...rest: [string]) => {
    if (path === shard) calls.push("sync");
    if (path === shard && calls.length === 1) throw Object.assign(new Error("killed"), { code: "EIO" });
    return open(path, ...rest);
  }) as typeof disk.open;
  disk.unlink = (path) => {
    if (path === contentPath(store.path, 1)) calls.push("remove");
    unlink(path);
  };
  try {
    assertEquals((await pack(store)).failures.length, 1);
    assertEquals(formsOf(store, 1), "plainpacked");
    assertEquals((await pack(store)).failures, []);
  } finally {
    Object.assign(disk, { open, unlink });
  }
  assertEquals([formsOf(store, 1), calls], ["packed", ["sync", "sync", "remove"]]);
});

Deno.test("a fork shares packed content, and content that a fork shares stays plain", async () => {
  using world = await packedWorld();
  const { store } = world;
  putBytes(store, LINES.subarray(0, 100_000), { source: "test" });
  const { store: fork, copiedBytes } = forkStore(store, `${world.dir}/fork`);
  assertEquals([copiedBytes, formsOf(fork, 1), formsOf(fork, 2)], [0, "packed", "plain"]);
  assertEquals((await pack(store)).packedCount, 0);
  await removeFd(store, findFd(store, "1"), "test");
  assertEquals(contentOf(fork, findFd(fork, "1")), LINES);
});

Deno.test("the quota counts what is on the disk", async () => {
  using world = temporaryStore({ quotaBytes: LINES.length + 1000 });
  const { store } = world;
  for (let n = 0; n < 3; n++) putBytes(store, LINES, { source: "test" });
  await pack(store);
  const nowMs = Date.now();
  const kept = await collectGarbage(store, { dryRun: false, nowMs });
  assertEquals([kept.removed.length, kept.bytesAfter, kept.diskBytesAfter], [
    0,
    3 * LINES.length,
    disk.stat(packPath(store.path, 1)).size,
  ]);
  const small = { ...store, limits: { ...store.limits, quotaBytes: 1000 } };
  // None of them frees a byte until the last is removed.
  const { removed, diskBytesAfter } = await collectGarbage(small, { dryRun: false, nowMs });
  assertEquals([removed.length, diskBytesAfter], [3, 0]);
});

Deno.test("a plan changes nothing and says what packing saves", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, LINES, { source: "test" });
  putBytes(store, NOISE, { source: "test" });
  const { packing } = await collectGarbage(store, { dryRun: true, nowMs: Date.now(), pack: { plan: true } });
  assertEquals([packing?.packedCount, packing?.bytesBefore], [1, LINES.length]);
  assertEquals([formsOf(store, 1), formsOf(store, 2)], ["plain", "plain"]);
  const { bytesAfter } = await pack(store);
  assert(Math.abs(bytesAfter - packing!.bytesAfter) < bytesAfter / 10);
});

/** Tries `action` with each of its disk calls failing, in a world of its own each time. */
async function failCalls(
  prepare: (store: Store) => void | Promise<void>,
  action: (store: Store) => unknown,
  afterwards: (store: Store) => void | Promise<void>,
): Promise<void> {
  for (const fault of ["EIO", "short write"] as const) {
    for (let callNumber = 1, isHit = true; isHit; callNumber++) {
      using world = temporaryStore();
      const { store } = world;
      await prepare(store);
      const { hit } = await withFailingCall(callNumber, fault, () => action(store));
      isHit = hit !== undefined;
      for (const { id } of listFds(store)) assertEquals(contentOf(store, findFd(store, `${id}`)), SMALL);
      assertEquals((await checkStore(store, { repair: false })).findings, []);
      await afterwards(store);
    }
  }
}

Deno.test("packing that fails at any call leaves the plain content, or the packed, and packs it later", () =>
  failCalls(
    (store) => {
      for (let n = 0; n < 2; n++) putBytes(store, SMALL, { source: "test" });
    },
    pack,
    async (store) => {
      await pack(store);
      assertEquals([formsOf(store, 1), formsOf(store, 2)], ["packed", "packed"]);
    },
  ));

Deno.test("unpacking that fails at any call leaves the packed content", () =>
  failCalls(
    async (store) => {
      putBytes(store, SMALL, { source: "test" });
      await pack(store);
    },
    (store) => plainFile(store, findFd(store, "1")),
    (store) => assert(formsOf(store, 1).endsWith("packed")),
  ));

Deno.test("without zstd, packed content is refused by a message that says what is needed", async () => {
  using world = await packedWorld();
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => ({})) as unknown as typeof getBuiltinModule;
  try {
    const { failure } = assertThrows(() => contentOf(world.store, findFd(world.store, "1")), FdError);
    assertEquals(
      failure.kind === "read_error" && failure.action,
      "unpack (Node.js 22.15 or later is needed)",
    );
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
});
