/**
 * The table of paths of JSON content, filled by a scanner that reports tokens in order. Memory is bounded: the number of
 * paths is limited, and so are the levels that have paths of their own.
 */

import { utf8Bytes } from "../../../fd/system.ts";
import {
  addChild,
  type Alarm,
  ARRAY,
  childOf,
  LEAP,
  makeDictionary,
  MAX_ALARMS,
  MAX_KEY_SETS,
  MAX_SCALARS,
  type NameAt,
  newNode,
  NUMBER,
  OBJECT,
  type PathNode,
  type Place,
  type Span,
  STRING,
  TRUE,
} from "./path_node.ts";

/** The text of the token that was just scanned. */
export interface Token {
  /** Its first bytes as text. A string is without its quotes. */
  text(): string;
  /** Whether it has more bytes. */
  readonly isCut: boolean;
}

/** The most bytes kept of a token. A key that is cut gets an ellipsis, and so is longer. */
export const MAX_TOKEN_BYTES = 256;

function keyOf(token: Token): string {
  return token.isCut ? `${token.text()}…` : token.text();
}

/** Deeper levels have no paths of their own. */
const MAX_LEVELS = 24;
const DICTIONARY_KEYS = 128;
const MAX_NODES = 4000;

function newLevel(node: PathNode, isArray: boolean, fromByte: number, serial: number) {
  return {
    node,
    isArray,
    fromByte,
    /** The element or key that is being read. */
    index: -1,
    child: node,
    /** The current key of a dictionary. */
    keyText: "",
    /** The index of the child that probably comes next. */
    expected: 0,
    keySum: 0,
    keyCount: 0,
    /** Identifies the object. */
    serial,
    name: undefined as NameAt | undefined,
    /** Made for the first place in it. */
    span: undefined as Span | undefined,
  };
}

/** The first text of a list's element that is no longer names it, if no key does. */
const MAX_NAME_BYTES = 120;

/** An open object or array. */
type Level = ReturnType<typeof newLevel>;

/**
 * The table, empty at first. An object with `dictionaryKeys` different keys is a dictionary. `keysMayRepeat`: an object may have a
 * key twice, and is its own list element.
 */
export class JsonPaths {
  readonly root = newNode("", 0);
  /** The most levels that were open at once. */
  deepest = 0;
  /** Whether there were more paths than there is room for. */
  isCrowded = false;
  /** Whether an object has a key twice that may not. */
  hasTwice = false;
  private readonly levels: Level[] = [];
  private depth = 0;
  private serial = 0;
  private nodeCount = 1;
  /** Takes the values of further paths once the table is full. */
  private readonly rest = newNode("", 0);

  constructor(private readonly dictionaryKeys = DICTIONARY_KEYS, private readonly keysMayRepeat = false) {}

  /** An object or array starts. */
  open(kind: number, byteOffset: number): void {
    const node = this.depth < MAX_LEVELS ? this.target() : undefined;
    if (++this.depth > this.deepest) this.deepest = this.depth;
    if (node === undefined) return;
    this.levels[this.depth - 1] = newLevel(node, kind === ARRAY, byteOffset, ++this.serial);
    if (node.counts[kind]!++ === 0) node.firstPlaces[kind] = this.placeOf();
  }

  /** It ends before `byteOffset`. */
  close(byteOffset: number): void {
    if (this.depth > MAX_LEVELS) {
      this.depth--;
      return;
    }
    const level = this.levels[this.depth - 1]!;
    const { node } = level;
    if (!level.isArray && !node.hasManyKeySets) noteKeySet(node, level, this.placeOf);
    this.depth--;
    if (level.span !== undefined) level.span.toByte = byteOffset;
    if (level.name !== undefined && node.lendsName && this.depth > 0) {
      const { rank, fromByte, toByte } = level.name;
      this.nameLevel(this.levels[this.depth - 1]!, rank, fromByte, toByte);
    }
    node.byteCount += byteOffset - level.fromByte;
    if (level.isArray) {
      const count = level.index + 1;
      if (count < node.leastElements) node.leastElements = count;
      if (count > node.mostElements) node.mostElements = count;
    }
    if (node.isAlarm && (level.isArray ? level.index >= 0 : level.keyCount > 0)) {
      noteAlarm(node, this.placeOf(level.fromByte, byteOffset), level.fromByte, byteOffset);
    }
  }

  key(hash: number, token: Token): void {
    if (this.depth > MAX_LEVELS) return;
    const level = this.levels[this.depth - 1]!;
    const { node } = level;
    level.keyCount++;
    if (node === this.rest) return;
    if (node.isDictionary) {
      level.child = node.children[0]!;
      level.keyText = keyOf(token);
      return;
    }
    const { children } = node;
    let child = level.expected < children.length ? children[level.expected]! : undefined;
    if (child?.keyHash === hash) level.expected++;
    else {
      child = childOf(node, hash) ?? this.newChild(level, hash, token);
      if (child === undefined) return;
      const at = children.indexOf(child, level.expected);
      if (at >= 0) level.expected = at + 1;
    }
    level.child = child;
    if (child.seenIn === level.serial) {
      if (child.twice === undefined && !this.keysMayRepeat) child.twice = this.placeOf();
      this.hasTwice = !this.keysMayRepeat;
    } else {
      child.seenIn = level.serial;
      level.keySum = level.keySum + Math.imul(hash ^ hash >>> 15, 0x85ebca6b) | 0;
    }
  }

  scalar(kind: number, hash: number, value: number, length: number, token: Token, byteOffset: number): void {
    if (this.depth > MAX_LEVELS) return;
    const node = this.target();
    const toByte = byteOffset + length;
    if (node.counts[kind]!++ === 0) node.firstPlaces[kind] = this.placeOf(byteOffset, toByte);
    if (kind === NUMBER) noteNumber(node, value, token, byteOffset, this.placeOf);
    else if (kind === STRING && length > node.longest) node.longest = length;
    noteScalar(node, kind, hash, token, byteOffset, toByte, this.placeOf);
    if (node.isAlarm && isAlarming(kind, value, length)) {
      noteAlarm(node, this.placeOf(byteOffset, toByte), byteOffset, toByte);
    }
    if (kind >= NUMBER && this.depth > 0 && node !== this.rest) {
      const isNaming = node.nameRank >= 0 ||
        kind === STRING && length < MAX_NAME_BYTES && this.levels[this.depth - 2]?.isArray;
      if (isNaming) this.nameLevel(this.levels[this.depth - 1]!, node.nameRank >>> 0, byteOffset, toByte);
    }
  }

  /** Drops all open values, which do not count. */
  abandon(): void {
    for (let at = 0; at < this.depth && at < MAX_LEVELS; at++) {
      const { node, isArray } = this.levels[at]!;
      node.counts[isArray ? ARRAY : OBJECT]!--;
    }
    this.depth = 0;
  }

  /** The path of the value that starts now; counts an element. */
  private target(): PathNode {
    if (this.depth === 0) return this.root;
    const level = this.levels[this.depth - 1]!;
    if (!level.isArray) return level.child;
    level.index++;
    if (level.node === this.rest) return this.rest;
    let { element } = level.node;
    if (element === undefined) {
      element = newNode("[]", 0);
      level.node.element = element;
      this.nodeCount++;
    }
    return element;
  }

  /** The place of a scalar or, without one, of the object or list that was opened last. */
  private readonly placeOf = (fromByte?: number, toByte = Infinity): Place => {
    const around: Span[] = [];
    let path = "";
    let elementAt = 0;
    for (let at = 0; at < this.depth; at++) {
      const level = this.levels[at]!;
      level.span ??= { path, fromByte: level.fromByte, toByte: Infinity, name: level.name };
      around.push(level.span);
      if (level.isArray && (fromByte !== undefined || at + 1 < this.depth)) elementAt = at + 1;
      path += level.isArray
        ? `[${level.index}]`
        : step(level.node.isDictionary ? level.keyText : level.child.key);
    }
    const isMember = fromByte !== undefined && this.depth > 0 && !this.levels[this.depth - 1]!.isArray;
    if (fromByte !== undefined) around.push({ path, fromByte, toByte, name: undefined });
    const object = around[around.length - (isMember ? 2 : 1)]!;
    const element = this.keysMayRepeat ? object : around[elementAt]!;
    return { byteOffset: fromByte ?? object.fromByte, object, element, around };
  };

  /** Notes a value that names the object that is open, unless there is a better one. */
  private nameLevel(level: Level, rank: number, fromByte: number, toByte: number): void {
    if (level.name !== undefined && level.name.rank <= rank) return;
    const name = { rank, fromByte, toByte };
    level.name = name;
    if (level.span !== undefined) level.span.name = name;
  }

  private makeRoom(): void {
    // The open object with the most keys becomes a dictionary.
    let widest: PathNode | undefined;
    for (let at = 0; at < this.depth; at++) {
      const { node, isArray } = this.levels[at]!;
      if (!isArray && !node.isDictionary && node.children.length > (widest?.children.length ?? 7)) {
        widest = node;
      }
    }
    if (widest === undefined) this.isCrowded = true;
    else this.fold(widest);
  }

  private fold(node: PathNode): void {
    makeDictionary(node);
    this.nodeCount = countNodes(this.root);
    for (let at = 0; at < this.depth; at++) {
      const level = this.levels[at]!;
      if (level.node === node) level.keyText = level.child.key;
      level.node = survivor(level.node);
      level.child = survivor(level.child);
    }
  }

  /** Adds a key to the object of a level. Returns undefined if its values have no path of their own. */
  private newChild(level: Level, hash: number, token: Token): PathNode | undefined {
    if (level.node.children.length >= this.dictionaryKeys) this.fold(level.node);
    else if (this.nodeCount >= MAX_NODES) this.makeRoom();
    if (level.node.isDictionary) {
      level.child = level.node.children[0]!;
      level.keyText = keyOf(token);
      return undefined;
    }
    if (this.nodeCount >= MAX_NODES) {
      level.child = this.rest;
      return undefined;
    }
    this.nodeCount++;
    return addChild(level.node, keyOf(token), hash);
  }
}

/** A key as a step of a jq path, from the text between its quotes. */
export function step(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `."${key}"`;
}

/** The steps of a path, as {@link step} makes them, up to the first key that is cut. */
export function wholeSteps(path: string): string {
  let whole = "";
  for (const [each, key = ""] of path.matchAll(/\."((?:[^"\\]|\\.)*)"|\.\w+|\[\d+\]/gs)) {
    if (utf8Bytes(key).length > MAX_TOKEN_BYTES) break;
    whole += each;
  }
  return whole;
}

function survivor(node: PathNode): PathNode {
  let last = node;
  while (last.mergedInto !== undefined) last = last.mergedInto;
  return last;
}

function countNodes(node: PathNode): number {
  let count = 1;
  if (node.element !== undefined) count += countNodes(node.element);
  for (const child of node.children) count += countNodes(child);
  return count;
}

type PlaceOf = (fromByte?: number, toByte?: number) => Place;

function noteKeySet(node: PathNode, level: Level, placeOf: PlaceOf): void {
  const { keySets } = node;
  for (let at = 0; at < keySets.length; at++) {
    if (keySets[at]!.sum === level.keySum) {
      keySets[at]!.count++;
      return;
    }
  }
  if (keySets.length < MAX_KEY_SETS) {
    keySets.push({ sum: level.keySum, count: 1, keyCount: level.keyCount, place: placeOf() });
  } else node.hasManyKeySets = true;
}

function noteNumber(node: PathNode, value: number, token: Token, byteOffset: number, placeOf: PlaceOf): void {
  if (value < node.least) {
    node.least = value;
    node.leastText = isExact(value) ? "" : token.text();
  }
  if (value > node.most) {
    node.leap = node.most > 0 && value >= node.most * LEAP ? placeOf(byteOffset) : undefined;
    node.nextMost = node.most;
    node.most = value;
    node.mostText = isExact(value) ? "" : token.text();
  } else if (value > node.nextMost) node.nextMost = value;
  if (node.isWhole && !Number.isInteger(value)) node.isWhole = false;
}

/** Whether a double holds the number exactly enough to write it again. */
function isExact(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
}

function noteScalar(
  node: PathNode,
  kind: number,
  hash: number,
  token: Token,
  byteOffset: number,
  toByte: number,
  placeOf: PlaceOf,
): void {
  if (node.hasManyScalars) return;
  const { scalars } = node;
  for (let at = 0; at < scalars.length; at++) {
    const scalar = scalars[at]!;
    if (scalar.hash === hash && scalar.kind === kind) {
      scalar.count++;
      return;
    }
  }
  if (scalars.length === MAX_SCALARS) {
    node.hasManyScalars = true;
    return;
  }
  const own = token.text();
  const text = kind === STRING ? `"${own}"` : own;
  scalars.push({ hash, kind, text, count: 1, place: placeOf(byteOffset, toByte) });
}

/** Whether a scalar under a key such as "error" says that there was one. */
function isAlarming(kind: number, value: number, length: number): boolean {
  return kind === STRING ? length > 2 : kind === NUMBER ? value !== 0 : kind === TRUE;
}

function noteAlarm(node: PathNode, place: Place, fromByte: number, toByte: number): void {
  node.alarmCount++;
  const alarm: Alarm = { place, fromByte, toByte };
  if (node.alarms.length < MAX_ALARMS) node.alarms.push(alarm);
}
