import { deepStrictEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { blocksOf } from "../../../tests/outlined_bytes.ts";
import { oddMembers } from "./odd_members.ts";
import { studyContent } from "./studied_lines.ts";

function oddOf(lines: readonly string[]): number[] {
  const { tops, odd } = oddMembers(studyContent(blocksOf(`${lines.join("\n")}\n`)));
  return [...new Set([...tops, ...odd])];
}

function linesOf(count: number, lineOf: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => lineOf(at));
}

Deno.test("the one line that differs from those written like it is odd, wherever it is", () => {
  const lists = [
    {
      like: (at: number) => `-A INPUT -s 10.${at % 7}.9.0/24 --dport ${at % 2 ? 80 : 443}`,
      odd: "-A INPUT -s 10.1.9.0/8 --dport 80",
    },
    { like: (at: number) => `SVC_${at}=http://svc-${at}.local:80/`, odd: "SVC_7=http://db.example.com:80/" },
    {
      like: (at: number) => `Reallocated_Sectors  0x33 100  Always - ${at % 2}`,
      odd: "Reallocated_Sectors  0x33 100  Always - 1624",
    },
    { like: (at: number) => `job ${at * 7 % 90} took ${at * 13 % 50 + 10} ms`, odd: "job 3 took 8123 ms" },
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...lists),
      fc.integer({ min: 24, max: 300 }),
      fc.nat(),
      ({ like, odd }, count, place) => {
        const lines = linesOf(count, like);
        deepStrictEqual(oddOf(lines), []);
        const at = place % count;
        deepStrictEqual(oddOf(lines.toSpliced(at, 0, odd)), [at + 1]);
      },
    ),
  );
});

Deno.test("a series that ascends evenly is odd where it leaves out or repeats a number, not where it starts again", () => {
  const series = linesOf(100, (at) => `${1000 + 5 * at}`);
  deepStrictEqual(oddOf(series), []);
  deepStrictEqual(oddOf(series.toSpliced(40, 1)), [41]);
  deepStrictEqual(oddOf(series.toSpliced(40, 0, series[40]!)), [42]);
  deepStrictEqual(oddOf(linesOf(100, (at) => `step ${at % 60}`)), []);
});

Deno.test("a row whose number is far above is odd, with whatever separators and text behind it", () => {
  const rows = linesOf(
    60,
    (at) => `  ${at + 1}   ${at % 9 + 1}    ${at % 7}.${at % 10}   call(${"x,".repeat(at % 5)}y)`,
  );
  deepStrictEqual(oddOf(rows), []);
  deepStrictEqual(oddOf(rows.toSpliced(33, 1, "  34   9    292,158.1   [f(x) for x in y]")), [34]);
  const phases = linesOf(
    60,
    (at) => ` ${"abcdef"[at % 6]} phase   :   0.0${at % 9} (  ${at % 3}%)  ${at % 90 + 900}k`,
  );
  deepStrictEqual(oddOf(phases), []);
  deepStrictEqual(oddOf(phases.toSpliced(20, 1, " g phase   :  41.22 ( 88%)  2211M")), [21]);
});

Deno.test("a counter of errors that is not 0 is odd among other counters, unless many are", () => {
  const counters = linesOf(
    90,
    (at) => `  rx_${at % 3 === 0 ? "errors" : "bytes"}_${"abcdefghi"[at % 9]}${at}: ${at % 3 && at * 7919}`,
  );
  deepStrictEqual(oddOf(counters), []);
  deepStrictEqual(oddOf(counters.toSpliced(40, 0, "  rx_crc_errors: 88112")), [41]);
  deepStrictEqual(oddOf(counters.map((line) => line.replace(/: 0$/, ": 3"))), []);
});

Deno.test("the top of a table that is sorted by its numbers is shown, in longer content, too", () => {
  const rows = linesOf(
    1500,
    (at) => `${90_000 - 50 * at} (${(40 - at / 40).toFixed(2)}%)  lib/${"a/".repeat(at % 4)}f.c:f${at}`,
  );
  deepStrictEqual(oddOf([...linesOf(30, (at) => `note ${at % 2}`), "", ...rows]), [32]);
});

Deno.test("nothing is odd where many lines differ, or where lines are few", () => {
  equal(oddOf(linesOf(200, (at) => `a ${at % 20 === 0 ? `word${at}` : "ok"}`)).length, 0);
  equal(oddOf(["a 1", "a 1", "a 1", "a 2"]).length, 0);
});

Deno.test("the first row of a table that falls by any of its numbers is its top, among rows written otherwise, too", () => {
  const rows = linesOf(60, (at) => `${at + 1}:  ${at * 37 % 90}  ${90_000 - 1490 * at}  name.of.Class${at}`);
  deepStrictEqual(oddOf(["num  count  bytes  class", ...rows]), [2]);
  deepStrictEqual(oddOf(rows.map((row, at) => at % 5 === 2 ? row.replace(/ \d+/, " 38/7") : row)), [1]);
  deepStrictEqual(oddOf(rows.map((row, at) => row.replace(/ {2}\d{4,}/, `  ${at * 7919 % 900}`))), []);
  const timed = linesOf(
    400,
    (at) =>
      `${(90_000 - 220 * at) / 100}ms  ${at * 37 % 90 + 10}.1%  call_${"x.".repeat(at % 40)}y and more of it`,
  );
  deepStrictEqual(oddOf(timed), [1]);
});

Deno.test("a row of repeated records is compared with those of its name", () => {
  const disk = ["Spin_Up_Time 4100", "Reallocated_Sectors 0", "Power_On_Hours 20411", "Temperature 31"];
  const disks = linesOf(24, (at) => disk.map((row) => row.replace(/\d\d$/, `${at % 3 + 10}`)).join("\n"))
    .join("\n").split("\n");
  deepStrictEqual(oddOf(disks), []);
  deepStrictEqual(oddOf(disks.toSpliced(45, 1, "Reallocated_Sectors 1816")), [46]);
});

Deno.test("sizes in padded hexadecimal digits are numbers", () => {
  const symbols = linesOf(60, (at) => `00000000000${at + 10}af0 00000000000000${at % 9 + 1}c T call_${at}`);
  deepStrictEqual(oddOf(symbols), []);
  deepStrictEqual(oddOf(symbols.toSpliced(9, 1, "00000000000990c0 0000000004000000 B ring")), [10]);
});

Deno.test("the top of a table and its odd rows are found behind what a log puts before each line", () => {
  const rows = linesOf(200, (at) => `${at * 37 % 90}  ${90_000 - 440 * at}  name.of.Class${at}`);
  const odd = linesOf(
    200,
    (at) => `${at % 9 + 10}  ${at === 77 ? 48_211 : at % 7 + 2}  shard ${"x".repeat(at % 5)}`,
  );
  const prefixes: ((at: number) => string)[] = [
    (at) => `2026-11-30T06:11:${at % 50 + 10}.118Z INFO `,
    () => "[pod/web-7d9f8c6b54-x2x4z/app] ",
  ];
  for (const prefix of prefixes) {
    const behind = (lines: string[]) => oddOf(lines.map((line, at) => prefix(at) + line));
    deepStrictEqual([behind(rows), behind(odd)], [[1], [78]]);
  }
});
