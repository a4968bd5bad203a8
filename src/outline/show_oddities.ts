/**
 * Writes the oddest elements of JSON content: where each is, what is odd about it, and its text.
 */

import type { ByteRange } from "../../fd/mod.ts";
import { groupedDigits } from "../answering/grouped_digits.ts";
import { hasManyLines, type OutlinedContent } from "./outlined_content.ts";
import { clip } from "./describe_paths.ts";
import type { Oddity } from "./find_oddities.ts";
import type { NameAt, Place, Span } from "./path_node.ts";

export interface ShownOddities {
  lines: string[];
  /** The lines of the content to show below, those of the oddest element first, if it has many; else where those elements are that are shown here. */
  shownLines: number[];
  /** The value that is shown of the oddest element. */
  top: Span | undefined;
  /** Whether the oddest element tells of a failure. */
  isAlarming: boolean;
  /** A condition that picks values such as the oddest one out of several, as a jq filter. */
  condition: string | undefined;
}

const MAX_ELEMENTS = 4;
const MAX_REASONS = 3;
/** Chars of an element. */
const ELEMENT_CHARS = 120;
/** Chars of an element that is a whole value. */
const LINE_CHARS = 240;
/** Of a larger element, only the object with the oddity is shown. */
const ELEMENT_BYTES = 4096;
/** The objects around an oddity that are named, and chars of a name. */
const MAX_NAMES = 2;
const NAME_CHARS = 60;

interface Group {
  weight: number;
  element: Span;
  object: Span;
  oddities: Oddity[];
}

/**
 * Shows the first few of `oddities`, which come in order of weight, in about `mostChars`, of which a value that reports a failure
 * takes at most `valueChars`. `tidy` shortens a part of the content without changing what it says.
 */
export function showOddities(
  oddities: readonly Oddity[],
  content: OutlinedContent,
  mostChars: number,
  valueChars: number,
  tidy: (text: string) => string,
): ShownOddities {
  const groups = grouped(oddities);
  const shown: { fromByte: number; lines: string[] }[] = [];
  const hasLines = hasManyLines(content);
  const ownLines = new Set<number>();
  const said = new Set<string>();
  let left = mostChars;
  for (const group of groups) {
    if (shown.length === MAX_ELEMENTS) break;
    const { where, reasons, text } = describeGroup(group, content, valueChars, tidy);
    // The same oddity was shown elsewhere.
    if (said.has(reasons)) continue;
    said.add(reasons);
    const lines = [` ${where}: ${reasons}`, ...text === undefined || hasLines ? [] : [`  ${text}`]];
    const chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (chars > left && shown.length > 0) continue;
    left -= chars;
    if (hasLines) { for (const line of linesOf(group, content, shown.length === 0)) ownLines.add(line); }
    shown.push({ fromByte: group.element.fromByte, lines });
  }
  shown.sort((one, other) => one.fromByte - other.fromByte);
  const [top] = groups;
  const meant = top?.oddities.find(({ condition }) => condition !== undefined);
  const around = meant?.place.object.path ?? "";
  return {
    lines: shown.flatMap(({ lines }) => lines),
    shownLines: hasLines ? [...ownLines] : shown.map(({ fromByte }) => content.lineAt(fromByte)),
    top: top && shownSpan(top),
    isAlarming: top?.oddities.some(({ isAlarming }) => isAlarming) ?? false,
    condition: around.includes("[")
      ? undefined
      : meant?.condition?.replace(meant.name, (name) => around + name),
  };
}

/** The most lines of the oddest element, and of another. */
const MAX_TOP_LINES = 14;
const MAX_OTHER_LINES = 8;
/** The first lines of the oddest element. */
const HEAD_LINES = 4;

/** The lines of an element or, if it has many, those that name what is around its oddities, and theirs. */
function linesOf(group: Group, content: OutlinedContent, isTop: boolean): number[] {
  const most = isTop ? MAX_TOP_LINES : MAX_OTHER_LINES;
  const rangeOf = ({ fromByte, toByte }: ByteRange) => {
    const from = content.lineAt(fromByte);
    const to = content.lineAt(Math.max(fromByte, Math.min(toByte, content.byteCount) - 1));
    return Array.from({ length: Math.min(to - from, most) + 1 }, (_, at) => from + at);
  };
  const whole = rangeOf(shownSpan(group));
  const lines = new Set(isTop ? whole.slice(0, HEAD_LINES) : []);
  for (const { place, value } of group.oddities.slice(0, MAX_REASONS)) {
    for (const { fromByte } of namesAround(place)) lines.add(content.lineAt(fromByte));
    for (const line of rangeOf(value ?? place.around.at(-1)!)) if (lines.size < most) lines.add(line);
  }
  // All of a small element; of another, what follows on the first odd line.
  const first = content.lineAt(group.oddities[0]!.place.byteOffset);
  const rest = whole.length <= most
    ? whole
    : isTop
    ? rangeOf(group.object).filter((each) => each > first)
    : [];
  for (const line of rest) if (rest === whole || lines.size < most) lines.add(line);
  return [...lines];
}

/** The oddities by element, the oddest element first. */
function grouped(oddities: readonly Oddity[]): Group[] {
  const groups = new Map<number, Group>();
  for (const oddity of oddities) {
    const { element, object } = oddity.place;
    const group = groups.get(element.fromByte);
    if (group === undefined) {
      groups.set(element.fromByte, { weight: oddity.weight, element, object, oddities: [oddity] });
    } else {
      group.weight += oddity.weight / 4;
      group.oddities.push(oddity);
    }
  }
  return [...groups.values()].sort((one, other) =>
    other.weight - one.weight || one.element.fromByte - other.element.fromByte
  );
}

/** The values that name the nearest objects around a place. */
function namesAround({ around }: Place): NameAt[] {
  return around.flatMap(({ name }) => name ?? []).slice(-MAX_NAMES);
}

/** The element or, if it is large, the odd object in it. */
function shownSpan({ element, object }: Group): Span {
  return element.toByte - element.fromByte > ELEMENT_BYTES ? object : element;
}

/** The place of the element, its oddities, and its text if that adds something. */
function describeGroup(
  group: Group,
  content: OutlinedContent,
  valueChars: number,
  tidy: (text: string) => string,
): { where: string; reasons: string; text: string | undefined } {
  const { element, oddities } = group;
  const textOf = ({ fromByte, toByte }: ByteRange, mostChars: number) =>
    clip(
      tidy(new TextDecoder().decode(content.read(fromByte, Math.min(toByte, fromByte + ELEMENT_BYTES)))),
      mostChars,
    );
  const shown = shownSpan(group);
  const { path } = shown;
  const isElement = shown === element;
  const reasons = withoutRepeats(oddities).slice(0, MAX_REASONS).map(({ text, value, place }) => {
    const inner = place.object.path.startsWith(path)
      ? place.object.path.slice(path.length)
      : place.object.path;
    const said = inner === "" ? text : text.startsWith(".") ? inner + text : `${inner}: ${text}`;
    return value === undefined ? said : `${said} ${textOf(value, valueChars)}`;
  });
  const line = content.lineCount > 1 ? `line ${groupedDigits(content.lineAt(group.object.fromByte))}` : "";
  const place = path === "" || line === "" ? line + path : `${path} (${line})`;
  const isShown = (!oddities.some(({ value }) => value !== undefined) || path === "") &&
    (path !== "" || isElement);
  const all = isShown ? textOf(shown, path === "" ? LINE_CHARS : ELEMENT_CHARS) : "";
  const names = new Set<string>();
  for (const name of namesAround(oddities[0]!.place)) {
    const text = textOf(name, NAME_CHARS).replace(/^"(.*)"$/, "$1");
    if (text !== "" && !all.includes(text)) names.add(`"${text}"`);
  }
  const named = names.size === 0 ? "" : `${place === "" ? "" : " "}of ${[...names].join(", ")}`;
  const where = place + named;
  return {
    where: where === "" ? "." : where,
    reasons: reasons.join("; "),
    text: all.length > 2 ? all : undefined,
  };
}

/** Drops other oddities of a member that is shown as a value, and of what is in it. */
function withoutRepeats(oddities: readonly Oddity[]): Oddity[] {
  const shown = oddities.filter(({ value }) => value !== undefined);
  return oddities.filter(({ value, name, place }) =>
    value !== undefined || !shown.some((other) =>
      name === "" || name === other.name ||
      place.byteOffset >= other.value!.fromByte && place.byteOffset < other.value!.toByte
    )
  );
}
