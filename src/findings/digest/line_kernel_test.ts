// Promise: shapes, starts and kinds are counted as the plain model here counts them, whatever lines there are and however they
// arrive in pieces.

import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { WORDS } from "./failure_signs.ts";
import { commonPrefix } from "./line_prefix.ts";
import { watchContent } from "./watch_content.ts";

const SIGNS = new Set(WORDS.split(" ").filter((word) => /^[a-z]+$/.test(word)));
const SHAPED_CHARS = 240;
const MAX_SIGN_CHARS = 24;

/** A word as it is compared; undefined if it is not a sign of failure. */
function signOf(token: string): string | undefined {
  const word = token.toLowerCase();
  if (/^(?:.+E|E.+E)rror$|.Exception$/.test(token)) return word;
  if (token.length > MAX_SIGN_CHARS) return undefined;
  return SIGNS.has(word) || /^[a-z]+\.$/.test(word) && SIGNS.has(word.slice(0, -1)) ? word : undefined;
}

/** Texts that are equal for lines of ASCII, without times and statuses, that count alike. */
function modelOf(line: string): { shape: string; lead: string; kind: string | undefined } {
  const shape: string[] = /^[ \t]/.test(line) ? ["indented"] : [];
  let lead: string | undefined;
  let kind: string[] | undefined;
  let last = "";
  let hasSign = false;
  let [tokens, words, quotedTo] = [0, 0, 0];
  const add = (part: string, at: number) => {
    if (part !== last && at < SHAPED_CHARS) shape.push(part);
    last = part;
  };
  for (const { 0: text, index } of line.matchAll(/[\w@\\./-]+|[^\s]/g)) {
    if (!/^[\w@\\./-]/.test(text)) {
      add(text, index);
      if (/["'`]/.test(text) && kind !== undefined && index >= quotedTo) {
        const end = line.slice(0, SHAPED_CHARS).indexOf(text, index + 1);
        quotedTo = Math.max(quotedTo, end + 1);
      }
      continue;
    }
    tokens++;
    const isWord = /^[A-Za-z]+$/.test(text);
    const sign = signOf(text);
    const isKept = isWord && (words === 0 || text.length < 10 && !/[a-z]/.test(text));
    const isNumber = /^\d/.test(text) || /\d/.test(text) && /^[\da-fA-F-]{7,}$/.test(text);
    // Also what followed a place is left out, as `src/a.c:12: In open: error: …`.
    if (sign !== undefined && !hasSign) [kind, quotedTo, hasSign] = [[], 0, true];
    const isPlace = tokens === 1 && /[@\\_./-]/.test(text) && /[A-Za-z]/.test(text) &&
      /^[:(]\d/.test(line.slice(index + text.length));
    if (isPlace) kind ??= [];
    if (isWord && index >= quotedTo && index < SHAPED_CHARS) kind?.push(text.toLowerCase());
    add(sign ?? (isKept ? text.toLowerCase() : isNumber ? "0" : "name"), index);
    if (/[A-Za-z]/.test(text)) words++;
    if (tokens === 2) lead = shape.join(" ");
  }
  return { shape: shape.join(" "), lead: lead ?? shape.join(" "), kind: kind?.join(" ") };
}

const word = fc.constantFrom(
  ..."open the GET WARN error failed Failed. exception TypeError zone a1 x_2 src/pay.c web-1 12 4711 deadbeef7 v1.2 OK CHANGED TIMESTAMPED"
    .split(" "),
);
const piece = fc.oneof(
  { weight: 6, arbitrary: word },
  fc.constantFrom(
    "'open the'",
    'error "zone',
    ":",
    "(",
    "[",
    "'",
    '"',
    ", ",
    " ",
    "  ",
    "src/a.c:12: ",
    "=",
    "x".repeat(130),
    "-",
    ".",
  ),
);
const line = fc.array(piece, { maxLength: 7 }).chain((parts) =>
  fc.constantFrom("", " ").map((joint) => parts.join(joint))
);
const content = fc.tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 2000 }))
  .map(([lines, count]) => Array.from({ length: count }, (_, at) => lines[at * at % lines.length]!));

const countsOf = (texts: readonly (string | undefined)[]) => {
  const counts = new Map<string | undefined, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
};

Deno.test("the kernel counts shapes, starts and kinds of lines as a plain model does", () => {
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 70_000 }), (lines, size) => {
      const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`);
      const watcher = watchContent()!;
      for (let at = 0; at < bytes.length; at += size) watcher.see(bytes.subarray(at, at + size));
      const watched = watcher.end();
      const prefix = commonPrefix(`${lines.join("\n")}\n`.slice(0, 4096).split("\n").slice(0, -1));
      const hasPrefix = (line: string) => line.slice(0, prefix.length).replace(/\d/g, "0") === prefix;
      // A shape has the start of its first line: `src/a.c v1.2 WARN x_2` is like `web-1 WARN open`, which starts otherwise.
      const leadOf = new Map<string, string>();
      const models = lines.map((line) => {
        const model = modelOf(hasPrefix(line) ? line.slice(prefix.length) : line);
        if (!leadOf.has(model.shape)) leadOf.set(model.shape, model.lead);
        return { ...model, lead: leadOf.get(model.shape)! };
      });
      const [shapes, leads, kinds] = (["shape", "lead", "kind"] as const)
        .map((part) => countsOf(models.map((model) => model[part])));
      for (const [at, { shape, lead }] of models.entries()) {
        const counted = (["shape", "lead"] as const).map((by) =>
          watched.likeCount(at + 1, by, () => undefined)
        );
        deepStrictEqual(counted, [shapes!.get(shape), leads!.get(lead)], `line ${at + 1}: ${lines[at]}`);
      }
      const rare = lines.flatMap((_, at) => shapes!.get(models[at]!.shape) === 1 ? [at + 1] : []);
      deepStrictEqual(watched.rareLines("shape", 1, lines.length), rare);
      for (const { line, count } of watched.findings) {
        deepStrictEqual(
          count,
          kinds!.get(models[line - 1]!.kind),
          `kind of line ${line}: ${lines[line - 1]}`,
        );
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("lines that all say something else are counted as the plain model does, and a new sign among them is found", () => {
  const plain = "request cache worker module compiled opened token batch commit shard".split(" ");
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 3000, max: 5999 }), (seed, planted) => {
      let state = seed;
      const random = (below: number) => {
        state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
        return (state >>> 8) % below;
      };
      const lines = Array.from({ length: 6000 }, () => {
        const words = Array.from(
          { length: 5 + random(9) },
          () => random(20) === 0 ? "retry" : plain[random(plain.length)],
        );
        const level = random(2) === 0 ? "ERROR" : "WARN";
        return `2026-01-02T03:04:0${random(10)}.123Z ${level} [worker-${random(64)}] ${words.join(" ")} id=${
          random(1e6)
        }`;
      });
      lines[planted] = `2026-01-02T03:04:05.678Z ERROR [worker-7] batch panicked at commit id=${random(1e6)}`;
      const watcher = watchContent()!;
      watcher.see(new TextEncoder().encode(`${lines.join("\n")}\n`));
      const watched = watcher.end();
      const prefix = "2026-01-02T03:04:05.678Z ".length;
      const shapes = lines.map((line) => modelOf(line.slice(prefix)).shape);
      const counts = countsOf(shapes);
      const counted = lines.map((_, at) => watched.likeCount(at + 1, "shape", () => undefined));
      deepStrictEqual(counted, shapes.map((shape) => counts.get(shape)!));
      deepStrictEqual(watched.findings.some(({ line }) => line === planted + 1), true);
    }),
    { numRuns: 10 },
  );
});
