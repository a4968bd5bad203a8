/**
 * Writes the oddest elements of JSON content: where each is, what is odd about it, and its text.
 */

import { groupedDigits } from "../answering/grouped_digits.ts";
import type { OutlinedContent } from "./outlined_content.ts";
import { clip } from "./describe_paths.ts";
import type { Oddity } from "./find_oddities.ts";

export interface OddElement {
  /** Its path, as a jq path; "" for a whole value. */
  path: string;
  fromByte: number;
  /** A condition that picks such elements out. */
  condition: string | undefined;
}

export interface ShownOddities {
  lines: string[];
  /** Lines of the content that are shown. */
  shownLines: number[];
  /** The oddest one. */
  top: OddElement | undefined;
}

const MAX_ELEMENTS = 4;
const MAX_REASONS = 3;
/** Chars of a value that reports a failure, and of an element. */
const VALUE_CHARS = 300;
const ELEMENT_CHARS = 120;
/** Chars of an element that is a whole value. */
const LINE_CHARS = 240;
/** Of a larger element, only the object with the oddity is shown. */
const ELEMENT_BYTES = 4096;

interface Group extends OddElement {
  weight: number;
  objectPath: string;
  objectFrom: number;
  oddities: Oddity[];
}

/**
 * Shows the first few of `oddities`, which come in order of weight, in about `mostChars`. `textAt` gives
 * the text of an element that is not JSON.
 */
export function showOddities(
  oddities: readonly Oddity[],
  content: OutlinedContent,
  mostChars: number,
  textAt?: (byteOffset: number) => string,
): ShownOddities {
  const groups = grouped(oddities);
  const top = groups[0];
  const shown: { fromByte: number; lines: string[] }[] = [];
  const said = new Set<string>();
  let left = mostChars;
  for (const group of groups) {
    if (shown.length === MAX_ELEMENTS) break;
    const { where, reasons, text } = describeGroup(group, content, textAt);
    // The same oddity was shown elsewhere.
    if (said.has(reasons)) continue;
    said.add(reasons);
    const lines = [` ${where}: ${reasons}`, ...text === undefined ? [] : [`  ${text}`]];
    const chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (chars > left && shown.length > 0) continue;
    left -= chars;
    shown.push({ fromByte: group.fromByte, lines });
  }
  shown.sort((one, other) => one.fromByte - other.fromByte);
  const shownLines = shown.map(({ fromByte }) => content.lineAt(fromByte));
  return { lines: shown.flatMap(({ lines }) => lines), shownLines, top };
}

/** The oddities by element, the oddest element first. */
function grouped(oddities: readonly Oddity[]): Group[] {
  const groups = new Map<number, Group>();
  for (const oddity of oddities) {
    const { elementFromByte: fromByte, elementPath: path, path: objectPath, fromByte: objectFrom } =
      oddity.place;
    const group = groups.get(fromByte);
    if (group === undefined) {
      groups.set(fromByte, {
        path,
        fromByte,
        objectPath,
        objectFrom,
        condition: undefined,
        weight: oddity.weight,
        oddities: [oddity],
      });
    } else {
      group.weight += oddity.weight / 4;
      group.oddities.push(oddity);
    }
  }
  const sorted = [...groups.values()].sort((one, other) =>
    other.weight - one.weight || one.fromByte - other.fromByte
  );
  for (const group of sorted) {
    group.condition = group.oddities.find(({ condition }) => condition !== undefined)?.condition;
  }
  return sorted;
}

/** The place of the element, its oddities, and its text if that adds something. */
function describeGroup(
  group: Group,
  content: OutlinedContent,
  textAt: ((byteOffset: number) => string) | undefined,
): { where: string; reasons: string; text: string | undefined } {
  const { path, fromByte, objectPath, objectFrom, oddities } = group;
  const element = textAt === undefined
    ? valueAt(content, fromByte, ELEMENT_BYTES)
    : { text: textAt(fromByte), isWhole: true };
  // Of a large element, only the odd object is shown.
  const isLarge = !element.isWhole;
  const shownPath = isLarge ? objectPath : path;
  if (isLarge) group.path = objectPath;
  const isShown = !oddities.some(({ value }) => value !== undefined) || path === "";
  const reasons = withoutRepeats(oddities).slice(0, MAX_REASONS).map(({ text, value, place }) => {
    const inner = place.path.startsWith(shownPath) ? place.path.slice(shownPath.length) : place.path;
    const said = inner === "" ? text : text.startsWith(".") ? inner + text : `${inner}: ${text}`;
    if (value === undefined) return said;
    return `${said} ${clip(valueAt(content, value.fromByte, VALUE_CHARS * 4).text, VALUE_CHARS)}`;
  });
  const line = content.lineCount > 1 ? `line ${groupedDigits(content.lineAt(objectFrom))}` : "";
  const where = shownPath === "" || line === "" ? line + shownPath : `${shownPath} (${line})`;
  const shown = isLarge && objectFrom !== fromByte ? valueAt(content, objectFrom, ELEMENT_BYTES) : element;
  const text = isShown && (path !== "" || element.isWhole) && shown.text.length > 2
    ? clip(shown.text, path === "" ? LINE_CHARS : ELEMENT_CHARS)
    : undefined;
  return { where: where === "" ? "." : where, reasons: reasons.join("; "), text };
}

/** Drops other oddities of a member that is shown as a value. */
function withoutRepeats(oddities: readonly Oddity[]): Oddity[] {
  const shown = oddities.filter(({ value }) => value !== undefined).map(({ name }) => name);
  return oddities.filter(({ value, name }) => value !== undefined || !shown.includes(name));
}

/** The value that starts at an offset, without white space between its tokens; its start, if it is longer than `mostBytes`. */
function valueAt(
  content: OutlinedContent,
  fromByte: number,
  mostBytes: number,
): { text: string; isWhole: boolean } {
  const text = new TextDecoder().decode(content.read(fromByte, fromByte + mostBytes));
  let compact = "";
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isInString) {
      compact += char;
      if (char === "\\") compact += text[++at] ?? "";
      else if (char === '"') isInString = false;
      if (!isInString && depth === 0) return { text: compact, isWhole: true };
      continue;
    }
    if (char === " " || char === "\n" || char === "\r" || char === "\t") {
      if (depth === 0 && compact !== "") return { text: compact, isWhole: true };
      continue;
    }
    if (depth === 0 && compact !== "" && (char === "," || char === "]" || char === "}")) {
      return { text: compact, isWhole: true };
    }
    compact += char;
    if (char === '"') isInString = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth <= 0) return { text: compact, isWhole: true };
  }
  return { text: compact, isWhole: false };
}
