import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { failEachCall } from "../../tests/failing_disk.ts";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { bindName, listNames } from "../store/bind_name.ts";
import { checkStore } from "../upkeep/check_store.ts";
import { highestId } from "../store/claim_id.ts";
import { FdError } from "../disk/errors.ts";
import { findFd } from "../records/find_fd.ts";
import { forkStore } from "./fork_store.ts";
import { listFds } from "../records/list_fds.ts";
import { openStore } from "../store/open_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";
import { removeFd } from "../upkeep/remove_fd.ts";

Deno.test("a fork that fails at any disk call is complete or absent, and its source unchanged", async () => {
  using world = temporaryStore();
  const bytes = new Uint8Array(70_000).fill(120);
  putBytes(world.store, bytes, { source: "test", names: ["x"] });
  putBytes(world.store, bytes.subarray(0, 9), { source: "test" });
  const { id } = putBytes(world.store, bytes, { source: "test" });
  await removeFd(world.store, findFd(world.store, `fd:${id}`), "test");
  const twin = join(world.dir, "twin");
  Deno.mkdirSync(twin);
  const tried = await failEachCall({
    prepare() {
      Deno.removeSync(twin, { recursive: true });
      Deno.mkdirSync(twin);
    },
    action: () => forkStore(world.store, twin),
    async afterwards({ hit, thrown }) {
      const about = `${hit.fault} at call ${hit.callNumber}, ${hit.member}`;
      if (thrown !== undefined && !(thrown instanceof FdError)) throw thrown;
      const report = await checkStore(world.store, { repair: false });
      assertEquals(report.findings, [], about);
      let exists = true;
      try {
        Deno.statSync(join(twin, "v2"));
      } catch (gone) {
        assert(gone instanceof Deno.errors.NotFound);
        exists = false;
      }
      // A failure after the store appeared (checking its mode, deleting the temporary directory) does not undo it.
      assert(exists || thrown !== undefined, about);
      if (!exists) return;
      const forked = openStore(twin);
      assertEquals((await checkStore(forked, { repair: false })).findings, [], about);
      const entries = listFds(forked);
      assertEquals([entries.map((entry) => entry.id), highestId(forked)], [[1, 2], 3], about);
      assertEquals(readWhole(readSlice(forked, entries[0]!, { fromByte: 0, toByte: 70_000 })), bytes, about);
      assertEquals(listNames(forked).map((bound) => [bound.name, bound.id]), [["x", 1]], about);
    },
  });
  assert(tried > 100);
});

Deno.test("the listing of a shard is not shared if it has an fd newer than the fork", () => {
  using world = temporaryStore();
  for (let n = 0; n < 100; n++) putBytes(world.store, new Uint8Array([n]), { source: "test" });
  listFds(world.store);
  const twin = forkStore(world.store, join(world.dir, "twin")).store;
  assert(Deno.statSync(join(twin.path, "v2/fds/0000.listing")).isFile);
  putBytes(world.store, new Uint8Array(), { source: "the parent's" });
  const own = putBytes(twin, new Uint8Array(), { source: "the child's" });
  assertEquals(own.id, 101);
  assertEquals(listFds(twin).at(-1)?.source, "the child's");
  bindName(twin, "own", own.id);
  assertEquals(listNames(world.store), []);
});
