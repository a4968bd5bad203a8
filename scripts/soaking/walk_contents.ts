/**
 * Contents and patterns for walks. Most are made of a few words, so that searches hit, edits find their text and versions of
 * a file are similar; some are random bytes.
 */

import { type Choices, weighted } from "./random_choices.ts";
import { utf8 } from "./walk_model.ts";

const WORDS = "alpha beta err ok x y1 é 😀 na\u00efve a_b Err \t 0 aa".split(" ");

/** A line of words, without its line end. */
export function lineOf(choices: Choices): string {
  return Array.from({ length: choices.whole(0, 6) }, () => choices.one(WORDS)).join(
    choices.one([" ", " ", ""]),
  );
}

/** Text of lines; the last has a line end more often than not. */
export function textOf(choices: Choices, most = 12): string {
  const lines = Array.from({ length: choices.whole(0, most) }, () => lineOf(choices));
  return lines.join("\n") + (lines.length > 0 && !choices.onceIn(4) ? "\n" : "");
}

/** Colours, moves and other control characters, whole and cut. */
const CONTROLS =
  ("\x1b[31m \x1b[0m \x1b[K \x1b[2K \x1b[3D \x1b[5G \r \b \x07 \0 \x1b]0;x\x07 \x1b]0;x \x1b " +
    "\u009b1m").split(" ");

/** Text with colours, redrawn lines and other control characters. */
function terminalTextOf(choices: Choices): string {
  const line = () =>
    Array.from(
      { length: choices.whole(0, 8) },
      () => choices.onceIn(2) ? choices.one(CONTROLS) : choices.one(WORDS),
    ).join("");
  const end = choices.one(["\n", "\r\n"]);
  return Array.from({ length: choices.whole(1, 12) }, line).join(end) + choices.one([end, ""]);
}

/** A JSON value of words, nested a little. */
function valueOf(choices: Choices, depth = 2): unknown {
  const many = <T>(make: () => T): T[] => Array.from({ length: choices.whole(0, 3) }, make);
  const kind = choices.whole(1, depth === 0 ? 4 : 6);
  if (kind === 1) return choices.whole(-1000, 1000);
  if (kind === 2) return choices.one([true, false, null]);
  if (kind <= 4) return choices.one(WORDS);
  if (kind === 5) return many(() => valueOf(choices, depth - 1));
  return Object.fromEntries(many(() => [choices.one(WORDS), valueOf(choices, depth - 1)]));
}

/** JSON lines, or one value over several lines. */
function jsonTextOf(choices: Choices): string {
  if (choices.onceIn(2)) return JSON.stringify(valueOf(choices), undefined, 2);
  return Array.from({ length: choices.whole(1, 5) }, () => `${JSON.stringify(valueOf(choices))}\n`).join("");
}

const bytesOf = (choices: Choices) =>
  Uint8Array.from({ length: choices.whole(1, 300) }, () => choices.whole(0, 255));

const ODD_ENDS = ["\x1b[31mred\x1b[0m\n", "1%\r2%\r\n", "\0", "\ufeff", "a\fb\v\n"];

const CONTENTS = weighted<(choices: Choices) => string | Uint8Array>(
  [1, () => ""],
  [1, bytesOf],
  [1, (choices) => textOf(choices).replaceAll("\n", "\r\n")],
  [1, (choices) => "long ".repeat(choices.whole(1, 1200)) + textOf(choices)],
  [2, (choices) => textOf(choices, 200)],
  [1, (choices) => textOf(choices, 3) + choices.one(ODD_ENDS)],
  [2, terminalTextOf],
  [1, jsonTextOf],
  [7, (choices) => textOf(choices)],
);

/** Any content. */
export function contentOf(choices: Choices): Uint8Array {
  const made = choices.one(CONTENTS)(choices);
  return typeof made === "string" ? utf8(made) : made;
}

/** Whether content is UTF-8 with no control chars but tab and line feed, so that searches see the stored text. */
export function isPlain(content: Uint8Array): boolean {
  const text = utf8TextOf(content);
  // deno-lint-ignore no-control-regex
  return text !== undefined && !/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\u2028\u2029]/.test(text);
}

/** The text of `content`; undefined if it is not UTF-8. */
export function utf8TextOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** The JSON values of `content`: one, or one a line; undefined if it is not JSON. */
export function jsonValuesOf(content: Uint8Array): unknown[] | undefined {
  const text = utf8TextOf(content);
  if (text === undefined) return undefined;
  const parsed = (texts: string[]) => {
    try {
      return texts.map((each) => JSON.parse(each));
    } catch {
      return undefined;
    }
  };
  return parsed([text]) ?? parsed(text.replace(/\n$/, "").split("\n"));
}

/** A piece of `content`, if it is text, or a word that it may not contain. */
export function pieceOf(choices: Choices, content: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  if (text.length === 0 || text.includes("\ufffd") || choices.onceIn(5)) return choices.one(WORDS);
  const chars = [...text.slice(0, 4000)];
  const from = choices.whole(0, chars.length - 1);
  return chars.slice(from, from + choices.whole(1, choices.onceIn(3) ? 40 : 4)).join("");
}

const ATOMS = "a b e r o é y 1 . [abe] [^a] [a-m] x err (?:al|be) (ok|x) 😀".split(" ");
const REPEATS = ["", "", "", "*", "+", "?", "{1,2}"];

/** A pattern of the subset that JavaScript's regular expressions match alike. */
export function patternOf(choices: Choices): string {
  const branch = () => {
    const atoms = Array.from(
      { length: choices.whole(1, 4) },
      () => choices.one(ATOMS) + choices.one(REPEATS),
    ).join("");
    return (choices.onceIn(6) ? "^" : "") + atoms + (choices.onceIn(6) ? "$" : "");
  };
  return choices.onceIn(5) ? `${branch()}|${branch()}` : branch();
}
