/** Levels of the lines of a log, by the words and fields that loggers write them with. */

import { type SpanFinder, spanFinder } from "../../fd/mod.ts";

export type Level = "error" | "warn" | "info";

/** The words of each level, the number that its field may have instead, and its letter in logs of glog and Android. */
const WRITTEN: Readonly<Record<Level | "debug", { words: string; numbers: string; letters: string }>> = {
  error: { words: "err|error|fatal|crit|critical|severe|panic|emerg|alert", numbers: "50|60", letters: "EF" },
  warn: { words: "warn|warning", numbers: "40", letters: "W" },
  info: { words: "info|notice|information", numbers: "30", letters: "I" },
  debug: { words: "debug|trace|verbose|fine", numbers: "10|20", letters: "DV" },
};

/** The pattern of lines of a level: capitals anywhere, or the word as a field, in brackets, or before a colon. */
function patternOf(level: keyof typeof WRITTEN): string {
  const { words, numbers, letters } = WRITTEN[level];
  return [
    String.raw`\b(?:${words.toUpperCase()})\b`,
    String.raw`\b(?i:level|lvl|severity|levelname)["']?[=:] ?(?:["']?(?i:${words})\b|(?:${numbers})\b)`,
    String.raw`[\[<(|](?i:${words})[\]>)|]`,
    String.raw`^(?:[^ ]+: )?(?i:${words})(?:\[\w+\])?: `,
    String.raw`: (?:fatal )?(?:${words}): `,
    String.raw`^[${letters}]\d{4} \d\d:`,
  ].join("|");
}

const ORDER: readonly Level[] = ["error", "warn", "info"];

/** The pattern of lines of at least a level. */
export function levelPattern(least: Level): string {
  return ORDER.slice(0, ORDER.indexOf(least) + 1).map(patternOf).join("|");
}

export function isLevel(text: string): text is Level {
  return (ORDER as readonly string[]).includes(text);
}

let finders: [Level | "debug", SpanFinder][] | undefined;

/** The worst level that a line has. */
export function levelOf(line: Uint8Array): Level | "debug" | undefined {
  finders ??= ([...ORDER, "debug"] as const).map((level) => [level, spanFinder(patternOf(level))]);
  return finders.find(([, finder]) => finder.spans(line).length > 0)?.[0];
}
