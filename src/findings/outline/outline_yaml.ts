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
  const scan = new YamlScan(table, isFlat);
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

/** A value that may go on, without text yet. */
function expected(fromByte: number) {
  return { text: "", fromByte, toByte: fromByte, endsWith: "", isText: false, isBlock: false };
}

/**
 * A scan of YAML as tools print it: block mappings and lists, plain, quoted and block scalars, several documents; or of flat
 * records of `Key: value` or `Key=value` with an empty line after each. Flow collections are taken as text, anchors
 * and aliases are not followed, so nothing grows.
 */
export class YamlScan {
  documentCount = 0;
  keyCount = 0;
  deepest = 0;
  lineCount = 0;
  /** Lines that do not fit. */
  badCount = 0;
  /** The columns of the open collections, and which are lists. */
  private readonly columns: number[] = [];
  private readonly lists: boolean[] = [];
  /** The value that is expected, if it has no text yet, or that may go on in the next line. */
  private current: ReturnType<typeof expected> | undefined = expected(0);
  private endsAt = 0;

  constructor(private readonly table: TextPaths, private readonly isFlat: boolean) {}

  take({ text, byteOffset }: ContentLine): void {
    const column = afterSpace(text, 0);
    if (column === text.length) {
      if (this.isFlat) this.end();
      return;
    }
    this.lineCount++;
    if (!this.takeMore(text, column, byteOffset)) this.takeLine(text, column, byteOffset);
    this.endsAt = byteOffset + text.length;
  }

  end(): void {
    while (this.columns.length > 0) this.close();
    this.current = expected(this.endsAt);
  }

  /** Takes a line that belongs to the value before it. */
  private takeMore(text: string, column: number, byteOffset: number): boolean {
    if (this.current === undefined || this.columns.length === 0) return false;
    const isDeeper = column > this.columns.at(-1)! || this.isFlat && text[0] === "\t";
    if (
      this.current.endsWith === "" &&
      !(isDeeper && (this.isFlat || this.current.isBlock || this.current.text !== ""))
    ) return false;
    const own = text.slice(column);
    if (this.current.text === "") this.current.fromByte = byteOffset + column;
    if (this.current.text.length < MAX_TEXT_CHARS) {
      this.current.text += this.current.text === "" ? own : ` ${own}`;
    }
    this.current.toByte = byteOffset + text.length;
    if (this.current.endsWith !== "" && closes(own, this.current.endsWith)) this.current.endsWith = "";
    return true;
  }

  private takeLine(text: string, column: number, byteOffset: number): void {
    if (text[column] === "#" || text[0] === "%") return;
    let at = column;
    if (column === 0 && !this.isFlat && /^(?:---|\.\.\.)(?: |$)/.test(text)) {
      this.end();
      at = afterSpace(text, 3);
      if (at === text.length) return;
    }
    for (;;) {
      const isItem = !this.isFlat && text[at] === "-" && (at + 1 === text.length || text[at + 1] === " ");
      const found = isItem ? undefined : this.keyAt(text, at);
      if (!isItem && found === undefined) return this.takeValue(text, at, byteOffset);
      if (!this.enter(at, isItem, byteOffset + at)) {
        this.badCount++;
        return;
      }
      this.current = expected(byteOffset + at);
      if (found !== undefined) {
        this.keyCount++;
        this.table.key(found.name);
        return this.takeValue(text, found.valueAt, byteOffset);
      }
      at = afterSpace(text, at + 1);
      if (at === text.length) return;
    }
  }

  /** The key at an index, and where its value starts. Plain keys of YAML have no spaces here. */
  private keyAt(text: string, at: number): { name: string; valueAt: number } | undefined {
    const sign = text[at]!;
    if (!this.isFlat && (sign === '"' || sign === "'")) {
      QUOTED_KEY.lastIndex = at;
      const found = QUOTED_KEY.exec(text);
      return found === null ? undefined : { name: found[1] ?? found[2]!, valueAt: at + found[0].length };
    }
    if (this.isFlat ? !/[a-z]/i.test(sign) : SIGNS.includes(sign)) return undefined;
    let to = text.indexOf(":", at);
    while (to >= 0 && to + 1 < text.length && text[to + 1]! > " ") to = text.indexOf(":", to + 1);
    const equals = this.isFlat ? text.indexOf("=", at) : -1;
    if (equals >= 0 && (to < 0 || equals < to)) to = equals;
    const name = text.slice(at, Math.max(at, to)).trimEnd();
    if (name === "" || (this.isFlat ? name.length > MAX_FLAT_KEY : name.includes(" "))) return undefined;
    return { name, valueAt: afterSpace(text, to + 1) };
  }

  /** Goes to the collection that an item or key is in. Returns false if there cannot be one. */
  private enter(column: number, isItem: boolean, byteOffset: number): boolean {
    while (column < this.columns.at(-1)! || column === this.columns.at(-1) && this.lists.at(-1) && !isItem) {
      this.close();
    }
    if (column === this.columns.at(-1) && this.lists.at(-1) === isItem) {
      this.flush();
      return true;
    }
    if (
      this.current === undefined || this.current.text !== "" || this.current.isBlock ||
      this.columns.length === MAX_DEPTH
    ) return false;
    this.current = undefined;
    if (this.columns.length === 0) this.documentCount++;
    this.table.paths.open(isItem ? ARRAY : OBJECT, byteOffset);
    this.columns.push(column);
    this.lists.push(isItem);
    this.deepest = Math.max(this.deepest, this.columns.length);
    return true;
  }

  private close(): void {
    this.flush();
    this.table.paths.close(this.endsAt);
    this.columns.pop();
    this.lists.pop();
  }

  private takeValue(text: string, at: number, byteOffset: number): void {
    const all = text.slice(at).trimEnd();
    let own = all;
    let isText = this.isFlat && all === "";
    let isOpen = false;
    const hasSign = !this.isFlat && (SIGNS.includes(all[0] ?? "") || all.includes(" #"));
    if (hasSign) {
      const plain = all.replace(/^(?:[&!][^ ]*(?: +|$))+/, "");
      const quoted = QUOTED.exec(plain);
      isText = plain[0] === '"' || plain[0] === "'";
      isOpen = isText && quoted === null;
      own = quoted?.[1] ?? (isText ? plain : plain.replace(/(?:^| +)#.*$/, ""));
    }
    if (own === "" && !this.isFlat) return;
    if (this.current === undefined || this.current.text !== "" || this.columns.length === 0) {
      this.badCount++;
      return;
    }
    this.current.isBlock = hasSign && /^[|>][-+0-9]*$/.test(own);
    if (this.current.isBlock) return;
    const fromByte = byteOffset + text.indexOf(own, at);
    this.current.text = own;
    this.current.isText = isText;
    this.current.fromByte = fromByte;
    this.current.toByte = fromByte + own.length;
    if (!hasSign) return;
    if (isOpen) this.current.endsWith = own[0]!;
    else if (/^[{[][^\]}]*$/.test(own)) this.current.endsWith = own[0] === "{" ? "}" : "]";
    else if (own === "{}" || own === "[]") {
      this.table.paths.open(own === "[]" ? ARRAY : OBJECT, fromByte);
      this.table.paths.close(this.current.toByte);
      this.current = undefined;
    }
  }

  /** Reports the value that has ended. */
  private flush(): void {
    if (this.current === undefined) return;
    const { text, fromByte, toByte, isText, isBlock } = this.current;
    this.current = undefined;
    this.table.value(isText ? text.replace(/^["']|["']$/g, "") : text, fromByte, toByte, isText || isBlock);
  }
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
