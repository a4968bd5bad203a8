import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { FdMatches } from "../../calls/terms/answers.ts";
import { markSpans } from "./mark_spans.ts";

function answerOf(texts: readonly string[]): FdMatches {
  return {
    type: "fd_matches",
    fd: "fd:1",
    pattern: "",
    total: texts.length,
    shown: texts.length,
    matches: texts.map((text, at) => ({ line: at + 1, text })),
  };
}

function marked(text: string, pattern: string, more: object = {}): string[] {
  const { matches } = markSpans(answerOf([text]), { pattern, ...more });
  return (matches[0]!.spans ?? []).map(([from, to]) => text.slice(from, to));
}

Deno.test("matches are marked where they are in the text, wide chars counted as the text has them", () => {
  assertEquals(marked("error: an Error, no terror", "error", { ignore_case: true }), [
    "error",
    "Error",
    "error",
  ]);
  assertEquals(marked("error: an Error, no terror", "error", { word: true }), ["error"]);
  assertEquals(marked("漢字🙂 fail 漢字🙂 fail", "fail|字"), ["字", "fail", "字", "fail"]);
  assertEquals(marked("a.c abc", "a.c", { fixed: true }), ["a.c"]);
  assertEquals(marked("anything", "$"), [], "an empty match has nothing to mark");
  assertEquals(marked("anything", "other", { invert: true }), []);
});

Deno.test("context and matches shown alone are not marked", () => {
  const answer = answerOf(["x", "x", "x"]);
  answer.matches[1]!.context = true;
  answer.matches[2]!.start = 4;
  assertEquals(markSpans(answer, { pattern: "x" }).matches.map(({ spans }) => spans?.length), [
    1,
    undefined,
    undefined,
  ]);
});

Deno.test("marked text is what the pattern finds, in order, without overlaps", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const line = text.replaceAll(/[\n\r]/g, " ");
    const { matches } = markSpans(answerOf([line]), { pattern: "[a-m]+" });
    const wanted = [...line.matchAll(/[a-m]+/g)].map(({ 0: found, index }) => [index, index + found.length]);
    assertEquals(matches[0]!.spans ?? [], wanted);
  }));
});
