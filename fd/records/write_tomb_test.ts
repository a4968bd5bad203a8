// Promise: removing an fd whose content is in its record takes the content, keeps the tombstone and never frees the id,
// whatever call fails; on a full disk too. No list shows it again.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { withFailingCall } from "../../tests/failing_disk.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { forkStore } from "../forks/fork_store.ts";
import { plainFile } from "../packing/plain_file.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { collectGarbage } from "../upkeep/collect_garbage.ts";
import { removeFd } from "../upkeep/remove_fd.ts";
import type { Store } from "../store/open_store.ts";
import { findFd } from "./find_fd.ts";
import { listFds } from "./list_fds.ts";
import { readLog } from "./record_log.ts";

const MARK = "unmistakable";
const CONTENT = new TextEncoder().encode(`${MARK}\n`.repeat(1000));
const put = (store: Store) => putBytes(store, CONTENT, { source: "test" });
const recordOf = (store: Store): string => Deno.readTextFileSync(`${store.path}/v2/fds/0000/1.rec`);
const idsIn = (store: Store): number[] => listFds(store).map(({ id }) => id);

Deno.test("a removal takes the content, and what the record said of it stays", async () => {
  using world = temporaryStore();
  const { store } = world;
  put(store);
  await plainFile(store, findFd(store, "1"));
  const { sha256 } = await removeFd(store, findFd(store, "1"), "asked");
  assert(!recordOf(store).includes(MARK) && recordOf(store).length < 1000);
  const { claim, seal, digest, tomb } = readLog(store, 1)!;
  assertEquals([claim?.source, seal?.bytes, digest?.sha256, tomb?.sha256], ["test", 13_000, sha256, sha256]);
  assertEquals([...Deno.readDirSync(`${store.path}/v2/fds/0000`)].map(({ name }) => name).sort(), [
    "1.rec",
    "removed",
  ]);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
  assertEquals(put(store).id, 2);
});

Deno.test("a removal that fails at any call leaves the whole fd or a tombstone, and never frees the id", async () => {
  for (const fault of ["ENOSPC", "EIO", "EACCES", "short write"] as const) {
    for (let callNumber = 1, isHit = true; isHit; callNumber++) {
      using world = temporaryStore();
      const { store } = world;
      put(store);
      const entry = findFd(store, "1");
      const { hit, result } = await withFailingCall(callNumber, fault, () => removeFd(store, entry, "asked"));
      isHit = hit !== undefined;
      const about = `${fault} in call ${callNumber}, ${hit?.member}`;
      if (readLog(store, 1)?.tomb === undefined) {
        assertEquals(result, undefined, about);
        assertEquals(readWhole(readSlice(store, entry, { fromByte: 0, toByte: 13_000 })), CONTENT, about);
      } else assert(!recordOf(store).includes(MARK), about);
      assertEquals((await checkStore(store, { repair: false })).findings, [], about);
      assertEquals(put(store).id, 2, about);
    }
  }
});

Deno.test("a full disk does not prevent a removal", async () => {
  using world = temporaryStore();
  const { store } = world;
  put(store);
  const { open } = disk;
  try {
    disk.open = ((path, flags, mode) => {
      if (typeof flags === "number" && (flags & 0o100) !== 0) {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      }
      return open(path, flags, mode);
    }) as typeof open;
    await removeFd(store, findFd(store, "1"), "asked");
  } finally {
    disk.open = open;
  }
  assert(!recordOf(store).includes(MARK));
  assertThrows(() => findFd(store, "1"), FdError);
  assertEquals((await checkStore(store, { repair: false })).findings, []);
});

Deno.test("a listing that is written while an fd is removed does not show it again, nor does a fork", async () => {
  using world = temporaryStore();
  const { store } = world;
  for (let n = 0; n < 70; n++) put(store);
  const listing = `${store.path}/v2/fds/0000.listing`;
  assertEquals(listFds(store).length, 70);
  const written = Deno.readFileSync(listing);
  await removeFd(store, findFd(store, "1"), "asked");
  // Another process read the records before, and has only now written what it read.
  Deno.writeFileSync(listing, written);
  assertEquals(idsIn(store), Array.from({ length: 69 }, (_, n) => n + 2));
  const { store: fork, fdCount, removedCount } = forkStore(store, `${world.dir}/fork`);
  assertEquals([idsIn(fork).length, fdCount, removedCount], [69, 69, 1]);
  assertEquals(
    readWhole(readSlice(fork, findFd(fork, "70"), { fromByte: 0, toByte: 13_000 })),
    CONTENT,
  );
});

Deno.test("cleanup deletes the plain file that path made, once it was not read for a day", async () => {
  using world = temporaryStore();
  const { store } = world;
  put(store);
  const path = await plainFile(store, findFd(store, "1"));
  assertEquals(Deno.readFileSync(path), CONTENT);
  Deno.writeTextFileSync(path, "changed");
  assertEquals(Deno.readFileSync(await plainFile(store, findFd(store, "1"))), CONTENT);
  const clean = () => collectGarbage(store, { dryRun: false, nowMs: Date.now() });
  assertEquals((await clean()).diskBytesBefore, 2 * CONTENT.length);
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  Deno.utimeSync(path, longAgo, longAgo);
  const { litterCount, removed, diskBytesAfter } = await clean();
  assertEquals([litterCount, removed, diskBytesAfter], [1, [], CONTENT.length]);
  assertEquals(readWhole(readSlice(store, findFd(store, "1"), { fromByte: 0, toByte: 13_000 })), CONTENT);
});
