/** First answers to generated listings of each kind and of any length are short, and count exactly. */

import { assert } from "@std/assert";
import fc from "fast-check";
import { readWhole } from "../../fd/mod.ts";
import { blocksOf } from "../../tests/outlined_bytes.ts";
import { digestBody } from "../../src/answers/render/body_text.ts";
import { digestPreview } from "../../src/findings/digest/digest_preview.ts";
import { answers } from "./listings.ts";

/** The most chars of an answer with its tags, which take up to 350. */
const MOST_CHARS = 2000 - 350;

const WORDS = ["account", "billing", "cart", "ledger", "rate_table", "settlement", "quote-service", "tests"];
const ENDINGS = [".ts", ".ts", ".py", ".rs", "_test.ts", ".md", ".yaml", ""];

/** A choice that depends on a line's number and the seed only. */
const choice = <Item>(items: readonly Item[], seed: number): Item =>
  items[(Math.imul(seed + 1, 2654435761) >>> 7) % items.length]!;

function pathOf(seed: number): string {
  const depth = 1 + seed % 6;
  const folders = Array.from({ length: depth }, (_, at) => choice(WORDS, seed * 7 + at));
  return `${folders.join("/")}/${choice(WORDS, seed)}${seed}${choice(ENDINGS, seed * 3)}`;
}

interface Kind {
  /** Lines before the items. */
  heading?: string;
  item: (seed: number, at: number) => string;
}

const KINDS: Record<string, Kind> = {
  find: { item: (seed) => `./${pathOf(seed)}` },
  "ls -l": {
    heading: "total 40",
    item: (seed) => `-rw-r--r--  1 ada staff ${seed % 90_000} Nov  3 04:00 ${pathOf(seed)}`,
  },
  "git status --short": { item: (seed) => `${choice([" M", "??", "A ", "UU"], seed)} ${pathOf(seed)}` },
  "git diff --stat": { item: (seed) => ` ${pathOf(seed)} | ${seed % 400 + 1} ++--` },
  "git log --oneline": {
    item: (seed, at) =>
      `${(seed * 7919 + at + 16 ** 8).toString(16).slice(-8)}9 ${choice(["Add", "Fix", "Remove"], seed)} ${
        pathOf(seed)
      } and what ${"long ".repeat(seed % 20)}depends`,
  },
  "grep -rn": {
    item: (seed, at) =>
      `${pathOf(seed % 300)}:${at + 1}:  ${"x.".repeat(seed % 120)}call(${choice(WORDS, seed)}, ${seed})`,
  },
  "grep -n": {
    item: (seed, at) =>
      `${3 * at + 1}:${"  ".repeat(seed % 9)}${"long words ".repeat(seed % 30)}return ${
        choice(WORDS, seed)
      }(${seed});`,
  },
  "rg --heading": {
    item: (seed, at) =>
      `${at === 0 ? "" : "\n"}${pathOf(at)}\n${seed % 900 + 1}:  call(${choice(WORDS, seed)})`,
  },
  "grep -c": { item: (seed) => `${pathOf(seed)}:${seed % 50}` },
  du: { item: (seed) => `${seed % 4000}\t./${pathOf(seed)}` },
  tree: { item: (seed) => `├── ${choice(WORDS, seed)}${seed}${choice(ENDINGS, seed)}` },
  "npm ls": {
    heading: "shop@1.0.0 /work",
    item: (seed) => `├── ${choice(WORDS, seed)}-${seed % 900}@${seed % 9}.${seed % 7}.0`,
  },
  "ps aux": {
    heading: "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND",
    item: (seed, at) =>
      `root     ${String(at + 1).padStart(7)}  0.${seed % 9}  0.1 ${String(seed % 90_000).padStart(6)} ${
        String(seed % 9000).padStart(5)
      } ?        Ss   04:00   0:0${seed % 9} /usr/bin/${choice(WORDS, seed)} ${
        "--option=value ".repeat(seed % 20)
      }`,
  },
  "kubectl get pods": {
    heading: "NAMESPACE     NAME                                   READY   STATUS    RESTARTS   AGE",
    item: (seed) =>
      `shop          ${`${choice(WORDS, seed)}-${seed}`.padEnd(38)} 1/1     ${
        choice(["Running", "Running", "Running", "Pending"], seed).padEnd(9)
      } ${String(seed % 3).padEnd(10)} ${seed % 90}d`,
  },
  "wide table": {
    heading: Array.from({ length: 30 }, (_, at) => `COLUMN_NUMBER_${at}`).join("   "),
    item: (seed) =>
      Array.from(
        { length: 30 },
        (_, at) => `${choice(WORDS, seed + at)}${seed * at % 900}`.padEnd(`COLUMN_NUMBER_${at}`.length),
      ).join("   "),
  },
  "uniq -c": { item: (seed, at) => `${String(1_000_000 - 3 * at).padStart(7)} ${pathOf(seed)}` },
};

function listing({ heading, item }: Kind, count: number, seed: number): string {
  const lines = Array.from({ length: count }, (_, at) => item((seed + at * 31) >>> 0, at));
  return [...heading === undefined ? [] : [heading], ...lines, ""].join("\n");
}

async function answerTo(content: string): Promise<string> {
  const { parts } = await digestPreview(blocksOf(content), { budgetChars: 4000 });
  return new TextDecoder().decode(readWhole(digestBody(parts)));
}

/** More than the 4 MiB from which on an outline reads content in parts; longer content only repeats those. */
const MOST_BYTES = 4_400_000;

/** Up to 100,000 lines, in up to that many bytes. */
function mostLines(kind: Kind): number {
  const sampled = 1000;
  return Math.min(100_000, Math.round(MOST_BYTES * sampled / listing(kind, sampled, 1).length));
}

for (const [name, kind] of Object.entries(KINDS)) {
  Deno.test(`a listing of ${name} of up to 100,000 lines is answered in 2,000 chars, with its exact count`, async () => {
    const count = fc.oneof(fc.integer({ min: 100, max: 400 }), fc.integer({ min: 1000, max: 9000 }));
    const check = async (count: number, seed: number) => {
      const text = await answerTo(listing(kind, count, seed));
      assert(text.length <= MOST_CHARS, `${count} lines, seed ${seed}: ${text.length} chars:\n${text}`);
      assert(answers(text.split("\n"), [String(count)]), `${count} lines: ${text}`);
    };
    await fc.assert(fc.asyncProperty(count, fc.nat(9999), check), { numRuns: 4 });
    await check(mostLines(kind), 1);
  });
}
