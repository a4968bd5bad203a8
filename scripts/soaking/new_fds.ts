/**
 * Reads fds while they are created: two processes put fds one after the other, and this one reads the newest as fast as
 * it can. Between creating a record and its claim, and between any later steps, an fd is right or not found, and reading
 * does not harm it.
 */

import {
  checkStore,
  DEFAULT_LIMITS,
  findFd,
  highestId,
  openStore,
  readSlice,
  readWhole,
  type Store,
} from "../../fd/mod.ts";
import { makeWorld } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { must, sameBytes } from "./inner_world.ts";
import { rightContent } from "./put_many.ts";

const WRITERS = 2;
const PUTS = 150;

export const newFds: FaultClass = {
  name: "new-fds",
  what:
    "the newest fd, read over and over while two processes put: right from its first moment on, and unharmed",
  wanted: 10_000,
  async round({ attempt, ran }: Round) {
    using world = makeWorld();
    const store = openStore(world.store, DEFAULT_LIMITS);
    const args = ["run", "--quiet", "--no-lock", "--allow-all", import.meta.resolve("./put_many.ts")];
    const writers = Array.from(
      { length: WRITERS },
      () =>
        new Deno.Command(Deno.execPath(), {
          args: [...args, store.path, String(PUTS)],
          stdout: "null",
          stderr: "piped",
        }).output(),
    );
    await attempt("", () => readNewest(store, ran));
    // The store must exist until they have ended.
    for (const { code, stderr } of await Promise.all(writers)) {
      must(code === 0, () => `a writer exited with ${code}: ${new TextDecoder().decode(stderr)}`);
    }
    await attempt("", async () => {
      const { findings, fdCount } = await checkStore(store, { repair: false });
      must(fdCount === WRITERS * PUTS && findings.length === 0, () => JSON.stringify({ fdCount, findings }));
    });
  },
};

/** Reads the newest fd until all fds exist. */
function readNewest(store: Store, ran: Round["ran"]): void {
  const until = Date.now() + 60_000;
  let id = 0;
  do {
    id = highestId(store);
    if (id === 0) continue;
    const entry = findFd(store, `fd:${id}`);
    const held = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
    const right = held.length < 24 ? held : rightContent(held)?.subarray(0, held.length);
    must(right !== undefined && sameBytes(held, right), () => `fd:${id} gave ${held.length} wrong bytes`);
    must(entry.state !== "incomplete", () => `fd:${id} was taken for that of a dead writer`);
    ran(1);
  } while (id < WRITERS * PUTS && Date.now() < until);
}
