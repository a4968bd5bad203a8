import { assert, assertEquals, assertThrows } from "@std/assert";
import { constants } from "node:fs";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { blockSumText } from "../bytes/block_sum.ts";
import { nameLine } from "../store/bind_name.ts";
import { checkStore } from "./check_store.ts";
import { digestFd } from "../slices/digest_fd.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { findFd } from "../records/find_fd.ts";
import { locateSlice } from "../slices/locate_slice.ts";
import { openContent } from "../slices/open_content.ts";
import { beginPut } from "../put/put.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { indexPath, recordPath } from "../store/store_paths.ts";

const text = Array.from({ length: 4000 }, (_, line) => `line ${line} of a log\n`).join("");
const bytes = new TextEncoder().encode(text);

Deno.test("every flipped bit of content, index and record is reported, and no read returns wrong bytes", async () => {
  using world = temporaryStore();
  const { store } = world;
  const { contentPath } = putBytes(store, bytes, { source: "test" });
  for (const path of [contentPath, indexPath(store.path, 1), recordPath(store.path, 1)]) {
    const healthy = Deno.readFileSync(path);
    // A stride that covers all parts of a file and all bits of a byte.
    for (let bit = 3; bit < healthy.length * 8; bit += Math.ceil(healthy.length * 8 / 40) | 1) {
      const damaged = healthy.slice();
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      Deno.writeFileSync(path, damaged);
      const { findings } = await checkStore(store, { repair: false });
      assert(findings.length > 0, `bit ${bit} of ${path}`);
      try {
        const entry = findFd(store, "fd:1");
        const slice = locateSlice(store, entry, { mode: "line", start: 3990, count: 5 });
        const got = new TextDecoder().decode(readWhole(readSlice(store, entry, slice)));
        assertEquals(got, text.split("\n").slice(3989, 3994).join("\n") + "\n");
      } catch (thrown) {
        assert(thrown instanceof FdError, String(thrown));
      }
      // Reading may have rebuilt the index, and settling may have sealed the fd again.
      Deno.writeFileSync(path, healthy);
    }
  }
  assertEquals((await checkStore(store, { repair: true })).findings.filter((each) => !each.repaired), []);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
});

Deno.test("the progress of a check ends with each byte counted once, with and without a sha-256", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (const content of [bytes, bytes.subarray(0, 100), bytes]) putBytes(store, content, { source: "test" });
  await digestFd(store, findFd(store, "fd:1"));
  const seen: number[] = [];
  const { byteCount } = await checkStore(store, { repair: false, onProgress: (done) => seen.push(done) });
  assertEquals(seen.at(-1), byteCount);
  assertEquals(seen, seen.toSorted((a, b) => a - b));
});

Deno.test("fds stored during a check are not reported", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, bytes, { source: "test" });
  const { readdir } = disk;
  let stored = 0;
  try {
    disk.readdir = ((...args: Parameters<typeof readdir>) => {
      const names = readdir(...args);
      if (stored < 20) stored = putBytes(store, bytes, { source: "test" }).id;
      return names;
    }) as typeof readdir;
    assertEquals((await checkStore(store, { repair: true })).findings, []);
  } finally {
    disk.readdir = readdir;
  }
  assert(stored > 1);
});

Deno.test("missing and truncated files are reported, and an index is rebuilt", async () => {
  using world = temporaryStore();
  const { store } = world;
  const { contentPath } = putBytes(store, bytes, { source: "test" });
  const problems = async (repair: boolean) =>
    (await checkStore(store, { repair })).findings.map((each) => [each.fd, each.problem, each.repaired]);

  Deno.truncateSync(indexPath(store.path, 1), 50);
  assertEquals(await problems(false), [["fd:1", "index_damaged", false]]);
  assertEquals(await problems(true), [["fd:1", "index_damaged", true]]);
  assertEquals(await problems(false), []);

  Deno.truncateSync(contentPath, 1000);
  assertEquals(await problems(true), [["fd:1", "content_damaged", false]]);
  Deno.removeSync(contentPath);
  assertEquals(await problems(true), [["fd:1", "content_missing", false]]);
  Deno.removeSync(recordPath(store.path, 1));
  putBytes(store, bytes, { source: "test" });
});

Deno.test("dangling names, foreign files and open permissions are reported", async () => {
  using world = temporaryStore();
  const { store } = world;
  const { contentPath } = putBytes(store, bytes, { source: "test", names: ["log"] });
  Deno.writeTextFileSync(`${store.path}/v2/refs/ghost`, nameLine("ghost", 77), { mode: 0o600 });
  Deno.writeTextFileSync(`${store.path}/v2/fds/0000/notes.txt`, "mine\n", { mode: 0o600 });
  Deno.chmodSync(contentPath, 0o644);
  const { findings } = await checkStore(store, { repair: true });
  assertEquals(findings.map((each) => each.problem).sort(), ["foreign_file", "name_dangling", "not_private"]);
  assertEquals(Deno.statSync(contentPath).mode! & 0o777, 0o600);
});

/** Runs `work` while the store's files cannot be written, as on a read-only disk. */
async function onReadOnlyDisk(work: () => void | Promise<void>): Promise<void> {
  const real = { open: disk.open, rename: disk.rename, unlink: disk.unlink, chmod: disk.chmod };
  const refuse = () => {
    throw Object.assign(new Error("read-only"), { code: "EROFS" });
  };
  try {
    disk.rename = disk.unlink = disk.chmod = refuse;
    disk.open = ((path: string, flags: number, mode?: number) =>
      (flags & (constants.O_WRONLY | constants.O_RDWR)) === 0
        ? real.open(path, flags, mode)
        : refuse()) as typeof disk.open;
    await work();
  } finally {
    Object.assign(disk, real);
  }
}

Deno.test("a damaged index on a read-only disk prevents neither reading nor verify's other findings", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let each = 0; each < 3; each++) putBytes(store, bytes, { source: "test" });
  const index = Deno.readFileSync(indexPath(store.path, 1));
  index[100]! ^= 1;
  Deno.writeFileSync(indexPath(store.path, 1), index);
  Deno.truncateSync(findFd(store, "fd:3").contentPath, 5);
  await onReadOnlyDisk(async () => {
    const entry = findFd(store, "fd:1");
    const slice = locateSlice(store, entry, { mode: "line", start: 3990, count: 1 });
    assertEquals(new TextDecoder().decode(readWhole(readSlice(store, entry, slice))), "line 3989 of a log\n");
    const { findings } = await checkStore(store, { repair: true });
    assertEquals(findings.map(({ problem, repaired }) => [problem, repaired]), [
      ["index_damaged", false],
      ["content_damaged", false],
    ]);
  });
});

Deno.test("an index that reads back in pieces, or differently than written, does not fail a read", () => {
  using world = temporaryStore();
  const { store } = world;
  const entry = putBytes(store, bytes, { source: "test" });
  const { read } = disk;
  for (const spoils of [false, true]) {
    disk.read = ((file: number, into: DataView | Uint8Array, at: number, length: number, from: number) => {
      if (!(into instanceof DataView)) return read(file, into, at, length, from);
      const got = read(file, into, at, Math.min(100, length), from);
      if (spoils) into.setUint8(at, into.getUint8(at) ^ 1);
      return got;
    }) as typeof read;
    try {
      const slice = locateSlice(store, entry, { mode: "line", start: 3990, count: 1 });
      assertEquals(
        new TextDecoder().decode(readWhole(readSlice(store, entry, slice))),
        "line 3989 of a log\n",
      );
    } finally {
      disk.read = read;
    }
  }
});

Deno.test("verify without repair does not seal a dead writer's fd", async () => {
  using world = temporaryStore();
  const { store } = world;
  const put = beginPut(store, { source: "test" });
  put.write(bytes);
  const path = recordPath(store.path, put.id);
  // A dead writer, with a process id that does not exist.
  const [line = ""] = Deno.readTextFileSync(path).split("\n");
  const claim = JSON.parse(line.slice(9));
  claim.writer = { ...claim.writer, pid: 2 ** 22 + 1 };
  const json = JSON.stringify(claim);
  Deno.writeTextFileSync(path, `${blockSumText(new TextEncoder().encode(json))} ${json}\n`);
  const before = Deno.readTextFileSync(path);
  const looked = await checkStore(store, { repair: false });
  assertEquals(looked.findings.map(({ problem, repaired }) => [problem, repaired]), [["writer_died", false]]);
  assertEquals(Deno.readTextFileSync(path), before);
  const mended = await checkStore(store, { repair: true });
  assertEquals(mended.findings.map(({ problem, repaired }) => [problem, repaired]), [["writer_died", true]]);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
});

Deno.test("content that cannot be opened for the moment is not reported as missing", () => {
  using world = temporaryStore();
  const { store } = world;
  const entry = putBytes(store, bytes, { source: "test" });
  const { open } = disk;
  disk.open = ((path: string, ...rest: [number]) => {
    if (path === entry.contentPath) throw Object.assign(new Error("too many"), { code: "EMFILE" });
    return open(path, ...rest);
  }) as typeof open;
  try {
    const { failure } = assertThrows(() => openContent(store, entry), FdError);
    assertEquals([failure.kind, "code" in failure && failure.code], ["read_error", "EMFILE"]);
  } finally {
    disk.open = open;
  }
});

Deno.test("an index of another fd does not stop the check of the store", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 2; n++) {
    const { id } = putBytes(store, bytes.map((byte) => byte ^ n), { source: "test" });
    await digestFd(store, findFd(store, `fd:${id}`));
  }
  Deno.copyFileSync(indexPath(store.path, 2), indexPath(store.path, 1));
  Deno.truncateSync(indexPath(store.path, 2), 5);
  const { findings } = await checkStore(store, { repair: false });
  assertEquals(findings.map(({ fd, problem }) => [fd, problem]), [["fd:1", "index_damaged"], [
    "fd:2",
    "index_damaged",
  ]]);
});
