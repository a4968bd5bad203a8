import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { openFiles } from "../../tests/open_files.ts";
import { putSlowly, temporaryStore } from "../../tests/temporary_store.ts";
import { joinBytes } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { findFd } from "./find_fd.ts";
import { beginPut } from "../put/put.ts";
import { decodeObjectHeader, encodeObject, type ObjectHeader, objectParts } from "../packs/object_form.ts";
import { putBytes } from "../put/put_bytes.ts";
import { digestFd } from "../slices/digest_fd.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { writeCheckedLine } from "../store/checked_log.ts";
import { readLog } from "./record_log.ts";
import { removeFd } from "../upkeep/remove_fd.ts";
import { checkedLines, encodeCheckedLine } from "../store/checked_log.ts";
import { indexPath, recordPath, temporaryDirectory } from "../store/store_paths.ts";

const bytes = new TextEncoder().encode("one\ntwo\nthree");

Deno.test("an fd is live while its writer runs, and its content so far is readable", () => {
  using world = temporaryStore();
  const put = beginPut(world.store, { source: "test" });
  put.write(bytes);
  const entry = findFd(world.store, "fd:1");
  assertEquals([entry.state, entry.byteCount, entry.lineCount], ["live", 13, 3]);
  assertEquals(readWhole(readSlice(world.store, entry, { fromByte: 4, toByte: 8 })), bytes.subarray(4, 8));
  put.write(bytes);
  assertEquals(put.seal().byteCount, 26);
});

Deno.test("a dead writer's fd is sealed as incomplete, and its content so far is readable", () => {
  using world = temporaryStore();
  const { store } = world;
  putSlowly(store, bytes, { source: "test" });
  const path = recordPath(store.path, 1);
  const claim = readLog(store, 1)?.claim;
  assert(claim !== undefined);
  // The same process id with another start time: the id was reused.
  const file = disk.open(path, "w");
  writeCheckedLine(file, { ...claim, writer: { ...claim.writer, started: "1" } });
  disk.close(file);
  const entry = findFd(store, "1");
  assertEquals([entry.state, entry.byteCount, entry.lineCount], ["incomplete", 13, 3]);
  assertEquals(readLog(store, 1)?.seal?.ended, "incomplete");
  assertEquals(findFd(store, "1"), entry);
});

Deno.test("an fd of an unknown writer with a date in the future is not live forever", () => {
  using world = temporaryStore();
  const { store } = world;
  const { contentPath } = putSlowly(store, bytes, { source: "test" });
  const claim = readLog(store, 1)?.claim;
  assert(claim !== undefined);
  const file = disk.open(recordPath(store.path, 1), "w");
  writeCheckedLine(file, { ...claim, writer: { ...claim.writer, boot: "another" } });
  disk.close(file);
  assertEquals(findFd(store, "1").state, "live", "its writer may be alive");
  Deno.utimeSync(contentPath, new Date(Date.UTC(2099)), new Date(Date.UTC(2099)));
  assertEquals(findFd(store, "1").state, "incomplete");
});

Deno.test("a reader waits for the claim of a new record instead of treating its writer as dead", () => {
  using world = temporaryStore();
  const { store } = world;
  const path = recordPath(store.path, 1);
  const put = beginPut(store, { source: "test", pageSize: 3 });
  const claim = Deno.readFileSync(path);
  const content = new Uint8Array(100_000).fill(0x61);
  put.write(content);
  Deno.writeFileSync(path, new Uint8Array());
  const { lstat } = disk;
  try {
    // The writer's next step, after its record was found empty.
    disk.lstat = ((looked: string, options: { throwIfNoEntry: boolean }) => {
      const answer = lstat(looked, options);
      if (looked === path) Deno.writeFileSync(path, claim);
      return answer;
    }) as typeof lstat;
    const entry = findFd(store, "fd:1");
    assertEquals([entry.state, entry.byteCount, entry.pageSize], ["live", 100_000, 3]);
  } finally {
    disk.lstat = lstat;
  }
  const entry = put.seal();
  assertEquals(findFd(store, "fd:1"), entry);
  assertEquals(readWhole(readSlice(store, entry, { fromByte: 0, toByte: 100_000 })), content);
});

Deno.test("a writer suspended before its claim loses no data when a reader tries to seal its fd", () => {
  using world = temporaryStore();
  const { store } = world;
  const path = recordPath(store.path, 1);
  const put = beginPut(store, { source: "test" });
  const claim = Deno.readFileSync(path);
  const content = new Uint8Array(2 ** 20).fill(0x61);
  put.write(content);
  Deno.writeFileSync(path, new Uint8Array());
  Deno.utimeSync(path, new Date(), new Date(Date.now() - 3_600_000));
  const { read } = disk;
  let readCount = 0;
  try {
    disk.read = ((...parameters: Parameters<typeof read>) => {
      // The reader gave up waiting for the claim and is scanning the content.
      if (++readCount === 2) Deno.writeFileSync(path, claim);
      return read(...parameters);
    }) as typeof read;
    assertEquals(findFd(store, "fd:1").state, "live");
    assert(readCount > 2);
  } finally {
    disk.read = read;
  }
  put.write(content.subarray(0, 100));
  const entry = put.seal();
  assertEquals(
    readWhole(readSlice(store, entry, { fromByte: 2 ** 20 - 1, toByte: 2 ** 20 + 100 })).length,
    101,
  );
  assertEquals(
    new Uint8Array(Deno.readFileSync(indexPath(store.path, 1)).slice(0, 4)),
    new Uint8Array([0x46, 0x44, 0x58, 0x31]),
  );
  assertEquals([...Deno.readDirSync(temporaryDirectory(store.path))], []);
});

Deno.test("a record that is never claimed counts as a dead writer's", () => {
  using world = temporaryStore();
  const { store } = world;
  putSlowly(store, bytes, { source: "test" });
  const path = recordPath(store.path, 1);
  for (const ageSeconds of [0, 3600]) {
    Deno.writeFileSync(path, new Uint8Array());
    Deno.utimeSync(path, new Date(), new Date(Date.now() - ageSeconds * 1000));
    const entry = findFd(store, "fd:1");
    assertEquals([entry.state, entry.byteCount, entry.source], ["incomplete", 13, "unknown"]);
  }
});

Deno.test("a truncated or damaged line is skipped, and the next append survives it", async () => {
  using world = temporaryStore();
  const { store } = world;
  const entry = putBytes(store, bytes, { source: "test" });
  Deno.writeTextFileSync(recordPath(store.path, 1), '00000000 {"event":"tomb","at":1}\n1234abcd {"event":', {
    append: true,
  });
  assertEquals(findFd(store, "fd:1"), entry);
  await removeFd(store, entry, "asked");
  assertEquals(assertThrows(() => findFd(store, "fd:1"), FdError).failure.kind, "removed");
});

Deno.test("a record that says more bytes than there can be is damage, and no memory is taken for them", async () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, bytes, { source: "test" });
  const path = recordPath(store.path, 1);
  const object = Deno.readFileSync(path);
  const { record, content } = objectParts(object, decodeObjectHeader(object) as ObjectHeader);
  const lines: Uint8Array[] = [];
  for (const { value: line } of checkedLines(record)) {
    const { bytes: isSeal, ...more } = line as { bytes?: number };
    lines.push(encodeCheckedLine(isSeal === undefined ? line : { ...more, bytes: 2 ** 52 }));
  }
  Deno.writeFileSync(path, encodeObject({ id: 1, record: joinBytes(lines), content }));
  const { failure } = await assertRejects(() => digestFd(store, findFd(store, "fd:1")), FdError);
  assertEquals(failure.kind, "store_corrupt");
});

Deno.test("unknown fds, removed fds and invalid arguments fail differently", async () => {
  using world = temporaryStore();
  const { store } = world;
  const failure = (argument: string) => assertThrows(() => findFd(store, argument), FdError).failure;
  assertEquals(failure("fd:1"), { kind: "not_found", fd: "fd:1", highestId: 0 });
  const entry = putBytes(store, bytes, { source: "run", command: ["make", "all"] });
  await removeFd(store, entry, "asked");
  assertEquals(failure("2"), { kind: "not_found", fd: "fd:2", highestId: 1 });
  for (const argument of ["ref:nothing", "banana", "fd:-1", "ref:../../x", ""]) {
    assertEquals(failure(argument), { kind: "not_found", fd: argument, highestId: 1 });
  }
  const removed = failure("fd:1");
  assert(removed.kind === "removed");
  assertEquals([removed.why, removed.command, removed.byteCount], ["asked", ["make", "all"], 13]);
  assertEquals(removed.sha256?.length, 64);
});

Deno.test("a failing scan of a dead writer's fd leaves no index file open or behind", () => {
  using world = temporaryStore();
  const { store } = world;
  putBytes(store, new Uint8Array(2 ** 21), { source: "test" });
  const claim = readLog(store, 1)?.claim;
  assert(claim !== undefined);
  const record = disk.open(recordPath(store.path, 1), "w");
  writeCheckedLine(record, { ...claim, writer: { ...claim.writer, started: "1" } });
  disk.close(record);
  const { read } = disk;
  let readBytes = 0;
  try {
    disk.read = ((...parameters: Parameters<typeof read>) => {
      const length = read(...parameters);
      readBytes += length;
      if (readBytes > 2 ** 20) throw Object.assign(new Error("EIO: the device failed"), { code: "EIO" });
      return length;
    }) as typeof read;
    assertEquals(assertThrows(() => findFd(store, "fd:1"), FdError).failure.kind, "read_error");
  } finally {
    disk.read = read;
  }
  assertEquals(openFiles(world.dir), []);
  assertEquals([...Deno.readDirSync(temporaryDirectory(store.path))], []);
  assertEquals(findFd(store, "fd:1").state, "incomplete");
});
