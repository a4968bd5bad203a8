/**
 * The facts about all values at one path of JSON content. The table of paths is bounded: an object of very many keys is a
 * dictionary, whose values share one path.
 */

import type { ByteRange } from "./outlined_content.ts";

/** The kinds of JSON values, as indices. */
export const KINDS = ["null", "false", "true", "number", "string", "object", "array"] as const;
export const [NULL, FALSE, TRUE, NUMBER, STRING, OBJECT, ARRAY] = [0, 1, 2, 3, 4, 5, 6] as const;

/** A number as JSON has it. */
export const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A value, or an object or list around one. */
export interface Span extends ByteRange {
  /** As a jq path; "" for a whole value. Its end is infinite until it is known. */
  path: string;
  /** The best of its values that name it. */
  name: NameAt | undefined;
}

/** The value of a key that names an object, such as `name`. The lowest rank counts. */
export interface NameAt extends ByteRange {
  rank: number;
}

/** The place of a value. */
export interface Place {
  /** The start of the value in the content. */
  byteOffset: number;
  /** The innermost object around it, or the value itself. */
  object: Span;
  /** The innermost list element around it, or the whole value. */
  element: Span;
  /** All objects and lists around it and the value itself, the outermost first. */
  around: readonly Span[];
}

/** One of few different scalars at a path. */
interface Scalar {
  hash: number;
  kind: number;
  /** Its start, as written. */
  text: string;
  count: number;
  /** The first one. */
  place: Place;
}

/** Objects with the same set of keys. */
interface KeySet {
  sum: number;
  count: number;
  keyCount: number;
  /** The first one. */
  place: Place;
}

/** A value at a path that reports a failure, if it is not empty. */
export interface Alarm extends ByteRange {
  place: Place;
}

/** The most different scalars that a path keeps. */
export const MAX_SCALARS = 16;
/** The most sets of keys that a path keeps. */
export const MAX_KEY_SETS = 12;
export const MAX_ALARMS = 3;
/** A number this many times as large as all others is far above them. */
export const LEAP = 4;

const ALARM_KEY =
  /^(?:.*[_-])?(?:err|errors?|errmsg|exceptions?|fail(?:ed|ures?)?|faults?|panic|traceback|stack_?trace)(?:[_-]?(?:message|msg|code|text|details?))?$/i;

/** Keys whose values name the object that has them, the best first. */
const NAMES = ["name", "id", "title", "url", "path", "uri", "file", "package", "key", "ruleid"];

export function newNode(key: string, keyHash: number) {
  return {
    /** The key, as written between its quotes; "[]" for the elements of a list, "*" for those of a dictionary. */
    key,
    keyHash,
    isAlarm: ALARM_KEY.test(key),
    /** How well its values name the object around them; -1: not at all. */
    nameRank: NAMES.indexOf(key.toLowerCase()),
    /** Whether the name of an object under this key is that of the object around it, too. */
    lendsName: key === "metadata" || key === "request",
    /** The number of values of each kind, and the place of the first one. */
    counts: [0, 0, 0, 0, 0, 0, 0] as number[],
    firstPlaces: new Array<Place | undefined>(KINDS.length).fill(undefined),
    /** Bytes of its objects and arrays. */
    byteCount: 0,

    /** The range of its numbers; as written, where a double is not exact. */
    least: Infinity,
    leastText: "",
    most: -Infinity,
    mostText: "",
    /** The second largest number; the place of the largest, if it was far above all before it. */
    nextMost: -Infinity,
    leap: undefined as Place | undefined,
    isWhole: true,
    longest: 0,
    /** The different scalars, as long as they are few. */
    scalars: [] as Scalar[],
    hasManyScalars: false,

    children: [] as PathNode[],
    childByHash: undefined as Map<number, PathNode> | undefined,
    element: undefined as PathNode | undefined,
    keySets: [] as KeySet[],
    hasManyKeySets: false,
    isDictionary: false,
    /** Some of the keys it had when it became a dictionary. */
    exampleKeys: [] as string[],
    leastElements: Infinity,
    mostElements: 0,

    /** The object that had this key last, and the first object that had it twice. */
    seenIn: 0,
    twice: undefined as Place | undefined,
    alarmCount: 0,
    alarms: [] as Alarm[],
    /** The path that this one was merged into. */
    mergedInto: undefined as PathNode | undefined,
  };
}

/** The facts about the values at one path. */
export interface PathNode extends ReturnType<typeof newNode> {}

/** The number of values at a path. */
export function valueCount({ counts }: PathNode): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** Merges the paths of all children of an object into one. */
export function makeDictionary(node: PathNode): void {
  const all = newNode("*", 0);
  node.isDictionary = true;
  for (const child of node.children) {
    if (node.exampleKeys.length < 3) node.exampleKeys.push(child.key);
    mergeNodes(all, child);
  }
  all.isAlarm = false;
  node.children = [all];
  node.childByHash = undefined;
  node.keySets = [];
  node.hasManyKeySets = true;
}

/** Adds the facts of `other` to `node`. */
function mergeNodes(node: PathNode, other: PathNode): void {
  other.mergedInto = node;
  for (let kind = 0; kind < KINDS.length; kind++) {
    node.counts[kind]! += other.counts[kind]!;
    const place = other.firstPlaces[kind];
    const own = node.firstPlaces[kind];
    if (place !== undefined && (own === undefined || place.byteOffset < own.byteOffset)) {
      node.firstPlaces[kind] = place;
    }
  }
  node.byteCount += other.byteCount;
  if (other.least < node.least) [node.least, node.leastText] = [other.least, other.leastText];
  node.nextMost = Math.max(node.nextMost, other.nextMost, Math.min(node.most, other.most));
  if (other.most > node.most) {
    [node.most, node.mostText, node.leap] = [
      other.most,
      other.mostText,
      other.leap ?? other.firstPlaces[NUMBER],
    ];
  }
  node.isWhole &&= other.isWhole;
  node.longest = Math.max(node.longest, other.longest);
  const hasManyScalars = mergeCounts(node.scalars, other.scalars, MAX_SCALARS, ({ hash }) => hash);
  node.hasManyScalars ||= other.hasManyScalars || hasManyScalars;
  mergeChildren(node, other);
  node.leastElements = Math.min(node.leastElements, other.leastElements);
  node.mostElements = Math.max(node.mostElements, other.mostElements);
  node.twice ??= other.twice;
  node.alarmCount += other.alarmCount;
  for (const alarm of other.alarms) if (node.alarms.length < MAX_ALARMS) node.alarms.push(alarm);
}

/** Adds the counts of `others` to those of `own`, which has room for `most`; returns whether some found none. */
function mergeCounts<Counted extends { count: number }>(
  own: Counted[],
  others: readonly Counted[],
  most: number,
  keyOf: (each: Counted) => number,
): boolean {
  let isFull = false;
  for (const other of others) {
    const same = own.find((each) => keyOf(each) === keyOf(other));
    if (same !== undefined) same.count += other.count;
    else if (own.length < most) own.push({ ...other });
    else isFull = true;
  }
  return isFull;
}

function mergeChildren(node: PathNode, other: PathNode): void {
  if (other.element !== undefined) {
    node.element ??= newNode("[]", 0);
    mergeNodes(node.element, other.element);
  }
  for (const child of other.children) {
    mergeNodes(childOf(node, child.keyHash) ?? addChild(node, child.key, child.keyHash), child);
  }
  node.isDictionary ||= other.isDictionary;
  const hasManyKeySets = mergeCounts(node.keySets, other.keySets, MAX_KEY_SETS, ({ sum }) => sum);
  node.hasManyKeySets ||= other.hasManyKeySets || hasManyKeySets;
}

/** The child with a key; undefined if there is none. */
export function childOf(node: PathNode, keyHash: number): PathNode | undefined {
  const { childByHash, children } = node;
  if (childByHash !== undefined) return childByHash.get(keyHash);
  for (let at = 0; at < children.length; at++) if (children[at]!.keyHash === keyHash) return children[at];
  return undefined;
}

export function addChild(node: PathNode, key: string, keyHash: number): PathNode {
  const child = newNode(key, keyHash);
  node.children.push(child);
  if (node.childByHash !== undefined) node.childByHash.set(keyHash, child);
  else if (node.children.length > 8) {
    node.childByHash = new Map(node.children.map((each) => [each.keyHash, each]));
  }
  return child;
}

const MIN_IDS = 5;
const MIN_ALIKE = 12;

/**
 * Folds the dictionaries under a path, the innermost first: objects with many keys that look like ids, or with many objects
 * of one form. Their values share one path.
 */
export function foldDictionaries(node: PathNode): void {
  if (node.element !== undefined) foldDictionaries(node.element);
  for (const child of node.children) foldDictionaries(child);
  if (!node.isDictionary && isDictionary(node)) makeDictionary(node);
}

function isDictionary({ children }: PathNode): boolean {
  if (children.length < MIN_IDS || !areOfOneKind(children)) return false;
  const ids = children.filter(({ key }) => isId(key)).length;
  return ids >= children.length * 0.8 || children.length >= MIN_ALIKE && haveOneForm(children);
}

/** Whether a key looks like data rather than a name in a program: a number, hash, path, address, sentence. */
function isId(key: string): boolean {
  return /\d{2}|[/@: ]|^\d|\.[a-z]|^[0-9a-f]{8,}$|\\/i.test(key);
}

function kindOf(node: PathNode): string {
  const { counts } = node;
  if (counts[OBJECT]! > 0) return "object";
  return counts[ARRAY]! > 0 ? "array" : "scalar";
}

function areOfOneKind(nodes: readonly PathNode[]): boolean {
  const kind = kindOf(nodes[0]!);
  return nodes.filter((node) => kindOf(node) === kind).length >= nodes.length * 0.9;
}

/** Whether the objects have mostly the same keys. */
function haveOneForm(nodes: readonly PathNode[]): boolean {
  const counts = new Map<string, number>();
  let all = 0;
  for (const node of nodes) {
    const held = node.element !== undefined && node.counts[OBJECT] === 0 ? node.element : node;
    if (valueCount(held) === 0) continue;
    for (const { key } of held.children) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      all++;
    }
  }
  return counts.size >= 2 && all >= counts.size * nodes.length * 0.6;
}
