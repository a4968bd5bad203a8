/** The statement about the second run of a tool never has a false count. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { changeCounts, changePart } from "../../../src/findings/changes/change_text.ts";
import { changedFindings } from "../../../src/findings/changes/changed_findings.ts";
import { type ContentChange, contentChange } from "../../../src/findings/changes/run_changes.ts";
import { keptOutput } from "../kept_outputs.ts";
import { clean } from "../score_answer.ts";
import { keptRuns } from "./measure_runs.ts";
import { RUN_CASES } from "./run_case.ts";

/** Two runs of a tool in which names are numbered (`test_rate[17]`, `mod17.c`), and the numbers that changed. */
interface NumberedPair {
  name: string;
  before: string;
  after: string;
  gone: number[];
  fresh: number[];
  left: number[];
}

/** A hundred tools with eight changes each, a line of JSON for each pair. Times, lines and the order differ, too. */
const NUMBERED_PAIRS: readonly NumberedPair[] = new TextDecoder().decode(keptOutput("runs/numbered-names"))
  .trimEnd().split("\n").map((line) => JSON.parse(line));

/** The numbers that a line names, as all formats write names. */
function namesIn(text: string): Set<number> {
  const names = [
    ...text.matchAll(
      /(?:zone[ _-]?|mod|rate[[(]|page[ [_]|(?<!\d)#|zone: |error_zone_|basse|\/z|shard-|web-|vol)0*(\d+)(?!\d)/gi,
    ),
    ...text.matchAll(/Failed tests?: (?:.*\((?=\d+\))| *(?=\d+$))(\d+)/g),
  ];
  return new Set(names.map(([, number]) => Number(number)));
}

function rowsOf(change: Partial<ContentChange>): string[] {
  return new TextDecoder().decode(changePart(change)?.body.bytes ?? new Uint8Array()).split("\n");
}

const encode = (text: string) => new TextEncoder().encode(text);

/** The false claims about a pair, and the changes that are not mentioned. */
function faultsOf({ before, after, gone, fresh, left }: NumberedPair) {
  const change = contentChange(encode(before), encode(after));
  const changed = change.changed!;
  // Without findings nothing is said of them.
  const { unclear } = changed;
  if (
    [changed.gone, changed.fresh, changed.recounted, changed.still].flat().length === 0 &&
    unclear.gone.length === 0
  ) {
    return { wrong: [], missing: ["all"] };
  }
  const wrong: string[] = [];
  const missing: string[] = [];
  const expected = { gone, fresh };
  const isCounted = / findings gone, /.test(changeCounts(change));
  for (const way of ["gone", "fresh"] as const) {
    if (expected[way].length === 0 && changed[way].length > 0) wrong.push(`${changed[way].length} ${way}`);
    const none = changed[way].length + unclear[way].length === 0;
    if (expected[way].length > 0 && none && isCounted) wrong.push(`0 ${way}`);
    for (const { text } of changed[way]) {
      for (const name of namesIn(text)) if (!expected[way].includes(name)) wrong.push(`${way}: ${text}`);
    }
  }
  for (const [then, now] of changed.still) {
    if ([...namesIn(then.text)].join() !== [...namesIn(now.text)].join()) wrong.push(`left: ${now.text}`);
  }
  const rows = rowsOf(change);
  const shows = (way: RegExp, name: number) => rows.some((row) => way.test(row) && namesIn(row).has(name));
  for (const [way, names] of [[/^gone|^-/, gone], [/^new|^\+/, fresh], [/^left|^[-+]/, left]] as const) {
    for (const name of names) if (!shows(way, name)) missing.push(`${way} lacks ${name}`);
  }
  return { wrong: wrong.slice(0, 3), missing };
}

Deno.test("numbered names: no count of what changed is false, and nearly all say what changed", () => {
  const faults = NUMBERED_PAIRS.map((pair) => ({ name: pair.name, ...faultsOf(pair) }));
  assertEquals(faults.filter(({ wrong }) => wrong.length > 0), []);
  const untold = faults.filter(({ missing }) => missing.length > 0);
  assert(untold.length <= 0.03 * faults.length, JSON.stringify(untold, undefined, 1));
});

Deno.test("numbered names: what a log puts before each line, other in each run, leaves the counts as they are", () => {
  const counts = (before: string, after: string) => {
    const { gone, fresh, still, recounted, unclear } = changedFindings(encode(before), encode(after))!;
    return [gone, fresh, still, recounted, unclear.gone, unclear.fresh].map(({ length }) => length);
  };
  const prefixes: readonly ((run: number, at: number) => string)[] = [
    (run, at) => `2026-03-0${run} 10:00:${10 + at % 50} INFO `,
    () => "[billing] ",
    (run) => `[pod/web-${run}d9f8c6b54-x2x${run}z/app] `,
    (run, at) => `Nov 2${run} 10:00:${10 + at % 50} build7 app[${run}12]: `,
    (run, at) => `#12 ${(at * run * 0.127).toFixed(3)} `,
  ];
  // Each of a quarter of the tools with one prefix, since a prefix is taken off before anything is known of the tool.
  for (const [at, { name, before, after }] of NUMBERED_PAIRS.filter((_, at) => at % 4 === 0).entries()) {
    const prefix = prefixes[at % prefixes.length]!;
    const [then, now] = [before, after].map((text, run) =>
      text.split("\n").map((line, at) => line === "" ? "" : prefix(run + 1, at) + line).join("\n")
    );
    assertEquals(counts(then!, now!), counts(before, after), `${name} with ${prefix(1, 1)}`);
  }
});

/** The starts of outputs of real tools, without escape sequences. */
const OUTPUTS = RUN_CASES.flatMap((each) => keptRuns(each) ?? [])
  .map((output) => clean(output).slice(0, 20_000).split("\n"));

/** Lines taken out, put in, changed and shuffled. */
const edits = fc.array(
  fc.tuple(fc.constantFrom("remove", "repeat", "rename", "swap", "copy"), fc.nat(), fc.nat()),
  { maxLength: 30 },
);

function edited(lines: readonly string[], all: readonly (readonly [string, number, number])[]): string[] {
  const made = [...lines];
  for (const [what, one, other] of all) {
    const [at, to] = [one % made.length, other % made.length];
    const line = made[at]!;
    if (what === "remove") made.splice(at, 1);
    else if (what === "repeat") made.splice(at, 0, line);
    else if (what === "copy") made.splice(to, 0, `${line} of ${to}`);
    else if (what === "rename") made[at] = line.replace(/[a-z]{4,}/, (name) => `${name}_${to}`);
    else [made[at], made[to]] = [made[to]!, line];
    if (made.length === 0) return lines.slice(0, 1);
  }
  return made;
}

const output = fc.constantFrom(...OUTPUTS);

Deno.test("edited outputs: the counts agree with each other and with the lines below, and each line is where it is said to be", () => {
  fc.assert(
    fc.property(output, edits, (before, all) => {
      const after = edited(before, all);
      const [then, now] = [encode(before.join("\n")), encode(after.join("\n"))];
      const change = contentChange(then, now);
      const changed = change.changed!;
      const { gone, fresh, still, recounted, unclear } = changed;
      const left = still.length + recounted.length;
      const [lost, added] = [[...gone, ...unclear.gone], [...fresh, ...unclear.fresh]];
      const [same, young] = [changedFindings(then, then)!.still, changedFindings(now, now)!.still];
      assertEquals([lost.length + left, added.length + left], [same.length, young.length]);
      for (const { line, text } of lost) assert(text.includes(before[line - 1]!.trim()), text);
      for (const { line, text } of added) assert(text.includes(after[line - 1]!.trim()), text);
      for (const [old, young] of [...still, ...recounted]) {
        assert(
          old.text.includes(before[old.line - 1]!.trim()) &&
            young.text.includes(after[young.line - 1]!.trim()),
        );
      }
      const counts = /(\d+) of (\d+) findings gone, (\d+) new, (\d+) left(?:, (\d+) of them changed)?/
        .exec(changeCounts(change));
      const shown = (way: string) =>
        rowsOf({ changed }).reduce((sum, row) => {
          if (!row.startsWith(way)) return sum;
          return sum + Number(/^\S+ +and (\d+) more$/.exec(row)?.[1] ?? 1);
        }, 0);
      assertEquals([shown("-"), shown("+")], [unclear.gone.length, unclear.fresh.length]);
      if (lost.length > gone.length || added.length > fresh.length) {
        assertEquals(counts, null);
      }
      // Other lines may be findings, too: then nothing is counted.
      if (counts === null) return;
      const rows = [
        shown("gone"),
        shown("gone") + shown("left") + shown("now "),
        shown("new "),
        shown("left") + shown("now "),
        shown("now "),
      ];
      assertEquals(counts.slice(1).map((count) => Number(count ?? 0)), rows);
    }),
    { numRuns: 60 },
  );
});

Deno.test("edited outputs: a failure of another name is not left, and times and places do not count", () => {
  const shifted = (line: string, by: number) =>
    line.replace(
      /(\.(?:c|cc|cpp|py|ts|js|rs|go|java|rb|php)):(\d+)(?!\d|:\d\d:)/g,
      (_, path, at) => `${path}:${Number(at) + by}`,
    )
      .replace(/(?<![\w.:-])\d+(\.\d+)?(?= ?(?:ms|s|seconds)\b)/g, (time) => `${Number(time) + by}`)
      .replace(/(?<= )\d\d(?=:\d\d:\d\d)/g, (hour) => String((Number(hour) + by) % 24).padStart(2, "0"));
  fc.assert(
    fc.property(output, fc.nat(), fc.integer({ min: 1, max: 40 }), (before, pick, by) => {
      const after = before.map((line) => shifted(line, by));
      const then = encode(before.join("\n"));
      const moved = changedFindings(then, encode(after.join("\n")))!;
      assertEquals([moved.gone, moved.fresh], [[], []]);
      const { still } = changedFindings(then, then)!;
      const named = still.map(([said]) => said).filter(({ line, text }) =>
        before.filter((each) => each.trim() === before[line - 1]!.trim()).length === 1 &&
        /[a-z]{3}_[a-z]{3}/.test(text) &&
        text === before[line - 1]
      );
      if (named.length === 0) return;
      const { line } = named[pick % named.length]!;
      after[line - 1] = after[line - 1]!.replace(/(?<=[a-z]{3}_[a-z]{3,})/, "_17");
      const { gone, fresh, unclear } = changedFindings(then, encode(after.join("\n")))!;
      assert(
        [[...gone, ...unclear.gone], [...fresh, ...unclear.fresh]].every((all) =>
          all.some((said) => said.line === line)
        ),
        after[line - 1],
      );
    }),
    { numRuns: 60 },
  );
});
