import { assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { digestFd } from "./digest_fd.ts";
import { findFd } from "../records/find_fd.ts";
import { beginPut } from "../put/put.ts";
import { recordPath } from "../store/store_paths.ts";

Deno.test("the digest of an fd that only seemed to have ended is not stored", async () => {
  using world = temporaryStore();
  const { store } = world;
  const path = recordPath(store.path, 1);
  const put = beginPut(store, { source: "test" });
  put.write(new TextEncoder().encode("one\n"));
  const claim = Deno.readFileSync(path);
  // The state seen by a reader if the writer is suspended for long between creating its record and claiming it.
  Deno.writeFileSync(path, new Uint8Array());
  Deno.utimeSync(path, 1, 1);
  const early = findFd(store, "fd:1");
  assertEquals([early.state, early.byteCount], ["incomplete", 4]);
  Deno.writeFileSync(path, claim);
  put.write(new TextEncoder().encode("two\n"));
  put.seal();
  await digestFd(store, early);
  const entry = findFd(store, "fd:1");
  assertEquals([entry.state, entry.byteCount, entry.sha256], ["sealed", 8, undefined]);
  const sha256 = await digestFd(store, entry);
  assertEquals(findFd(store, "fd:1").sha256, sha256);
});
