/**
 * Writes the oddest elements of JSON content: where each is, what is odd about it, and its text.
 */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { clip } from "./describe_paths.ts";
import { step, wholeSteps } from "./json_paths.ts";
import { type ByteRange, MANY_LINES, type OutlinedContent } from "./outlined_content.ts";
import {
  FALSE,
  KINDS,
  LEAP,
  type NameAt,
  NULL,
  NUMBER,
  OBJECT,
  type PathNode,
  type Place,
  type Span,
  STRING,
  valueCount,
} from "./path_node.ts";

export interface ShownOddities {
  lines: string[];
  /**
   * The lines of the content to show below, those of the oddest element first, if it has many; else where those
   * elements are that are shown here.
   */
  shownLines: number[];
  /** The value to look at next: of the oddest element or, if all of that is shown below, of the next one. */
  top: Span | undefined;
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
  const hasLines = content.lineCount >= MANY_LINES;
  const ownLines = new Set<number>();
  const said = new Set<string>();
  let left = mostChars;
  let unshown: Group | undefined;
  for (const group of groups) {
    if (shown.length === MAX_ELEMENTS && unshown !== undefined) break;
    const { where, reasons, text } = describeGroup(group, content, valueChars, tidy);
    // The same oddity was shown elsewhere.
    if (said.has(reasons)) continue;
    said.add(reasons);
    const lines = [` ${where}: ${reasons}`, ...text === undefined || hasLines ? [] : [`  ${text}`]];
    const chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (shown.length === MAX_ELEMENTS || chars > left && shown.length > 0) {
      if (!shown.some(({ fromByte }) => isIn(group.element, fromByte))) unshown ??= group;
      continue;
    }
    left -= chars;
    if (hasLines) { for (const line of linesOf(group, content, shown.length === 0)) ownLines.add(line); }
    shown.push({ fromByte: group.element.fromByte, lines });
  }
  shown.sort((one, other) => one.fromByte - other.fromByte);
  const isBelow = (group: Group | undefined) =>
    hasLines && group !== undefined && linesIn(shownSpan(group), content).every((line) => ownLines.has(line));
  const top = isBelow(groups[0]) && unshown !== undefined ? unshown : groups[0];
  const meant = top?.oddities.find(({ condition }) => condition !== undefined);
  const around = meant?.place.object.path ?? "";
  return {
    lines: shown.flatMap(({ lines }) => lines),
    shownLines: hasLines ? [...ownLines] : shown.map(({ fromByte }) => content.lineAt(fromByte)),
    top: top && shownSpan(top),
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
  const rangeOf = (range: ByteRange) => linesIn(range, content, most + 1);
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

/** The first lines that a part of the content is in. */
function linesIn(
  { fromByte, toByte }: ByteRange,
  content: OutlinedContent,
  most = MAX_TOP_LINES + 1,
): number[] {
  const from = content.lineAt(fromByte);
  const to = content.lineAt(Math.max(fromByte, Math.min(toByte, content.byteCount) - 1));
  return Array.from({ length: Math.min(to - from + 1, most) }, (_, at) => from + at);
}

function isIn({ fromByte, toByte }: ByteRange, byteOffset: number): boolean {
  return byteOffset >= fromByte && byteOffset < toByte;
}

/** The oddities by element, the oddest element first. */
function grouped(oddities: readonly Oddity[]): Group[] {
  const byElement = Map.groupBy(oddities, ({ place }) => place.element.fromByte);
  const groups = Array.from(byElement.values(), (oddities): Group => {
    const [{ weight: first, place: { element, object } }, ...others] = oddities as [Oddity];
    const weight = others.reduce((sum, { weight }) => sum + weight / 4, first);
    return { weight, element, object, oddities };
  });
  return groups.sort((one, other) =>
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
  const reasons = withoutRepeats(oddities).slice(0, MAX_REASONS).map(({ text, value, place, name }) => {
    const whole = place.object.path.startsWith(path)
      ? place.object.path.slice(path.length)
      : place.object.path;
    // An object that is odd itself has the name at the end of its path.
    const isItself = place.object.fromByte === place.byteOffset && name !== "" && whole.endsWith(name);
    const inner = isItself ? whole.slice(0, -name.length) : whole;
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
      isIn(other.value!, place.byteOffset)
    )
  );
}

/** One odd thing about a value. */
interface Oddity {
  weight: number;
  place: Place;
  /** The key that it is about, as a step of a path. */
  name: string;
  /** The oddity, with the path in the element. */
  text: string;
  /** A value to be shown after the text. */
  value?: ByteRange | undefined;
  /** A condition that picks such elements out of a list, as a jq filter. It has the name once. */
  condition?: string | undefined;
}

/** With fewer values, one that differs is not odd. */
const MIN_VALUES = 20;
const MAX_RARE = 3;
const ALARMING =
  /fail|error|\berr\b|errimage|fatal|panic|critical|emerg|alert|denied|abort|time.?out|invalid|unhealthy|crash|refused|unavailable|reject|killed|broken|missing|lost|corrupt|conflict|back.?off|not.?ready|evict|unschedul/i;
/** Keys of which false is alarming, and those of statuses of HTTP. */
const GOOD = /^\.(?:is_?)?(?:ready|healthy|ok|success|successful|passed|valid)$/i;
const STATUS = /^\.(?:http_?)?(?:status|status_?code|response_?code)$/i;

/** Finds the oddities under `root`, the weightiest first. */
export function findOddities(root: PathNode): Oddity[] {
  const found: Oddity[] = [];
  visit(found, root, undefined, "", valueCount(root));
  return found.sort((one, other) =>
    other.weight - one.weight || one.place.byteOffset - other.place.byteOffset
  );
}

/** `around` is the object that has the key, `elementCount` how many elements the list around it has. */
function visit(
  found: Oddity[],
  node: PathNode,
  around: PathNode | undefined,
  name: string,
  elementCount: number,
): void {
  alarms(found, node, around, name);
  rareScalars(found, node, name, elementCount);
  rareKinds(found, node, name);
  farNumber(found, node, name);
  rareKeySets(found, node);
  if (node.twice !== undefined) {
    const text = `key ${JSON.stringify(node.key)} twice in one object`;
    found.push({ weight: 6, place: node.twice, name, text });
  }
  for (const child of node.children) {
    if (node.isDictionary) visit(found, child, node, "", valueCount(child));
    else visit(found, child, node, step(child.key), elementCount);
  }
  if (node.element !== undefined) visit(found, node.element, undefined, "", valueCount(node.element));
}

function isRare(count: number, of: number): boolean {
  return of >= MIN_VALUES && count <= Math.max(1, of / 200);
}

/** From 1 for one of few values to 4 for one of thousands. */
function rarity(count: number, of: number): number {
  return Math.min(4, Math.log10(of / count));
}

function ofAll(count: number, of: number): string {
  return ` (${groupedDigits(count)} of ${groupedDigits(of)})`;
}

function alarms(found: Oddity[], node: PathNode, around: PathNode | undefined, name: string): void {
  const { alarmCount } = node;
  if (alarmCount === 0) return;
  const of = around === undefined || around.isDictionary ? valueCount(node) : around.counts[OBJECT]!;
  if (alarmCount > Math.max(3, of / 2)) return;
  const isCount = node.counts[NUMBER] === valueCount(node);
  const weight = 8 + rarity(alarmCount, Math.max(of, 1)) - (alarmCount > Math.max(3, of / 20) ? 4 : 0) -
    (isCount && of === 1 ? 5 : 0);
  for (const { place, fromByte, toByte } of node.alarms) {
    const text = `${name}${of > 1 ? ofAll(alarmCount, of) : ""}:`;
    found.push({ weight, place, name, text, value: { fromByte, toByte } });
  }
}

function rareScalars(found: Oddity[], node: PathNode, name: string, elementCount: number): void {
  const { scalars } = node;
  if (node.hasManyScalars) return;
  const valuesHere = valueCount(node);
  const rare = scalars.filter(({ count }) => isRare(count, valuesHere));
  const areFew = rare.length <= MAX_RARE;
  const usual = Math.max(...scalars.map(({ count }) => count));
  const most = Math.max(valuesHere, elementCount);
  for (const { text, count, kind, place } of scalars) {
    if (count > most / 4 && !isRare(count, most)) continue;
    const isAlarming = tellsOfFailure(kind, name, text);
    const isFew = (of: number) => isRare(count, of) || isAlarming && of >= 4 && count <= of / 4;
    // Most elements may lack a key that tells of failures.
    const of = isAlarming && !isFew(valuesHere) ? most : valuesHere;
    // Numbers that vary, or with fractions, are measures.
    const isMeasure = kind === NUMBER && (usual * 2 < of || text.includes("."));
    if (!isFew(of) || !isAlarming && (isMeasure || !areFew)) continue;
    const weight = rarity(count, of) + (isAlarming ? 4 : 1) - (isRare(count, of) ? 0 : 1);
    const isShort = text.length < 80;
    found.push({
      weight,
      place,
      name,
      text: `${subject(name)}${isShort ? text : `${text.slice(0, 80)}…`}${ofAll(count, of)}`,
      condition: isShort ? conditionOn(name, `${name} == ${text}`) : undefined,
    });
  }
}

function tellsOfFailure(kind: number, name: string, text: string): boolean {
  if (kind === NUMBER) return STATUS.test(name) && /^[45]\d\d$/.test(text);
  return kind === STRING ? ALARMING.test(text) : kind === FALSE && GOOD.test(name);
}

/** The start of a sentence about the member `name`, if it has a name. */
function subject(name: string): string {
  return name === "" ? "" : `${name} is `;
}

/** A condition on the member `name`; undefined if it has no name, or one that is cut. */
function conditionOn(name: string, condition: string): string | undefined {
  return name === "" || wholeSteps(name) !== name ? undefined : condition;
}

/** Groups of kinds that are one type to a reader. */
const TYPES = [[0], [1, 2], [3], [4], [5], [6]] as const;

function rareKinds(found: Oddity[], node: PathNode, name: string): void {
  const of = valueCount(node);
  for (const kinds of TYPES) {
    let count = 0;
    for (const kind of kinds) count += node.counts[kind]!;
    // A few different scalars were all counted, and are judged one by one.
    if (count === 0 || !isRare(count, of) || !node.hasManyScalars && kinds[0] < OBJECT) continue;
    const place = kinds.map((kind) => node.firstPlaces[kind]).find((each) => each !== undefined)!;
    const what = kinds[0] === 1 ? "boolean" : KINDS[kinds[0]]!;
    const text = `${subject(name)}${kinds[0] === NULL ? "null" : `of type ${what}`}${ofAll(count, of)}`;
    const condition = conditionOn(name, `(${name} | type) == "${what}"`);
    found.push({ weight: rarity(count, of) + 2, place, name, text, condition });
  }
}

/** With fewer numbers, one that is odd is even farther from the others. */
const MANY_NUMBERS = 100;

function farNumber(found: Oddity[], { counts, most, nextMost, leap }: PathNode, name: string): void {
  const count = counts[NUMBER]!;
  if (leap === undefined || count < MIN_VALUES) return;
  if (most < nextMost * LEAP * Math.max(1, MANY_NUMBERS / count)) return;
  const text = `${subject(name)}${most}, all others at most ${nextMost}`;
  const condition = conditionOn(name, `${name} == ${most}`);
  found.push({ weight: 2 + Math.log10(most / nextMost), place: leap, name, text, condition });
}

function rareKeySets(found: Oddity[], node: PathNode): void {
  const of = node.counts[OBJECT]!;
  if (node.hasManyKeySets || node.keySets.length < 2) return;
  const usual = Math.max(...node.keySets.map(({ count }) => count));
  if (usual < of * 0.5) return;
  const rare = node.keySets.filter(({ count }) => isRare(count, of));
  if (rare.length > MAX_RARE) return;
  for (const { count, place } of rare) {
    const extra = node.children.filter((child) => isRare(valueCount(child), of) && isFirstIn(child, place));
    const missing = node.children.filter((child) => {
      const lacking = of - valueCount(child);
      return lacking > 0 && isRare(lacking, of);
    });
    const text = extra.length > 0
      ? `only here: ${extra.map(({ key }) => step(key)).join(" ")}`
      : missing.length === 1
      ? `no ${step(missing[0]!.key)}`
      : "other keys than usual";
    const name = extra.length === 1 ? step(extra[0]!.key) : "";
    found.push({ weight: rarity(count, of) + 2, place, name, text: text + ofAll(count, of) });
  }
}

function isFirstIn({ firstPlaces }: PathNode, { byteOffset }: Place): boolean {
  return firstPlaces.some((place) => place?.object.fromByte === byteOffset);
}
