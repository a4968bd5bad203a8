import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { WORDS } from "./failure_signs.ts";
import { watchContent } from "./watch_content.ts";
import type { WatchedLines } from "./watched_lines.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function watched(content: Uint8Array | string, sizes: readonly number[] = [Infinity]): WatchedLines {
  const bytes = typeof content === "string" ? encode(content) : content;
  const watcher = watchContent()!;
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length]!;
    watcher.see(bytes.slice(at, at + size));
    at += size;
  }
  return watcher.end();
}

const rareIn = (lines: WatchedLines) => lines.rareLines("shape", 1, Infinity);

/** All that a watcher says of content of `lineCount` lines. */
function saidOf(lines: WatchedLines, lineCount: number) {
  const { findings, byteCount, overwritten } = lines;
  return {
    findings,
    overwritten,
    kinds: findings.map(({ count }) => count),
    byteCount,
    rare: rareIn(lines),
    odd: lines.odd,
    alike: [lines.alike(1, lineCount, "shape", 1), lines.alike(1, lineCount, "kind", 1)],
  };
}

/** Ordinary lines of a log, and among them `planted` lines at shares of its length. */
function logLines(count: number, planted: readonly (readonly [share: number, line: string])[]): string[] {
  const lines = Array.from(
    { length: count },
    (_, at) => `2026-01-01T00:00:${10 + at % 50} INFO request ${at} took ${at % 97} ms`,
  );
  for (const [share, line] of planted) lines.splice(Math.floor(lines.length * share), 0, line);
  return lines;
}

const PLANTED = [
  [0.3, "ERROR payment 7 failed"],
  [0.5, `long ${"x".repeat(5000)} fatal: no space ${"y".repeat(80_000)}`],
  [0.6, "\x1b[31merror\x1b[0m: coloured"],
  [0.7, `${"0%\r".repeat(40_000)}100%`],
  [0.8, "2026-01-01T00:00:10 INFO request 5 took 70000 ms"],
  [0.9, "the last ordinary line"],
] as const;

Deno.test("a watcher says the same however the content arrives in pieces", () => {
  const lines = logLines(3000, PLANTED);
  const content = encode(`${lines.join("\n")}\n`);
  const whole = saidOf(watched(content), lines.length);
  ok(whole.findings.length === 3 && whole.odd.length === 1, JSON.stringify(whole));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
      deepStrictEqual(saidOf(watched(content, sizes), lines.length), whole);
    }),
    { numRuns: 4 },
  );
});

Deno.test("lines that start with a sign, after any end of a line, count the same however they arrive", () => {
  // So many kinds that a look is that of the first bytes and the signs.
  const name = (at: number) => [..."abcdefgh"].map((_, place) => "bcdfgmpv"[at >> 2 * place & 7]).join("");
  const lines = Array.from(
    { length: 6000 },
    (_, at) => `error while the worker was opening ${name(at * 40_503 & 0xffff)} ${at % 3 === 0 ? "(" : "a"}`,
  );
  const content = encode(`${lines.join("\n")}\n`);
  const whole = saidOf(watched(content), lines.length);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 100, max: 5000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
      deepStrictEqual(saidOf(watched(content, sizes), lines.length), whole);
    }),
    { numRuns: 10 },
  );
});

Deno.test("lines about as long as the window are the same however they arrive", () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 65_500, max: 65_570 }));
  const size = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 62_000, max: 66_000 }));
  const any = (item: fc.Arbitrary<number>) => fc.array(item, { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(any(length), any(size), (lengths, sizes) => {
      const content = encode(lengths.map((each) => `${"x ".repeat(each / 2)}error: no ${each}\n`).join(""));
      const [anySizes, small] = [sizes, [1000]].map((each) => {
        const lines = watched(content, each);
        return { ...saidOf(lines, lengths.length), isPlain: lines.isPlain };
      });
      deepStrictEqual(anySizes, small);
    }),
    { numRuns: 40 },
  );
});

Deno.test("the last line counts whether it ends in a line feed or not, and none after it", () => {
  for (const content of ["\nA ", "error: a", "error: a\nerror: b", `${"error: a\n".repeat(3)}error: b`]) {
    const lines = content.split("\n").length;
    const shapes = watched(content).alike(1, lines, "shape", 1);
    deepStrictEqual(shapes.reduce((sum, { count }) => sum + count, 0), lines);
    deepStrictEqual(watched(content).alike(lines + 1, lines + 9, "shape", 1), []);
    ok(watched(content).findings.every(({ line }) => line <= lines));
  }
});

Deno.test("what is found in lines is found in them among 30 MB of their own ordinary lines", () => {
  const ordinary = encode(`${logLines(20_000, []).join("\n")}\n`);
  const planted = PLANTED.map(([, line]) => line);
  const around = 15;
  const watcher = watchContent()!;
  for (let time = 0; time < around; time++) watcher.see(ordinary);
  for (const line of planted) watcher.see(encode(`${line}\n`));
  for (let time = 0; time < around; time++) watcher.see(ordinary);
  const found = watcher.end();
  const first = 20_000 * around + 1;
  const small = watched(`${[...logLines(2000, []), ...planted, ...logLines(2000, [])].join("\n")}\n`);
  ok(found.byteCount > 25e6);
  deepStrictEqual(
    found.findings.map((finding) => ({ ...finding, line: finding.line - first })),
    small.findings.map((finding) => ({ ...finding, line: finding.line - 2001 })),
  );
  deepStrictEqual(
    rareIn(found).map((line) => line - first),
    rareIn(small).map((line) => line - 2001),
  );
  deepStrictEqual(found.odd.map((line) => line - first), small.odd.map((line) => line - 2001));
});

Deno.test("a sign is found among lines that all differ, and a status among thousands of requests alike", () => {
  const name = (at: number) => Array.from(String(at), (digit) => "bcdfghjklm"[Number(digit)]).join("");
  const others = Array.from({ length: 40_000 }, (_, at) => `${name(at)} ${name(at * 7)} came to ${at}`);
  // Line 16,385 is the first that is not compared as a whole.
  for (const at of [16_384, 39_000]) others[at] = "zoe: no such room";
  deepStrictEqual(watched(others.join("\n")).findings.map(({ line }) => line), [16_385, 39_001]);
  const calls = Array.from(
    { length: 9000 },
    (_, at) => `10.0.0.${at % 9} "GET /items/${at % 7} HTTP/1.1" 200 71`,
  );
  calls[8000] = calls[8000]!.replace(" 200 ", " 503 ");
  deepStrictEqual(watched(calls.join("\n")).findings.map(({ line }) => line), [8001]);
});

Deno.test("short lines with signs count alike however they are cut", () => {
  const letters = (at: number) => Array.from(String(at), (digit) => "bcdfghjklm"[Number(digit)]).join("");
  const shapes = Array.from({ length: 3000 }, (_, at) => `${letters(at)} came to ${at}`);
  const failures = Array.from({ length: 20_000 }, (_, at) => `failed ${letters(at)}`);
  const content = encode([...failures.slice(0, 9), ...shapes, ...failures].join("\n"));
  const counts = (
    lines: WatchedLines,
  ) => [lines.likeCount(1, "shape", () => undefined), lines.findings[0]!.count];
  deepStrictEqual(counts(watched(content)), counts(watched(content, [20_011])));
});

Deno.test("the first lines of a kind are judged, and all are counted", () => {
  const lines = logLines(4000, [
    [0.5, "ERROR disk /dev/sda1 is broken"],
    ...Array.from({ length: 200 }, (_, at) => [0.5 + at / 600, `WARN job ${at} failed: retry`] as const),
  ]);
  const { findings } = watched(lines.join("\n"));
  const [errors, warnings] = ["ERROR", "WARN"].map((start) =>
    findings.filter(({ line }) => lines[line - 1]!.startsWith(start))
  );
  deepStrictEqual([errors!.length, errors![0]!.count], [1, 1]);
  deepStrictEqual([warnings!.length, warnings![0]!.count], [4, 200]);
});

Deno.test("memory and findings are bounded, and any content gives the same twice", () => {
  const line = (at: number) => Array.from(String(at), (digit) => "abcdefghij"[Number(digit)]).join("");
  for (
    const content of [
      encode("x".repeat(3_000_000)),
      encode("a\n".repeat(500_000)),
      encode(
        Array.from({ length: 100_000 }, (_, at) => `${line(at)} error: ${line(at)} ${line(at * 7)}`).join(
          "\n",
        ),
      ),
      new Uint8Array(100_000),
      encode(`${"[{".repeat(100_000)}\n`),
      new Uint8Array(
        Uint16Array.from("error: half a file\n".repeat(2000), (char) => char.charCodeAt(0)).buffer,
        0,
        75_001,
      ),
    ]
  ) {
    const [once, twice] = [watched(content), watched(content)];
    ok(once.findings.length <= 12_288);
    deepStrictEqual(saidOf(once, 1000), saidOf(twice, 1000));
  }
});

const requests = (count: number) =>
  Array.from({ length: count }, (_, at) => `GET /items/${at} state=ready took 0.0${10 + at % 80} s`);
const oddIn = (lines: readonly string[]) => watched(`${lines.join("\n")}\n`).odd;

Deno.test("a rare word where all other lines have one of a few is odd, and a number far above all others", () => {
  const lines = requests(600);
  lines[311] = "GET /items/311 state=stale took 0.020 s";
  deepStrictEqual(oddIn(lines), [312]);
  lines[311] = "GET /items/99 state=ready took 4.120 s";
  deepStrictEqual(oddIn(lines), [312]);
});

Deno.test("a value of few is odd as it is written, of shapes that are not the most frequent, too", () => {
  const key = (at: number) => `Public-Key: (${at === 13 ? 1024 : 2048} bit)`;
  const image = (at: number) => `image: ${at === 9 ? "docker.io" : "registry.example.com"}/shop/x${at}`;
  const records = (of: (at: number) => string) =>
    Array.from({ length: 30 }, (_, at) => ["one {", "two {", "three {", "four {", of(at), "}"]).flat();
  deepStrictEqual(oddIn(records(key)), [6 * 13 + 5]);
  deepStrictEqual(oddIn(records(image)), [6 * 9 + 5]);
  deepStrictEqual(oddIn(records((at) => `mode ${at === 7 ? 400 : at % 5 === 0 ? 644 : 755}`)), [6 * 7 + 5]);
  deepStrictEqual(oddIn(records((at) => `took ${at === 7 ? 0.3 : 0.5} s`)), []);
  deepStrictEqual(oddIn(records((at) => `part ${100 + at}`)), []);
});

Deno.test("of records that are alike the one that lacks a line is odd, but neither the end of all nor that of a list", () => {
  const zones = (lacking: number, count: number) =>
    Array.from(
      { length: count },
      (_, at) => [`zone "z${at}" {`, `\tfile "${at}.db";`, ...at === lacking ? [] : ["\tnotify yes;"], "};"],
    );
  deepStrictEqual(oddIn(zones(13, 40).flat()), [4 * 13 + 2]);
  deepStrictEqual(oddIn(zones(39, 40).flat()), []);
  deepStrictEqual(oddIn([...requests(600), ...zones(-1, 40).flat()]), []);
});

Deno.test("nothing is odd among lines alike, names that all differ, or too few lines", () => {
  deepStrictEqual(oddIn(requests(600)), []);
  const nameOf = (at: number) => Array.from(String(at), (digit) => "abcdefghij"[Number(digit)]).join("");
  deepStrictEqual(oddIn(Array.from({ length: 600 }, (_, at) => `user ${nameOf(at)} came`)), []);
  const few = requests(18);
  few[10] = "GET /items/10 state=stale took 9.000 s";
  deepStrictEqual(oddIn(few), []);
});

Deno.test("each sign of a script without spaces is found in the middle of a line", () => {
  const said = WORDS.split(" ").filter((word) =>
    /[\u3000-\u{ffff}]/u.test(word) && word !== "警告" && word !== "경고"
  );
  const lines = said.map((word) => `日志${word}：8`);
  const { findings } = watched(`${lines.join("\n")}\n`);
  deepStrictEqual(findings.map(({ line }) => line), said.map((_, at) => at + 1));
});

Deno.test("a sign in the middle of a familiar line is found in each part of a long log", () => {
  const lines = Array.from(
    { length: 150_000 },
    (_, at) =>
      `2026-01-01T00:00:${10 + at % 50}.${500 + at % 100} INFO GET "/items" ${200 + at % 9} from 10.0.0.${
        at % 97
      } in 12 ms`,
  );
  const places = [2000, 20_000, 60_000, 130_000, 132_000, 140_000];
  for (const [at, place] of places.entries()) {
    lines[place - 1] = lines[place - 1]!.replace(
      / (\d+) from/,
      at % 2 === 0 ? " 503 from" : " $1 refused from",
    );
  }
  deepStrictEqual(watched(`${lines.join("\n")}\n`, [65_536]).findings.map(({ line }) => line), places);
});

Deno.test("what a line has before its body is known as its text says it, walked or not", () => {
  const lines = logLines(3000, [[0.1, `${"2026-01-01T00:00:10 ".repeat(13)}INFO late`], [0.2, ""], [
    0.9,
    "plain",
  ]]);
  const log = watched(lines.join("\n"));
  // No line has the number 0.
  const ofText = lines.map((line) => log.bodyStart(0, line));
  deepStrictEqual(lines.map((line, at) => log.bodyStart(at + 1, line)), ofText);
  deepStrictEqual(new Set(ofText).size, 3);
});
