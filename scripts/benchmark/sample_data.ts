/**
 * Sample data to capture and read: realistic text, the same on every machine.
 */

import { Buffer } from "node:buffer";
import { closeSync, openSync, writeSync } from "node:fs";

/** A small output, another one for each number. */
export function smallItem(number: number): string {
  return `item ${number}\n${"a small output\n".repeat(20)}`;
}

/** A stream of numbers from 0 up to `below`, the same every time. */
function numbers(): (below: number) => number {
  let state = 20_250_101;
  return (below) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
    return (state >>> 8) % below;
  };
}

const LEVELS = ["INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"];
const WORDS = "request cache worker module compiled opened closed retry token batch index commit shard".split(
  " ",
);
const CJK = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生".split("");

/** About `byteCount` bytes of lines that `lineAt` makes from numbers, each for its place. */
function textOf(
  byteCount: number,
  lineAt: (random: (below: number) => number, place: number) => string,
): Buffer {
  const random = numbers();
  const lines: string[] = [];
  for (let length = 0; length < byteCount;) {
    const line = `${lineAt(random, lines.length)}\n`;
    lines.push(line);
    length += Buffer.byteLength(line);
  }
  return Buffer.from(lines.join(""));
}

function someWords(random: (below: number) => number): string {
  return Array.from({ length: 4 + random(12) }, () => WORDS[random(WORDS.length)]).join(" ");
}

/** About `byteCount` bytes of log lines of 60 to 160 bytes. */
export function logText(byteCount: number): Buffer {
  return textOf(byteCount, (random) => {
    const words = someWords(random);
    return `2025-01-${10 + random(20)}T${10 + random(14)}:${10 + random(50)}:${10 + random(50)}.${
      100 + random(900)
    }Z ${LEVELS[random(LEVELS.length)]} [worker-${random(64)}] ${words} id=${random(1e6)}`;
  });
}

/** About `byteCount` bytes of log lines, of which each `every`th reports a failure; none if that is 0. */
export function signText(byteCount: number, every: number): Buffer {
  return textOf(byteCount, (random, place) => {
    const word = WORDS[random(WORDS.length)];
    const said = every > 0 && place % every === every - 1
      ? `ERROR ${word}-${random(16)}: failed to process ${word} ${random(1e6)}: connection refused`
      : `INFO  ${word}-${random(16)}: processed ${word} ${random(1e6)} from 10.0.0.${random(256)}`;
    return `2025-01-10T10:${10 + random(50)}:${10 + random(50)}.${100 + random(900)}Z ${said} in ${
      random(900)
    } ms`;
  });
}

const SYLLABLES = "ba ke li mo nu ra se ti vo zu pra ster con dex fil gam hor jin qua wex".split(" ");
const SAID = [
  "error:",
  "ERROR",
  "failed to process",
  "connection refused by",
  "cannot open",
  "no such file",
  "exit code 2 from",
  "unresolved symbol",
];

/** About `byteCount` bytes of lines of words and numbers that all differ, of which each `every`th has a sign of failure. */
export function variedText(byteCount: number, every: number): Buffer {
  return textOf(byteCount, (random, place) => {
    const words = Array.from(
      { length: 4 + random(10) },
      () =>
        random(5) === 0
          ? String(random(10 ** (1 + random(6))))
          : Array.from({ length: 1 + random(4) }, () => SYLLABLES[random(SYLLABLES.length)]).join(""),
    );
    if (every > 0 && place % every === every - 1) {
      words.splice(random(words.length), 0, SAID[random(SAID.length)]!);
    }
    return words.join(" ");
  });
}

/** About `byteCount` bytes of log lines in which the level, the worker and each number are coloured. */
export function colouredText(byteCount: number): Buffer {
  return textOf(byteCount, (random) => {
    const words = someWords(random);
    const level = LEVELS[random(LEVELS.length)]!.trim();
    return `\x1b[1;3${random(8)}m${level}\x1b[0m \x1b[36m[worker-${random(64)}]\x1b[39m ${words} ` +
      `id=\x1b[33m${random(1e6)}\x1b[39m`;
  });
}

/** Items of JSON, about 190 bytes each; one in 997 has failed. */
export function jsonItems(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      id: i,
      name: `user ${i}`,
      email: `u${i}@example.com`,
      tags: ["a", "b", `c${i % 17}`],
      nested: { x: i * 1.5, y: null, ok: i % 7 === 0, msg: 'some text with "quotes" and é' },
      status: i % 997 === 3 ? "failed" : "ok",
    }));
}

/** About `byteCount` bytes of Chinese text in lines of 20 to 60 chars. */
export function cjkText(byteCount: number): Buffer {
  return textOf(
    byteCount,
    (random) => Array.from({ length: 20 + random(40) }, () => CJK[random(CJK.length)]).join(""),
  );
}

/** One line of `byteCount` letters and digits. */
export function oneLine(byteCount: number): Buffer {
  const random = numbers();
  return Buffer.from(Array.from({ length: byteCount }, () => random(36).toString(36)).join(""));
}

/** Writes `piece` to `path` until the file has `byteCount` bytes. */
export function writeRepeated(path: string, piece: Uint8Array, byteCount: number): void {
  const file = openSync(path, "w");
  try {
    for (let written = 0; written < byteCount;) {
      written += writeSync(file, piece, 0, Math.min(piece.length, byteCount - written));
    }
  } finally {
    closeSync(file);
  }
}
