/**
 * The short form of a harness's scenarios: those that compare share one run without fdtool and one with it, the others one
 * with it. A start of a harness takes as long as a dozen steps.
 */

import type { LiveRun, Scenario } from "./live_harness.ts";

export function shortForm(scenarios: readonly Scenario[]): readonly Scenario[] {
  return (["compared", "alone"] as const).map((kind) => scenarios.filter(({ short }) => short === kind))
    .filter((some) => some.length > 0).map(inOneRun);
}

/** All in one world, with the scripts one after the other. */
function inOneRun(scenarios: readonly Scenario[]): Scenario {
  const starts = [...scenarios.keys()].map((at) => {
    const before = scenarios.slice(0, at);
    return {
      without: before.flatMap(({ without = [] }) => without).length,
      with: before.flatMap(({ with: script }) => script).length,
    };
  });
  const isCompared = scenarios.some(({ short }) => short === "compared");
  return {
    name: scenarios.map(({ name }) => name).join(", "),
    what: scenarios.map(({ what }) => what).join("; "),
    installs: [
      ...new Map(scenarios.flatMap(({ installs = [[]] }) => installs).map((words) => [`${words}`, words]))
        .values(),
    ],
    arrange: (world) => scenarios.forEach(({ arrange }) => arrange?.(world)),
    ...isCompared ? { without: scenarios.flatMap(({ without = [] }) => without) } : {},
    with: scenarios.flatMap(({ with: script }) => script),
    checks: ({ without, with: seen, world }) =>
      scenarios.flatMap(({ name, checks }, at) =>
        checks({
          without: from(starts[at]!.without, without),
          with: from(starts[at]!.with, seen),
          world,
        }).map((check) => ({ ...check, what: `${name}: ${check.what}` }))
      ),
  };
}

/** The run, its steps counted from `start`. */
function from(start: number, run: LiveRun): LiveRun {
  return { ...run, results: run.results.map((result) => ({ ...result, step: result.step - start })) };
}
