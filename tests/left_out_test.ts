/**
 * Law 7 (bounded and honest output), for every answer that shows content: if it leaves out anything that was asked for, it
 * says so, and its next command shows some of that. Contents consist of numbered words, so that what is missing can be
 * counted.
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type JsonAnswer, readJson } from "./read_answer.ts";
import { store } from "./store_calls.ts";
import { makeWorld, runsOf, type World } from "./world.ts";

const WORD = /w\d+x\d+/g;

const wordsIn = (text: string): Set<string> => new Set(text.match(WORD));

/** `count` words of the line with that number. */
const lineOf = (line: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `w${line}x${at}`).join(" ");

/** How many words a line has: few or, at the start, in the middle or at the end, far more than an answer shows of one. */
const lineLengths = fc.record({
  before: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 }),
  long: fc.array(fc.constantFrom(5, 50, 400, 4200), { maxLength: 3 }),
  after: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 }),
}).map(({ before, long, after }) => [...before, ...long, ...after]).filter((lengths) => lengths.length > 0);

const KINDS = {
  text: (line: string) => line,
  failing: (line: string, at: number) => at % 7 === 3 ? `error: ${line}` : line,
  coloured: (line: string) => `\x1b[31m${line}\x1b[0m\r`,
  "JSON lines": (line: string, at: number) => JSON.stringify({ at, words: line }),
  list: (line: string, at: number) => `- item ${at}: ${line}`,
  table: (line: string, at: number) => `${at},${at % 3},${line}`,
} as const;

interface Content {
  lengths: readonly number[];
  kind: keyof typeof KINDS;
  end: "\n" | "";
}

/** Kept as what it is made of, which a failed property shows. */
const content: fc.Arbitrary<Content> = fc.record({
  lengths: lineLengths,
  kind: fc.constantFrom(...Object.keys(KINDS) as (keyof typeof KINDS)[]),
  end: fc.constantFrom("\n", ""),
});

const textOf = ({ lengths, kind, end }: Content, firstLine = 1): string =>
  lengths.map((count, at) => KINDS[kind](lineOf(at + firstLine, count), at)).join("\n") + end;

/** The numbers of "1-3,7-9". */
function numbersIn(lines: string): Set<number> {
  const numbers = new Set<number>();
  for (const range of lines.split(",")) {
    const [first = 0, last = 0] = range.split("-").map(Number);
    for (let line = Math.max(1, first); line <= last; line++) numbers.add(line);
  }
  return numbers;
}

/** Whether an answer's fields say that it leaves out something. */
function saysSo(answer: JsonAnswer): boolean {
  const isLess = (part: string, whole: string) => Number(answer[part]) < Number(answer[whole]);
  const rows = [...(answer["matches"] ?? []) as JsonAnswer[], ...(answer["fds"] ?? []) as JsonAnswer[]];
  return answer["truncated"] === true || /^Outline|binary/.test(String(answer["message"])) ||
    answer["shown_chars"] !== undefined ||
    answer["type"] === "fd_result" &&
      numbersIn(String(answer["lines"])).size < Number(answer["total_lines"]) ||
    isLess("shown", "total") || isLess("shown_lines", "diff_lines") ||
    rows.some((row) => row["cut_before"] !== undefined || row["cut_after"] !== undefined) ||
    /left out|not listed/.test(String(answer["message"]));
}

/** The words that an answer shows: none of those in fdtool's own sentences, and no examples of what is left out. */
function shownBy(answer: JsonAnswer): Set<string> {
  const { message: _, next: _next, filter: _filter, pattern: _pattern, shapes: _shapes, ...shown } = answer;
  return wordsIn(JSON.stringify(shown, (name, value) => name === "like" ? undefined : value));
}

/** Runs a call whose answer should have the words `asked`, and checks that it reports those that it leaves out. */
async function checkLeftOut(
  world: World,
  line: string,
  asked: ReadonlySet<string>,
  stdin = "",
): Promise<void> {
  const env = { FDTOOL_FORMAT: "json" };
  const finished = await world.shell(line, { stdin, env });
  // 1: nothing was found, or the contents differ.
  assertEquals([finished.code <= 1, finished.stderr], [true, ""], line);
  // What is passed through is whole.
  if (!finished.text.startsWith('{"type":"fd_')) return assertEquals(finished.text, stdin, line);
  const answer = readJson(finished.text);
  const leftOut = asked.difference(shownBy(answer));
  if (leftOut.size === 0) return;
  const about = `${line}: ${leftOut.size} of ${asked.size} words are left out: ${
    finished.text.slice(0, 1500)
  }`;
  assert(saysSo(answer), `not said: ${about}`);
  const next = answer["next"];
  assert(typeof next === "string", `no next command: ${about}`);
  const followed = await world.shell(next, { env });
  assertEquals(followed.code, 0, `${next}: ${followed.stderr}`);
  const shown = next.startsWith("fdtool to-file")
    ? wordsIn(world.text(next.split(" ").at(-1)!))
    : next.includes("--extract")
    ? wordsIn(
      (await world.run(["read", String(readJson(followed.text)["new_fd"]), "--all", "--format", "raw"])).text,
    )
    : shownBy(readJson(followed.text));
  // An outline has examples of the content, which may be all that its next command leads to.
  const isExample = String(answer["message"]).startsWith("Outline") && shown.size > 0;
  assert(
    isExample || leftOut.intersection(shown).size > 0,
    `${next} shows nothing that was left out. ${about}`,
  );
}

async function tried<T>(
  runs: number,
  given: fc.Arbitrary<T>,
  check: (world: World, given: T) => Promise<void>,
  examples: [T][] = [],
) {
  const property = fc.asyncProperty(given, async (each) => {
    using world = makeWorld();
    await check(world, each);
  });
  await fc.assert(property, { numRuns: runsOf(runs), examples });
}

const amount = fc.constantFrom(100, 700, 3000, 8000, 20_000);

Deno.test("the first answer says what it leaves out, and its next command shows some of it", async () => {
  const options = fc.record({
    content,
    preview: fc.constantFrom("digest", "page", "head", "tail", "both", "none"),
    chars: amount,
    always: fc.boolean(),
  });
  await tried(15, options, async (world, { content, preview, chars, always }) => {
    const given = textOf(content);
    const most = preview === "page" ? "" : `--preview-chars ${chars}`;
    const line = `fdtool capture --threshold 100 --preview ${preview} ${most}${always ? " --always" : ""}`;
    await checkLeftOut(world, line, wordsIn(given), given);
    world.write("given", given);
    await checkLeftOut(
      world,
      `fdtool run --threshold 0 --preview ${preview} ${most} -- cat given`,
      wordsIn(given),
    );
  });
});

Deno.test("a bounded read says what it leaves out, and its next command shows some of it", async () => {
  const options = fc.record({
    content,
    slice: fc.constantFrom(
      "--all",
      "--start 1",
      "--tail 2 --mode page",
      "--lines 1-9",
      "--mode line --start 3 --count 40",
      "--tail 5 --mode line",
      "--mode char --start 30 --count 30000",
      "--mode char --tail 9000",
      "--since 0",
      "--since 500",
      "--all --number",
      "--all --exact",
    ),
    chars: amount,
  });
  await tried(15, options, async (world, { content, slice, chars }) => {
    const given = textOf(content);
    const fd = await store(world, given);
    const whole = await world.shell(`fdtool read ${fd} ${slice} --format raw`);
    if (whole.code !== 0) return;
    await checkLeftOut(world, `fdtool read ${fd} ${slice} --max-chars ${chars}`, wordsIn(whole.text));
  });
});

Deno.test("a search says what it leaves out, and its next command shows some of it", async () => {
  const options = fc.record({
    content,
    pattern: fc.constantFrom(
      "w",
      "w10?1x",
      "w[0-9]*x3900",
      "x7",
      "w[0-9]*x[0-9]*",
      "w.*",
      "error",
      "w4[0-9]*x",
    ),
    context: fc.constantFrom(0, 1, 8),
    chars: amount,
    most: fc.constantFrom("", "-m 2"),
    way: fc.constantFrom("", "-v", "--exact", "--all-fds", "--only-matching", "--only-matching --all-fds"),
  });
  // All lines around the first hit are shown, and others are not.
  const lengths = [2, 1, 2, 1, 1, 2, 2, 50, 400, 50, 9, 7, 6, 2, 3, 2, 5];
  const surroundingsShown = {
    content: { lengths, kind: "table", end: "\n" },
    pattern: "w",
    context: 0,
    chars: 3000,
    most: "",
    way: "",
  } as const;
  // The line that leads on is shown, and cut.
  const cutFirst = {
    ...surroundingsShown,
    content: { lengths: [2, 1, 2, 4200, ...Array(600).fill(3)], kind: "failing", end: "\n" },
  } as const;
  await tried(20, options, async (world, { content, pattern, context, chars, most, way }) => {
    const given = textOf(content);
    const fd = await store(world, given);
    const isOfAll = way.includes("all-fds");
    const other = isOfAll ? textOf(content, 101) : "";
    if (isOfAll) await store(world, other);
    const contents = [given, other].filter((text) => text !== "").map((text) =>
      text.replace(/\n$/, "").split("\n")
    );
    const isHit = (line: string) => new RegExp(pattern).test(line) !== (way === "-v");
    const asked = contents.flatMap((lines) =>
      way.includes("only")
        ? lines.flatMap((line) => line.match(new RegExp(pattern, "g")) ?? [])
        : lines.filter((_, at) => lines.slice(Math.max(0, at - context), at + context + 1).some(isHit))
    ).join("\n");
    const where = isOfAll ? "" : fd;
    const around = way.includes("only") ? "" : `-C ${context}`;
    const line = `fdtool search ${where} '${pattern}' ${around} ${most} ${way} --max-chars ${chars}`;
    await checkLeftOut(world, line, wordsIn(asked));
  }, [[surroundingsShown], [cutFirst]]);
});

Deno.test("a query says what it leaves out, and its next command shows some of it", async () => {
  const options = fc.record({ lengths: lineLengths, chars: amount, raw: fc.boolean(), slurp: fc.boolean() });
  await tried(5, options, async (world, { lengths, chars, raw, slurp }) => {
    const given = lengths.map((count, at) => JSON.stringify({ words: lineOf(at + 1, count) })).join("\n");
    const fd = await store(world, given);
    const line = `fdtool query ${fd} . --max-chars ${chars}${raw ? " -r" : ""}${slurp ? " -s" : ""}`;
    await checkLeftOut(world, line, wordsIn(given));
  });
});

Deno.test("a diff says what it leaves out, and its next command shows some of it", async () => {
  const options = fc.record({
    content,
    changed: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 5 }),
    chars: amount,
    context: fc.constantFrom(0, 3),
  });
  await tried(10, options, async (world, { content, changed, chars, context }) => {
    const given = textOf(content);
    const lines = given.split("\n");
    const before = await store(world, given);
    const other = lines.flatMap((line, at) => changed.includes(at) ? [`changed w99x${at} ${line}`] : [line]);
    const after = await store(world, other.join("\n"));
    const call = `fdtool diff ${before} ${after} --context ${context}`;
    const whole = await world.shell(`${call} --max-chars 9999999 --format json`);
    assertEquals([whole.code <= 1, whole.stderr], [true, ""]);
    await checkLeftOut(
      world,
      `${call} --max-chars ${chars}`,
      wordsIn(String(readJson(whole.text)["diff"] ?? "")),
    );
  });
});
