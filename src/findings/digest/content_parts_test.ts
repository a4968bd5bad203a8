import { deepStrictEqual, ok } from "node:assert/strict";
import { blocksOf } from "../../../tests/outlined_bytes.ts";
import { chooseOfParts, contentParts } from "./content_parts.ts";
import { type Study, studyContent } from "./studied_lines.ts";

function studyOf(lines: readonly string[]): Study {
  return studyContent(blocksOf(`${lines.join("\n")}\n`));
}

function firstsOf(lines: readonly string[]): number[] {
  return contentParts(studyOf(lines)).map(({ first }) => first);
}

function log(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `2026-01-01 INFO ${name} handled request ${at} in 3 ms`);
}

for (
  const [form, heading] of [
    ["== x", (name: string) => `== ${name}`],
    ["=== x ===", (name: string) => `=== ${name} ===`],
    ["--- x ---", (name: string) => `--- ${name} ---`],
    ["## x", (name: string) => `## ${name}`],
    ["# x", (name: string) => `# ${name}`],
    ["*** x ***", (name: string) => `*** ${name} ***`],
    ["$ cmd", (name: string) => `$ cat ${name}`],
    ["==> x <==", (name: string) => `==> ${name} <==`],
  ] as const
) {
  Deno.test(`headings of the form ${form} divide content`, () => {
    const lines = ["a.log", "b.log", "c.log"].flatMap((name) => [heading(name), ...log(name, 5)]);
    deepStrictEqual(firstsOf(lines), [1, 7, 13]);
  });
}

Deno.test("what comes before the first heading is a part, and one sure heading is enough", () => {
  deepStrictEqual(firstsOf([...log("a", 3), "== build", ...log("b", 3)]), [1, 4]);
  deepStrictEqual(firstsOf([...log("a", 3), "---", ...log("b", 3)]), [1, 4]);
});

Deno.test("sections of pytest, a diff, comments, underlined titles and runs of Go's tests are not parts", () => {
  const others = [
    [
      "=".repeat(20) + " FAILURES " + "=".repeat(20),
      ...log("a", 3),
      "=".repeat(25) + " info " + "=".repeat(25),
      "x",
    ],
    ["text", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "--- a/y", "+++ b/y", "@@ -1 +1 @@"],
    ["CC=gcc", "# flags", "CFLAGS=-O2", "# rules", "all: a", "# end", "clean:"],
    ["Name", "----", "abcd"],
    Array.from({ length: 50 }, (_, at) => [`=== RUN   Test${at}`, "    ok"]).flat(),
    ["# a", "# b", "# c", "# d", "x"],
  ];
  for (const lines of others) deepStrictEqual(firstsOf(lines), [], lines[0]);
});

Deno.test("each part keeps its heading and a share, and a small part is shown whole, whatever fails in another", () => {
  const failing = Array.from(
    { length: 400 },
    (_, at) => `src/f${at}.c:${at}:1: error: kind ${"abcdefgh"[at % 8]}${at} x`,
  );
  const lines = [
    "== build",
    ...failing,
    "== limits",
    ...log("x", 4),
    "== log",
    ...log("y", 500),
    "y odd",
    ...log("y", 500),
  ];
  const study = studyOf(lines);
  const { lines: shown } = chooseOfParts(study, 4000);
  const small = [402, 403, 404, 405, 406];
  deepStrictEqual(small.filter((line) => !shown.includes(line)), []);
  for (const wanted of ["== build", "== log", failing[0]!, "y odd"]) {
    ok(shown.includes(lines.indexOf(wanted) + 1), wanted);
  }
});

Deno.test("a failure is found in each part, though it is frequent in the first", () => {
  const refused = (count: number) =>
    Array.from({ length: count }, (_, at) => `12:00:0${at % 9} ERROR refused by peer`);
  const lines = ["== a", ...refused(200), "== b", ...log("b", 300), ...refused(1), ...log("b", 300)];
  const study = studyOf(lines);
  const { lines: shown } = chooseOfParts(study, 3000);
  ok(shown.includes(lines.lastIndexOf("12:00:00 ERROR refused by peer") + 1));
});

Deno.test("an answer of fdtool is shown whole, or its head and its end", () => {
  const answer = (count: number) => [
    '<fd_content fd="fd:1" lines="1-9">',
    "  <next>fdtool read fd:1 --pages 2</next>",
    "  <content>",
    ...log("z", count),
    "== z",
    "</content>",
    "</fd_content>",
  ];
  const lines = [...log("a", 300), ...answer(20), ...answer(400), ...log("b", 300)];
  const study = studyOf(lines);
  const parts = contentParts(study);
  deepStrictEqual(parts.map(({ first, last, isAnswer }) => [first, last, isAnswer]), [
    [1, 300, false],
    [301, 326, true],
    [327, 732, true],
    [733, 1032, false],
  ]);
  const { lines: shown } = chooseOfParts(study, 4000);
  const ofAnswer = (first: number, last: number) =>
    shown.filter((line) => line >= first && line <= last).length;
  deepStrictEqual(ofAnswer(301, 326), 26);
  deepStrictEqual([327, 328, 732].every((line) => shown.includes(line)), true);
  ok(ofAnswer(327, 732) < 10);
});
