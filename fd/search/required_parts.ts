/**
 * Finds what every match of a pattern must contain, for the filters of packed content (`frame_filter.ts`): more than
 * `required_text.ts`, which wants one text that can be searched for.
 */

import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import type { CharSet, PatternNode } from "./pattern_syntax.ts";

/**
 * Texts that are all in a match, within {@link MAX_PART_BYTES} from the start of the first. ASCII letters may be in
 * either case there.
 */
export type RequiredPart = readonly string[];

/** As far as the filter of a frame reaches beyond it, and a byte. */
export const MAX_PART_BYTES = 256;

/** No char has more bytes, however ill-formed it is. */
const MAX_CHAR_BYTES = 4;
const MIN_TEXT_BYTES = 3;
const REPLACEMENT = 0xfffd;

/** Parts of which each match has at least one; undefined if a match may have none of any use. */
type Parts = readonly RequiredPart[] | undefined;

/** Returns the parts of which every match of `root` has at least one; undefined if none are obvious. */
export function requiredParts(root: PatternNode): Parts {
  let best: Parts;
  let texts: string[] = [];
  let run = "";
  let span = 0;

  function offer(parts: Parts): void {
    if (parts !== undefined && strengthOf(parts) > strengthOf(best)) best = parts;
  }

  function endRun(): void {
    if (utf8Bytes(run).length >= MIN_TEXT_BYTES) texts.push(run);
    run = "";
  }

  function endPart(): void {
    endRun();
    if (texts.length > 0) offer([texts]);
    texts = [];
    span = 0;
  }

  /** Passes over `byteCount` bytes that may be anything. */
  function skip(byteCount: number): void {
    endRun();
    span = texts.length === 0 ? 0 : span + byteCount;
    if (span > MAX_PART_BYTES) endPart();
  }

  function walk(node: PatternNode): void {
    switch (node.kind) {
      case "chars": {
        const char = onlyChar(node.set);
        if (char === undefined) return skip(MAX_CHAR_BYTES);
        const { length } = utf8Bytes(char);
        if (span + length > MAX_PART_BYTES) endPart();
        span += length;
        run += char;
        return;
      }
      case "concat":
        node.parts.forEach(walk);
        return;
      case "assert":
        // An assertion takes no chars: those before and after it are adjacent.
        return;
      case "either":
        offer(everyBranch(node.branches));
        return skip(mostBytes(node));
      case "repeat":
        if (node.least > 0) offer(requiredParts(node.node));
        return skip(mostBytes(node));
    }
  }

  walk(root);
  endPart();
  return best;
}

function everyBranch(branches: readonly PatternNode[]): Parts {
  const parts: RequiredPart[] = [];
  for (const branch of branches) {
    const ofBranch = requiredParts(branch);
    if (ofBranch === undefined) return undefined;
    parts.push(...ofBranch);
  }
  return parts;
}

/** How much the weakest part says. */
function strengthOf(parts: Parts): number {
  if (parts === undefined) return 0;
  return Math.min(...parts.map((part) => part.reduce((sum, text) => sum + utf8Bytes(text).length - 2, 0)));
}

/** The most bytes that a match of `node` has; Infinity if there is no bound. */
function mostBytes(node: PatternNode): number {
  switch (node.kind) {
    case "chars":
      return MAX_CHAR_BYTES;
    case "assert":
      return 0;
    case "concat":
      return node.parts.reduce((sum, part) => sum + mostBytes(part), 0);
    case "either":
      return node.branches.reduce((most, branch) => Math.max(most, mostBytes(branch)), 0);
    case "repeat": {
      const once = mostBytes(node.node);
      return once === 0 || node.most === 0 ? 0 : once * node.most;
    }
  }
}

/** Letters that have more than two cases: the long s, and the sign of Kelvin. */
const MANY_CASES = /[ks]/i;

/** Returns the only char of a set, case of ASCII letters aside; undefined if there are more. */
function onlyChar({ single, caseless }: CharSet): string | undefined {
  // The bytes of U+FFFD may be any ill-formed sequence.
  if (single !== undefined) return single === REPLACEMENT ? undefined : String.fromCodePoint(single);
  if (caseless === undefined || caseless > 0x7f) return undefined;
  const char = String.fromCharCode(caseless);
  return MANY_CASES.test(char) ? undefined : char;
}
