/**
 * The short form of `scripts/soak`: faults inside a process, a few rounds of each class from fixed seeds.
 * The binary's are in `tests/soak_test.ts`.
 */

import { assertEquals, assertThrows } from "@std/assert";
import { assertNothingFound, emptyReport, type FaultClass, runRounds } from "./fault_class.ts";
import { INNER_CLASSES } from "./fault_classes.ts";
import { choicesOf } from "./random_choices.ts";

/**
 * Rounds of each class: a second or two. Of disk-calls, each round is another action: insert, gc, verify, a sweep. Plans and
 * packing fail at each call in `commit_changes_test.ts` and `pack_fd_test.ts`. `tests/damage_test.ts` and
 * `tests/archive_test.ts` do more damage.
 */
const SEEDS: Readonly<Record<string, readonly number[]>> = {
  "disk-calls": [4, 11, 15, 16],
  damage: [1],
  archives: [1],
};

for (const faultClass of INNER_CLASSES) {
  Deno.test(`soak, ${faultClass.name}: ${faultClass.what}`, async () => {
    const report = emptyReport(faultClass);
    for (const seed of SEEDS[faultClass.name] ?? [1, 2]) {
      const rounds = report.rounds + 1;
      await runRounds(faultClass, report, seed, (so_far) => so_far.rounds < rounds);
    }
    assertNothingFound(report);
  });
}

Deno.test("a seed makes the same choices each time, and others than the next", () => {
  const taken = (seed: number) => {
    const choices = choicesOf(seed);
    return Array.from({ length: 50 }, () => choices.whole(0, 1000)).join();
  };
  assertEquals(taken(7), taken(7));
  assertEquals(new Set([1, 2, 3, 4, 5].map(taken)).size, 5);
});

Deno.test("what a round throws is a finding with its seed, and the soak goes on", async () => {
  const broken: FaultClass = {
    name: "broken",
    what: "breaks on odd seeds",
    async round({ seed, attempt }) {
      await attempt("case", () => {
        if (seed % 2 === 1) throw new Error("odd");
      });
    },
  };
  const report = emptyReport(broken);
  await runRounds(broken, report, 1, ({ rounds }) => rounds < 3);
  assertEquals([report.runs, report.findings.map(({ seed }) => seed)], [3, [1, 3]]);
  const { message } = assertThrows(() => assertNothingFound(report), Error);
  assertEquals(message.split("\n").at(-1), "seed 3: case: Error: odd");
});
