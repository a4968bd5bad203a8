import { deepStrictEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { watchContent } from "./watch_content.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** A log of about `kib` KiB, with `planted` lines put in at shares of its length. */
function logWith(kib: number, planted: readonly [share: number, line: string][]): string {
  const lines: string[] = [];
  for (let length = 0; length < kib * 1024;) {
    const line = `2026-01-01T00:00:${lines.length % 60} INFO request ${lines.length} took ${
      lines.length % 97
    } ms`;
    lines.push(line);
    length += line.length + 1;
  }
  for (const [share, line] of planted) lines.splice(Math.floor(lines.length * share), 0, line);
  return `${lines.join("\n")}\n`;
}

Deno.test("a watcher notes the same however the content arrives in pieces", () => {
  const content = encode(logWith(700, [
    [0.3, "ERROR payment 7 failed"],
    [0.6, `long ${"x".repeat(5000)} fatal: no space ${"y".repeat(5000)}`],
    [0.9, "\x1b[31merror\x1b[0m: coloured"],
  ]));
  const whole = watchContent();
  whole.see(content);
  const notes = whole.end();
  ok(notes.kinds.length >= 3);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
      const watcher = watchContent();
      for (let at = 0, piece = 0; at < content.length; piece++) {
        const size = sizes[piece % sizes.length]!;
        watcher.see(content.slice(at, at + size));
        at += size;
      }
      deepStrictEqual(watcher.end(), notes);
    }),
    { numRuns: 15 },
  );
});

Deno.test("a watcher notes where the lines are, and counts lines of one kind", () => {
  const text = logWith(600, [
    [0.5, "ERROR disk /dev/sda1 is broken"],
    ...repeated(200, "WARN job 12 failed: retry"),
  ]);
  const content = encode(text);
  const watcher = watchContent();
  watcher.see(content);
  const { byteCount, kinds } = watcher.end();
  equal(byteCount, content.length);
  const lineAt = (at: number) => text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at));
  const [error] = kinds.filter(({ firstAt }) => lineAt(firstAt[0]!).startsWith("ERROR"));
  deepStrictEqual([error?.count, error?.firstAt.length], [1, 1]);
  const [warning] = kinds.filter(({ firstAt }) => lineAt(firstAt[0]!).startsWith("WARN"));
  equal(warning?.count, 200);
  ok(warning.firstAt.length < 10 && lineAt(warning.lastAt).startsWith("WARN"));
});

function repeated(count: number, line: string): [number, string][] {
  return Array.from({ length: count }, (_, at) => [0.5 + at / (3 * count), line.replace("12", String(at))]);
}

Deno.test("what a watcher notes of content full of signs is bounded", () => {
  const watcher = watchContent();
  const words = ["error", "failed", "fatal", "panic"];
  for (let piece = 0; piece < 40; piece++) {
    const lines = Array.from({ length: 900 }, (_, at) => {
      const word = words[at % 4]!;
      return `${"=".repeat(at % 31)}${"-".repeat(piece)} ${word}: ${"!?".repeat(at % 17)}${
        ".".repeat(at % 13)
      } x`;
    });
    watcher.see(encode(`${lines.join("\n")}\n`));
  }
  const { kinds } = watcher.end();
  ok(kinds.length <= 2048, String(kinds.length));
  for (const { firstAt } of kinds) ok(firstAt.length <= 3);
});
