// Promise: forked stores without living owners are deleted, and broken ones do not prevent it.

import { assertEquals } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { dropDeadForks, makeForkHome } from "./fork_home.ts";
import { ownersPath } from "../store/further_paths.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

Deno.test("a forked store with a broken log of owners is deleted after a day, and does not prevent deleting others", () => {
  using world = temporaryStore();
  const { store } = world;
  const alive = makeForkHome(store);
  const theirs = `${world.dir}/theirs`;
  Deno.writeTextFileSync(theirs, "theirs\n");
  for (
    const make of [
      (path: string) => Deno.symlinkSync(theirs, path),
      (path: string) => Deno.mkdirSync(path),
      (path: string) => Deno.writeTextFileSync(path, "no log\n"),
      () => {},
    ]
  ) {
    const broken = makeForkHome(store);
    Deno.removeSync(ownersPath(broken));
    make(ownersPath(broken));
    assertEquals(dropDeadForks(store, Date.now()), 0);
    assertEquals(dropDeadForks(store, Date.now() + 2 * DAY_MS), 1);
  }
  assertEquals([...Deno.readDirSync(`${store.path}/v2/forks`)].map(({ name }) => name), [
    alive.split("/").at(-1),
  ]);
  assertEquals(Deno.readTextFileSync(theirs), "theirs\n");
});
