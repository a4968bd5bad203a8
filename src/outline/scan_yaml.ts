/**
 * A scanner for YAML as tools print it: block mappings and lists, plain, quoted and block scalars, several documents; and for
 * flat records of `Key: value` or `Key=value` with an empty line after each. It reports to a table of paths. Flow collections
 * are taken as text, anchors and aliases are not followed, so nothing grows.
 */

import type { ContentLine } from "./outlined_content.ts";
import { ARRAY, OBJECT } from "./path_node.ts";
import type { TextPaths } from "./text_paths.ts";

/** A key, its colon, and the space up to its value. */
const KEY =
  /(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([\w./$<~+@\\\x80-\xff][\w\x80-\xff./$@{}()<>[\]"',=+*~:?!\\-]*?)) *:(?: +|$)/y;
/** A key of a record. */
const FLAT_KEY = /([A-Za-z][\w .()/-]{0,47}?)(?:[ \t]*:(?:[ \t]+|$)|=)/y;
const QUOTED = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?: +#.*)?$/;
const MAX_DEPTH = 1000;
const MAX_TEXT_CHARS = 1024;

export type YamlScan = ReturnType<typeof scanYaml>;

/** Starts to scan YAML, or flat records. */
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
      const column = text.search(/[^ \t]/);
      if (column < 0) {
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
    const isDeeper = column > columns.at(-1)!;
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
      at = text.slice(3).search(/[^ ]/) + 3;
      if (at < 3) return;
    }
    const pattern = isFlat ? FLAT_KEY : KEY;
    for (let space = 0; space >= 0; at += 1 + space) {
      const isItem = !isFlat && text[at] === "-" && (at + 1 === text.length || text[at + 1] === " ");
      pattern.lastIndex = at;
      const found = isItem ? null : pattern.exec(text);
      if (!isItem && found === null) return takeValue(text, at, byteOffset);
      if (!enter(at, isItem, byteOffset + at)) {
        scan.badCount++;
        return;
      }
      held = expected(byteOffset + at);
      if (found !== null) {
        scan.keyCount++;
        key(found[1] ?? found[2] ?? found[3]!);
        return takeValue(text, at + found[0].length, byteOffset);
      }
      space = text.slice(at + 1).search(/[^ ]/);
    }
  }

  /** Goes to the collection that an item or key is in. Returns false if there cannot be one. */
  function enter(column: number, isItem: boolean, byteOffset: number): boolean {
    const isOver = () => column < columns.at(-1)! || column === columns.at(-1) && lists.at(-1) && !isItem;
    while (columns.length > 0 && isOver()) close();
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
    const all = isFlat ? text.slice(at) : text.slice(at).replace(/^(?:[&!][^ ]*(?: +|$))+/, "");
    const quoted = isFlat ? null : QUOTED.exec(all);
    const isText = isFlat ? all === "" : all[0] === '"' || all[0] === "'";
    const own = quoted?.[1] ?? (isText || isFlat ? all : all.replace(/(?:^| +)#.*$/, "")).trimEnd();
    if (own === "" && !isFlat) return;
    if (held === undefined || held.text !== "" || columns.length === 0) {
      scan.badCount++;
      return;
    }
    held.isBlock = !isFlat && /^[|>][-+0-9]*$/.test(own);
    if (held.isBlock) return;
    const fromByte = byteOffset + text.indexOf(own, at);
    held = { ...held, text: own, isText, fromByte, toByte: fromByte + own.length };
    if (isFlat) return;
    if (isText && quoted === null) held.endsWith = own[0]!;
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

/** Whether a quoted text or flow collection ends in this line. */
function closes(text: string, end: string): boolean {
  if (end === "]" || end === "}") return text.endsWith(end);
  return end === "'" ? /(?:^|[^'])(?:'')*'$/.test(text) : /(?:^|[^\\])(?:\\\\)*"$/.test(text);
}
