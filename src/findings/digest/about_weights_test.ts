import { deepStrictEqual, equal } from "node:assert/strict";
import { blocksOf } from "../../../tests/outlined_bytes.ts";
import { seekWords, stemOf } from "./about_weights.ts";
import { studyContent } from "./studied_lines.ts";

/** The numbers of the lines that weigh most for `about`, and what is said of it. */
async function found(
  lines: readonly string[],
  about: string,
): Promise<{ said: string; heaviest: number[] | undefined }> {
  const { said, weigh } = await seekWords(about, lines.length, (pattern, most) => {
    const found = lines.flatMap((line, at) => new RegExp(pattern, "i").test(line) ? [at + 1] : []);
    return Promise.resolve({ total: found.length, lines: found.slice(0, most) });
  });
  const study = studyContent(blocksOf(`${lines.join("\n")}\n`));
  return { said, heaviest: weigh?.(study).slice(0, 3).map(({ line }) => line) };
}

function log(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `added package ${at} in ${at % 7} ms`);
}

Deno.test("inflections of a word have one stem", () => {
  for (
    const words of [
      ["warn", "warned", "warns", "warning", "warnings"],
      ["fail", "failed", "failing", "failure", "failures"],
      ["stop", "stopped", "stopping", "stops"],
      ["package", "packages", "packaged"],
      ["dependency", "dependencies"],
      ["connect", "connected", "connection", "connections"],
      ["slow", "slower", "slowest", "slowly"],
    ]
  ) deepStrictEqual([...new Set(words.map(stemOf))].length, 1, words.map(stemOf).join(" "));
});

Deno.test("lines with the words that are sought weigh most, rare words before frequent ones", async () => {
  const lines = [...log(300), "npm WARN deprecated: left-pad", ...log(300), "the pad was left", ...log(100)];
  const { said, heaviest } = await found(lines, "Which package warned?");
  equal(said, "Lines with what you look for: package in 700, warned in 1.");
  equal(heaviest![0], 301);
  deepStrictEqual((await found(lines, "the pads")).heaviest!.slice(0, 2).sort(), [301, 602]);
});

Deno.test("a line with two of the words weighs more than one with one, and what failed is still there", async () => {
  const lines = [
    ...log(100),
    "payment of order 7 came",
    "order 8 declined",
    ...log(100),
    "payment declined for order 9",
    ...log(100),
    "fatal error: disk full",
    ...log(10),
  ];
  const { heaviest } = await found(lines, "why was a payment declined");
  deepStrictEqual(heaviest!.slice(0, 2).sort(), [203, 304]);
});

Deno.test("a rare line is found behind ten thousand others with its word", async () => {
  const lines = [...log(9000), "package lost its signature", ...log(3000)];
  equal((await found(lines, "packages")).heaviest![0], 9001);
});

Deno.test("a text without a word that is there, or that tells anything, says so", async () => {
  deepStrictEqual(await found(log(30), "zebra"), {
    said: "No line has a word of what you look for.",
    heaviest: undefined,
  });
  deepStrictEqual(await found(log(30), "what is it?"), {
    said: "--about has no word to look for.",
    heaviest: undefined,
  });
});

Deno.test("the same content and text give the same weights, and no text is a pattern", async () => {
  const lines = [...log(50), "a(b|c)*[d é 漢字", ...log(50)];
  deepStrictEqual(await found(lines, "(b|c) [d 漢字 \\"), await found(lines, "(b|c) [d 漢字 \\"));
  equal((await found(lines, "漢字")).heaviest![0], 51);
});
