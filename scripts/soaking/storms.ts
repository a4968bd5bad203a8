/**
 * Runs 64 writers and 64 readers at once on one store, some of them killed: no answer is wrong, ids are unique, and a new
 * process verifies the store.
 */

import { makeWorld, type World } from "../../tests/world.ts";
import { assertStoreHolds, assertTyped, killAfter, noBinary } from "./outer_world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { allEnded, must, sameBytes } from "./inner_world.ts";
import { numberedContent, rightContent } from "./put_many.ts";

const WRITERS = 64;

async function write(world: World, n: number, killAfterMs: number | undefined): Promise<string | undefined> {
  const words = ["capture", "--always", "--format", "json", "--name", `n${n % 7}`];
  const { child, finished } = world.start(words, { stdin: numberedContent(n) });
  if (killAfterMs !== undefined) {
    const callOff = killAfter(child, killAfterMs);
    await child.status;
    callOff();
  }
  const ended = await finished;
  if (ended.signal === "SIGKILL") return undefined;
  must(ended.code === 0 && ended.stderr === "", () => `writer ${n}: ${ended.stderr}`);
  const { fd, bytes } = JSON.parse(ended.text);
  must(bytes === numberedContent(n).length, () => `writer ${n} stored ${bytes} bytes`);
  return String(fd);
}

async function read(world: World, n: number): Promise<undefined> {
  const what = n % 3 === 0 ? `ref:n${n % 7}` : `fd:${n}`;
  const finished = await world.run(["read", what, "--all", "--format", "raw"]);
  assertTyped(finished, `reader of ${what}`);
  if (finished.code !== 0 || finished.stdout.length < 24) return;
  const right = rightContent(finished.stdout);
  must(
    right !== undefined && sameBytes(finished.stdout, right.subarray(0, finished.stdout.length)),
    () => `${what} gave ${finished.stdout.length} wrong bytes`,
  );
  // Only of an fd that is still written, or whose writer was killed, is a part right, and that is said.
  must(
    finished.stdout.length === right.length || finished.stderr !== "",
    () => `${what} gave ${finished.stdout.length} of ${right.length} bytes without a word`,
  );
}

export const storms: FaultClass = {
  name: "storms",
  what:
    "64 writers and 64 readers at once, every eighth writer killed: unique ids, right bytes, a store that verifies",
  wanted: 1000,
  unable: noBinary,
  async round({ choices, attempt, ran }: Round) {
    using world = makeWorld();
    const answered: Promise<string | undefined>[] = [];
    const read64: Promise<undefined>[] = [];
    for (let n = 1; n <= WRITERS; n++) {
      answered.push(write(world, n, n % 8 === 0 ? choices.whole(0, 40) : undefined));
      read64.push(read(world, choices.whole(1, n)));
    }
    ran(2 * WRITERS - 1);
    await attempt("", async () => {
      const ended = await allEnded([...answered, ...read64]);
      const fds = ended.filter((fd) => fd !== undefined);
      must(new Set(fds).size === fds.length, () => `an id was given twice: ${fds.sort().join()}`);
      await assertStoreHolds(world, "after the storm", (_fd, held) => rightContent(held));
    });
  },
};
