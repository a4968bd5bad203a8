/** A table of paths for values that are written without quotes, as in a table, YAML or XML. */

import { JsonPaths } from "./json_paths.ts";
import { copyOf, utf8Of } from "./outlined_content.ts";
import { FALSE, NULL, NUMBER, NUMERIC, STRING, TRUE } from "./path_node.ts";

export type TextPaths = ReturnType<typeof textPaths>;

const WORDS = new Map([["", NULL], ["null", NULL], ["~", NULL], ["true", TRUE], ["false", FALSE]]);
/** Chars that are looked at of a value. */
const MAX_VALUE_CHARS = 256;

/** Records may have this many different keys. */
const MAX_KEYS = 1000;

/** Starts an empty table. Text has one char a byte. `keysMayRepeat` is as for {@link JsonPaths}. */
export function textPaths(keysMayRepeat = false) {
  const paths = new JsonPaths(MAX_KEYS, keysMayRepeat);
  let current = "";
  // Most texts are never shown.
  const token = { text: () => escaped(utf8Of(current.slice(0, MAX_VALUE_CHARS))), isCut: false };
  const hashes = new Map<string, number>();
  const newHash = (name: string): number => {
    const hash = hashOf(name);
    if (hashes.size < MAX_KEYS) hashes.set(copyOf(name), hash);
    return hash;
  };
  return {
    paths,
    key(name: string): void {
      current = name;
      paths.key(hashes.get(name) ?? newHash(name), token);
    },
    /** A value from one byte up to another. `isText`: it was quoted. */
    value(text: string, fromByte: number, toByte: number, isText = false): void {
      const isNumeric = !isText && text.charCodeAt(0) <= 0x39 && NUMERIC.test(text);
      // An id in hexadecimal digits may look like a power of ten.
      const isNumber = isNumeric && Number.isFinite(Number(text));
      const kind = isNumber ? NUMBER : isText || text.length > 5 ? STRING : WORDS.get(text) ?? STRING;
      current = kind === NULL ? "null" : text;
      paths.scalar(kind, hashOf(text), isNumber ? Number(text) : NaN, toByte - fromByte, token, fromByte);
    },
  };
}

/** Escapes a text as in a JSON string, without the quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
