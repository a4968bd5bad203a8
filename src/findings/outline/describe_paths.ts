/**
 * Writes the paths of JSON content as a tree: a line a path, with types, counts, sizes, and samples or the different values.
 * If that is too long, paths of one type share a line; the deepest are left out last.
 */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { step } from "./json_paths.ts";
import { ARRAY, KINDS, NULL, NUMBER, OBJECT, type PathNode, STRING, valueCount } from "./path_node.ts";

/** How much detail a path gets. */
interface Detail {
  /** Chars of a sample; 0: none. */
  sampleChars: number;
  /** Chars of all the different values at a path. */
  valuesChars: number;
  /** Whether paths of one type share a line. */
  isShared: boolean;
  /** Levels that are shown. */
  levels: number;
}

const DETAILS: readonly Detail[] = [
  { sampleChars: 48, valuesChars: 120, isShared: false, levels: Infinity },
  { sampleChars: 24, valuesChars: 80, isShared: false, levels: Infinity },
  { sampleChars: 16, valuesChars: 60, isShared: true, levels: Infinity },
  { sampleChars: 0, valuesChars: 40, isShared: true, levels: Infinity },
  { sampleChars: 0, valuesChars: 0, isShared: true, levels: Infinity },
];

/** Describes all paths in about `wantedChars`, or with fewer levels in at most `mostChars`. */
export function describePaths(root: PathNode, wantedChars: number, mostChars: number): string[] {
  const sparest = DETAILS.at(-1)!;
  let lines: string[] = [];
  // All details have all keys.
  for (const detail of keyChars(root) > wantedChars ? [sparest] : DETAILS) {
    lines = describe(root, detail);
    if (charsOf(lines) <= wantedChars) return lines;
  }
  for (let levels = 8; charsOf(lines) > mostChars && levels > 1; levels--) {
    lines = describe(root, { ...sparest, levels });
  }
  while (charsOf(lines) > mostChars && lines.length > 2) lines.splice(-2, 2, "…");
  return lines.map((line) => clip(line, mostChars));
}

function keyChars(node: PathNode): number {
  let chars = node.element === undefined ? 0 : keyChars(node.element);
  for (const child of node.children) chars += child.key.length + keyChars(child);
  return chars;
}

function charsOf(lines: readonly string[]): number {
  let sum = 0;
  for (const line of lines) sum += line.length + 1;
  return sum;
}

function describe(root: PathNode, detail: Detail): string[] {
  const lines: string[] = [];
  const isPlain = root.counts[OBJECT] === valueCount(root) && !root.isDictionary;
  // The heading already has the number of objects.
  if (isPlain) describeChildren(lines, root, 0, detail);
  else describeNode(lines, root, "", 0, valueCount(root), detail);
  return lines;
}

/** Adds the lines of a path and of those under it. `expected` is the number of values if none is missing. */
function describeNode(
  lines: string[],
  node: PathNode,
  label: string,
  indent: number,
  expected: number,
  detail: Detail,
): void {
  const { node: named, name: path } = onlyPath(node, label, expected);
  let inner = named;
  let name = path;
  const notes: string[] = [];
  // Lists of one kind of element go into the label: .items[]
  while (inner.counts[ARRAY]! > 0 && inner.counts[OBJECT] === 0 && inner.element !== undefined) {
    notes.push(...listNotes(inner, inner === named ? expected : undefined));
    inner = inner.element;
    name += "[]";
  }
  const text = [...valueNotes(inner, inner === named ? expected : 1, detail), ...notes];
  if (inner.counts[ARRAY]! > 0 && inner.counts[OBJECT]! > 0) text.push(...listNotes(inner, undefined));
  const says = text.length === 0 ? "" : ` ${text.join(", ")}`;
  lines.push(`${" ".repeat(indent)}${name === "" ? "." : name}:${says}`);
  if (inner.children.length === 0 && (inner === named || inner.element === undefined)) return;
  describeChildren(lines, inner, indent + 1, detail);
}

/** The first path below one that is not the only path in all of `expected` objects, and its whole name. */
function onlyPath(node: PathNode, name: string, expected: number): { node: PathNode; name: string } {
  const [child] = node.children;
  const isWhole = name !== "" && !node.isDictionary && node.children.length === 1 &&
    node.counts[OBJECT] === expected && valueCount(node) === expected && valueCount(child!) === expected;
  return isWhole ? onlyPath(child!, name + step(child!.key), expected) : { node, name };
}

function describeChildren(
  lines: string[],
  node: PathNode,
  indent: number,
  detail: Detail,
): void {
  const objects = node.counts[OBJECT]!;
  if (indent > detail.levels) {
    const last = lines.length - 1;
    if (node.children.length > 0) lines[last] = `${lines[last]} {${countPaths(node)} paths}`;
    return;
  }
  const shared = new Map<string, number>();
  for (const child of node.children) {
    const label = node.isDictionary ? ".*" : step(child.key);
    const isLeaf = child.counts[OBJECT] === 0 && child.counts[ARRAY] === 0;
    if (!isLeaf || !detail.isShared) {
      const expected = node.isDictionary ? valueCount(child) : objects;
      describeNode(lines, child, label, indent, expected, detail);
      continue;
    }
    const text = valueNotes(child, objects, detail).join(", ");
    const isPlain = child.hasManyScalars || detail.valuesChars === 0;
    const key = isPlain ? [...typeNotes(child), ...missingNote(child, objects)].join(", ") : text;
    const at = shared.get(key);
    if (at === undefined) {
      shared.set(key, lines.length);
      lines.push(`${" ".repeat(indent)}${label}: ${key}`);
    } else {
      const colon = lines[at]!.length - key.length - 2;
      lines[at] = `${lines[at]!.slice(0, colon)} ${label}: ${key}`;
    }
  }
  if (node.element !== undefined && objects > 0) {
    describeNode(lines, node.element, "[]", indent, valueCount(node.element), detail);
  }
}

function countPaths(node: PathNode): number {
  let count = node.children.length;
  for (const child of node.children) count += countPaths(child);
  if (node.element !== undefined) count += countPaths(node.element);
  return count;
}

/** The number of lists and their lengths. */
function listNotes(node: PathNode, expected: number | undefined): string[] {
  const notes: string[] = [];
  const { leastElements: least, mostElements: most } = node;
  const count = node.counts[ARRAY]!;
  const length = least === most
    ? `of ${groupedDigits(least)}`
    : `of ${groupedDigits(least)}–${groupedDigits(most)}`;
  if (count > 1) notes.push(`in ${groupedDigits(count)} lists ${length}`);
  if (expected === undefined) return notes;
  for (let kind = NULL; kind <= STRING; kind++) {
    const count = node.counts[kind]!;
    if (count > 0) notes.push(`${KINDS[kind]} ×${groupedDigits(count)}`);
  }
  notes.push(...missingNote(node, expected));
  return notes;
}

function valueNotes(node: PathNode, expected: number, detail: Detail): string[] {
  const { counts } = node;
  const notes: string[] = [];
  if (counts[OBJECT]! > 0) notes.push(...objectNote(node, expected));
  else if (counts[ARRAY]! > 0 && node.element === undefined) {
    notes.push(counts[ARRAY] === 1 ? "empty list" : `${groupedDigits(counts[ARRAY]!)} empty lists`);
  } else if (node.element !== undefined) notes.push("list");
  const values = node.hasManyScalars ? undefined : valueList(node, expected, detail);
  notes.push(...values ?? typeNotes(node, detail), ...missingNote(node, expected));
  return notes;
}

/** The number of objects that have the key, if not all do. */
function missingNote(node: PathNode, expected: number): string[] {
  const count = valueCount(node);
  return count < expected ? [`in ${groupedDigits(count)} of ${groupedDigits(expected)}`] : [];
}

function isOneKind({ counts }: PathNode): boolean {
  return counts.filter((count) => count > 0).length <= 1;
}

function objectNote(node: PathNode, expected: number): string[] {
  const count = node.counts[OBJECT]!;
  if (node.isDictionary) {
    const what = count === 1 ? "dictionary" : `${groupedDigits(count)} dictionaries`;
    const keys = groupedDigits(valueCount(node.children[0]!));
    return [`${what} of ${keys} keys such as ${clip(`"${node.exampleKeys[0] ?? ""}"`, 48)}`];
  }
  if (node.children.length === 0) return [count === 1 ? "{}" : `${groupedDigits(count)} × {}`];
  if (count === expected && isOneKind(node)) return [];
  return [count === 1 ? "1 object" : `${groupedDigits(count)} objects`];
}

/** `"ok" ×1,998, "failed" ×2`, if that is short and says more than a sample. */
function valueList(node: PathNode, expected: number, detail: Detail): string[] | undefined {
  const { scalars } = node;
  if (scalars.length === 0) return [];
  const count = scalars.reduce((sum, scalar) => sum + scalar.count, 0);
  if (count > 3 && scalars.length > 1 && scalars.length > count * 0.6) return undefined;
  if (count === 1 && detail.sampleChars === 0) return undefined;
  // If several numbers are frequent, their range says as much as the list.
  if (scalars.length > 5 && scalars.every(({ kind, count }) => kind === NUMBER && count > 1)) {
    return undefined;
  }
  const sampleChars = Math.max(16, detail.sampleChars);
  const [first] = scalars;
  if (scalars.length === 1 && isOneKind(node)) {
    const shown = clip(first!.text, sampleChars);
    return shown.length > detail.valuesChars ? undefined : [count > 1 ? `always ${shown}` : shown];
  }
  const isEach = scalars.length === count && count === expected;
  const sorted = [...scalars].sort((one, other) => other.count - one.count);
  const values = sorted.map((scalar) => {
    const shown = clip(scalar.text, sampleChars);
    return isEach ? shown : `${shown} ×${groupedDigits(scalar.count)}`;
  });
  const text = values.join(", ");
  if (text.length <= detail.valuesChars) return [text];
  if (count < scalars.length * MIN_REPEATED || scalars.some(({ kind }) => kind !== STRING)) return undefined;
  const often = values.slice(0, FREQUENT).join(", ");
  return often.length <= detail.valuesChars ? [often, `${values.length - FREQUENT} more`] : undefined;
}

/** Of values that are there so often each, only the most frequent ones are listed if all are too long. */
const MIN_REPEATED = 4;
const FREQUENT = 2;

/** `string "abc"`; `integer 1–10000`. With counts if there are values of several types. */
function typeNotes(node: PathNode, detail?: Detail): string[] {
  const { counts } = node;
  const notes: string[] = [];
  const isMixed = !isOneKind(node);
  const times = (count: number) => isMixed ? ` ×${groupedDigits(count)}` : "";
  for (let kind = NULL; kind < NUMBER; kind++) {
    if (counts[kind]! > 0) notes.push(`${KINDS[kind]}${times(counts[kind]!)}`);
  }
  if (counts[NUMBER]! > 0) {
    const range = detail === undefined || node.least > node.most ? "" : ` ${rangeOf(node)}`;
    notes.push(`${node.isWhole ? "integer" : "number"}${times(counts[NUMBER]!)}${range}`);
  }
  if (counts[STRING]! > 0) {
    const sample = node.scalars.find(({ kind, text }) => kind === STRING && text !== '""');
    const chars = detail?.sampleChars ?? 0;
    const shown = sample === undefined || chars === 0 ? "" : ` ${clip(sample.text, chars)}`;
    const isLong = detail !== undefined && node.longest > 400;
    notes.push(
      `string${times(counts[STRING]!)}${shown}${
        isLong ? `, up to ${groupedDigits(node.longest - 2)} bytes` : ""
      }`,
    );
  }
  return notes;
}

function rangeOf({ least, leastText, most, mostText }: PathNode): string {
  const from = leastText === "" ? String(least) : leastText;
  const to = mostText === "" ? String(most) : mostText;
  return from === to
    ? from
    : from.startsWith("-") || to.startsWith("-")
    ? `${from} to ${to}`
    : `${from}–${to}`;
}

/** Returns the start of a text, with an ellipsis if it is cut. */
export function clip(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = text.slice(0, chars - 1);
  const last = head.charCodeAt(head.length - 1);
  return `${last >= 0xd800 && last < 0xdc00 ? head.slice(0, -1) : head}…`;
}
