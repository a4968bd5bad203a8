import { assertEquals } from "@std/assert";
import type { Ink } from "./ink.ts";
import { inkOf } from "./ink.ts";
import { bodyOf } from "../../../tests/sample_answers.ts";
import { shownDiff } from "./framed_body.ts";

const linesOf = (diff: string, ink: Ink): string =>
  shownDiff(bodyOf(diff), { ink, columns: 80, nowMs: 0, writeCall: () => "", makeBoundary: () => "" }).lines;

/** Each stroke as its first letter. */
const LETTERS: Ink = {
  ...inkOf(undefined),
  heading: (text) => `H ${text}`,
  hunk: (text) => `@ ${text}`,
  added: (text) => `A ${text}`,
  removed: (text) => `R ${text}`,
};

Deno.test("a line of a diff is what its hunk says, whatever it looks like", () => {
  const diff = [
    "--- a/f",
    "+++ b/f",
    "@@ -1,3 +1,3 @@",
    "--- removed",
    "+++ added",
    " @@ -1 +1 @@",
    " same",
    "\\ No newline at end of file",
    "@@ -9 +9 @@ more",
    "-old",
    "+new",
    "--- a/g",
    "+++ b/g",
    "@@ -0,0 +1,1 @@",
    "+only",
    "",
  ].join("\n");
  assertEquals(
    linesOf(diff, LETTERS).split("\n").map((line) => line.slice(0, 6)),
    [
      "H --- ",
      "H +++ ",
      "@ @@ -",
      "R --- ",
      "A +++ ",
      " @@ -1",
      " same",
      "\\ No n",
      "@ @@ -",
      "R -old",
      "A +new",
      "H --- ",
      "H +++ ",
      "@ @@ -",
      "A +onl",
      "",
    ],
  );
  assertEquals(linesOf("", LETTERS), "");
  assertEquals(linesOf(diff, inkOf(undefined)), diff);
});
