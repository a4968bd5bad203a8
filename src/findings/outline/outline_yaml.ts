/** Outlines YAML, and flat records of keys and values: `dpkg -s`, `systemctl show`, headers of HTTP. */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { countsOf, oneLine, outlinedPart, outlineOfLines } from "./outline_paths.ts";
import {
  type ContentLine,
  type ContentOutline,
  eachLine,
  OUTLINED_BYTES,
  type OutlinedContent,
} from "./outlined_content.ts";
import { ARRAY, foldDictionaries, OBJECT, valueCount } from "./path_node.ts";
import { type TextPaths, textPaths } from "./text_paths.ts";

/** In so many bytes it must be sure that content is YAML, or consists of records. */
const TRIAL_BYTES = 4096;
const FLAT_TRIAL_BYTES = 65_536;
const MIN_KEYS = 8;
const MIN_RECORDS = 3;

/**
 * Outlines content that looks like YAML or records, in at most about `budgetChars`. Returns undefined if it is
 * something else.
 */
export function outlineYaml(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  return outlined(content, budgetChars, false) ?? outlined(content, budgetChars, true);
}

function outlined(
  content: OutlinedContent,
  budgetChars: number,
  isFlat: boolean,
): ContentOutline | undefined {
  const table = textPaths(isFlat);
  const { root } = table.paths;
  const scan = scanYaml(table, isFlat);
  // All lines of YAML must fit at first, and most records must have two keys in common.
  const isKnown = () =>
    isFlat
      ? scan.documentCount >= MIN_RECORDS &&
        root.children.filter((child) => valueCount(child) >= scan.documentCount * 0.9).length > 1
      : scan.badCount === 0 && !table.paths.hasTwice && scan.deepest > 1 && scan.keyCount >= MIN_KEYS;
  let trialBytes = isFlat ? FLAT_TRIAL_BYTES : TRIAL_BYTES;
  const isRead = eachLine(content, (line) => {
    if (line.byteOffset + line.text.length > trialBytes) {
      if (!isKnown()) return false;
      trialBytes = Infinity;
    }
    // The status of an answer of HTTP is a value, too.
    if (isFlat) line.text = line.text.replace(/^HTTP\/[\d.]+ (\d{3})\b.*/, "status: $1");
    scan.take(line);
    return scan.badCount <= 3 || scan.badCount * 50 <= scan.lineCount;
  });
  if (!isRead) return undefined;
  if (content.byteCount <= OUTLINED_BYTES) scan.end();
  if (trialBytes < Infinity && !isKnown()) return undefined;
  if (!isFlat) foldDictionaries(root);
  const bad = scan.badCount === 0 ? "" : `, ${groupedDigits(scan.badCount)} lines are something else`;
  const counts = isFlat
    ? `key-value text: ${groupedDigits(scan.documentCount)} records`
    : countsOf(root, "YAML", "YAML documents");
  const heading = `${counts}${outlinedPart(content)}${bad}`;
  return outlineOfLines(isFlat ? "records" : "YAML", heading, root, content, budgetChars, oneLine);
}

/** A quoted key, its colon, and the space up to its value. */
const QUOTED_KEY = /(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)') *:(?: +|$)/y;
/** Chars that plain keys and values do not start with. */
const SIGNS = "-?:,[]{}#&*!|>'\"%@`(=";
const MAX_FLAT_KEY = 48;
const QUOTED = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?: +#.*)?$/;
const MAX_DEPTH = 1000;
const MAX_TEXT_CHARS = 1024;

/**
 * Starts to scan YAML as tools print it: block mappings and lists, plain, quoted and block scalars, several documents; or flat
 * records of `Key: value` or `Key=value` with an empty line after each. Flow collections are taken as text, anchors
 * and aliases are not followed, so nothing grows.
 */
export function scanYaml({ paths, key, value }: TextPaths, isFlat: boolean) {
  /** The columns of the open collections, and which are lists. */
  const columns: number[] = [];
  const lists: boolean[] = [];
  /** The value that is expected, if it has no text yet, or that may go on in the next line. */
  let held: ReturnType<typeof expected> | undefined = expected(0);
  let endsAt = 0;

  const scan = {
    documentCount: 0,
    keyCount: 0,
    deepest: 0,
    lineCount: 0,
    /** Lines that do not fit. */
    badCount: 0,
    take({ text, byteOffset }: ContentLine): void {
      const column = afterSpace(text, 0);
      if (column === text.length) {
        if (isFlat) scan.end();
        return;
      }
      scan.lineCount++;
      if (!takeMore(text, column, byteOffset)) takeLine(text, column, byteOffset);
      endsAt = byteOffset + text.length;
    },
    end(): void {
      while (columns.length > 0) close();
      held = expected(endsAt);
    },
  };

  function expected(fromByte: number) {
    return { text: "", fromByte, toByte: fromByte, endsWith: "", isText: false, isBlock: false };
  }

  /** Takes a line that belongs to the value before it. */
  function takeMore(text: string, column: number, byteOffset: number): boolean {
    if (held === undefined || columns.length === 0) return false;
    const isDeeper = column > columns.at(-1)! || isFlat && text[0] === "\t";
    if (held.endsWith === "" && !(isDeeper && (isFlat || held.isBlock || held.text !== ""))) return false;
    const own = text.slice(column);
    if (held.text === "") held.fromByte = byteOffset + column;
    if (held.text.length < MAX_TEXT_CHARS) held.text += held.text === "" ? own : ` ${own}`;
    held.toByte = byteOffset + text.length;
    if (held.endsWith !== "" && closes(own, held.endsWith)) held.endsWith = "";
    return true;
  }

  function takeLine(text: string, column: number, byteOffset: number): void {
    if (text[column] === "#" || text[0] === "%") return;
    let at = column;
    if (column === 0 && !isFlat && /^(?:---|\.\.\.)(?: |$)/.test(text)) {
      scan.end();
      at = afterSpace(text, 3);
      if (at === text.length) return;
    }
    for (;;) {
      const isItem = !isFlat && text[at] === "-" && (at + 1 === text.length || text[at + 1] === " ");
      const found = isItem ? undefined : keyAt(text, at);
      if (!isItem && found === undefined) return takeValue(text, at, byteOffset);
      if (!enter(at, isItem, byteOffset + at)) {
        scan.badCount++;
        return;
      }
      held = expected(byteOffset + at);
      if (found !== undefined) {
        scan.keyCount++;
        key(found.name);
        return takeValue(text, found.valueAt, byteOffset);
      }
      at = afterSpace(text, at + 1);
      if (at === text.length) return;
    }
  }

  /** The key at an index, and where its value starts. Plain keys of YAML have no spaces here. */
  function keyAt(text: string, at: number): { name: string; valueAt: number } | undefined {
    const sign = text[at]!;
    if (!isFlat && (sign === '"' || sign === "'")) {
      QUOTED_KEY.lastIndex = at;
      const found = QUOTED_KEY.exec(text);
      return found === null ? undefined : { name: found[1] ?? found[2]!, valueAt: at + found[0].length };
    }
    if (isFlat ? !/[a-z]/i.test(sign) : SIGNS.includes(sign)) return undefined;
    let to = text.indexOf(":", at);
    while (to >= 0 && to + 1 < text.length && text[to + 1]! > " ") to = text.indexOf(":", to + 1);
    const equals = isFlat ? text.indexOf("=", at) : -1;
    if (equals >= 0 && (to < 0 || equals < to)) to = equals;
    const name = text.slice(at, Math.max(at, to)).trimEnd();
    if (name === "" || (isFlat ? name.length > MAX_FLAT_KEY : name.includes(" "))) return undefined;
    return { name, valueAt: afterSpace(text, to + 1) };
  }

  /** Goes to the collection that an item or key is in. Returns false if there cannot be one. */
  function enter(column: number, isItem: boolean, byteOffset: number): boolean {
    while (column < columns.at(-1)! || column === columns.at(-1) && lists.at(-1) && !isItem) close();
    if (column === columns.at(-1) && lists.at(-1) === isItem) {
      flush();
      return true;
    }
    if (held === undefined || held.text !== "" || held.isBlock || columns.length === MAX_DEPTH) return false;
    held = undefined;
    if (columns.length === 0) scan.documentCount++;
    paths.open(isItem ? ARRAY : OBJECT, byteOffset);
    columns.push(column);
    lists.push(isItem);
    scan.deepest = Math.max(scan.deepest, columns.length);
    return true;
  }

  function close(): void {
    flush();
    paths.close(endsAt);
    columns.pop();
    lists.pop();
  }

  function takeValue(text: string, at: number, byteOffset: number): void {
    const all = text.slice(at).trimEnd();
    let own = all;
    let isText = isFlat && all === "";
    let isOpen = false;
    const hasSign = !isFlat && (SIGNS.includes(all[0] ?? "") || all.includes(" #"));
    if (hasSign) {
      const plain = all.replace(/^(?:[&!][^ ]*(?: +|$))+/, "");
      const quoted = QUOTED.exec(plain);
      isText = plain[0] === '"' || plain[0] === "'";
      isOpen = isText && quoted === null;
      own = quoted?.[1] ?? (isText ? plain : plain.replace(/(?:^| +)#.*$/, ""));
    }
    if (own === "" && !isFlat) return;
    if (held === undefined || held.text !== "" || columns.length === 0) {
      scan.badCount++;
      return;
    }
    held.isBlock = hasSign && /^[|>][-+0-9]*$/.test(own);
    if (held.isBlock) return;
    const fromByte = byteOffset + text.indexOf(own, at);
    held.text = own;
    held.isText = isText;
    held.fromByte = fromByte;
    held.toByte = fromByte + own.length;
    if (!hasSign) return;
    if (isOpen) held.endsWith = own[0]!;
    else if (/^[{[][^\]}]*$/.test(own)) held.endsWith = own[0] === "{" ? "}" : "]";
    else if (own === "{}" || own === "[]") {
      paths.open(own === "[]" ? ARRAY : OBJECT, fromByte);
      paths.close(held.toByte);
      held = undefined;
    }
  }

  /** Reports the value that has ended. */
  function flush(): void {
    if (held === undefined) return;
    const { text, fromByte, toByte, isText, isBlock } = held;
    held = undefined;
    value(isText ? text.replace(/^["']|["']$/g, "") : text, fromByte, toByte, isText || isBlock);
  }

  return scan;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at++;
  return at;
}

/** Whether a quoted text or flow collection ends in this line. */
function closes(text: string, end: string): boolean {
  if (end === "]" || end === "}") return text.endsWith(end);
  return end === "'" ? /(?:^|[^'])(?:'')*'$/.test(text) : /(?:^|[^\\])(?:\\\\)*"$/.test(text);
}
