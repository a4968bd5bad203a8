/** A table of paths for values that are written without quotes, as in a table, YAML or XML. */

import { startPaths } from "./json_paths.ts";
import { utf8Of } from "./outlined_content.ts";
import { FALSE, NULL, NUMBER, STRING, TRUE } from "./path_node.ts";

export type TextPaths = ReturnType<typeof textPaths>;

const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS = new Map([["", NULL], ["null", NULL], ["~", NULL], ["true", TRUE], ["false", FALSE]]);
/** Chars that are looked at of a value. */
const MAX_VALUE_CHARS = 256;

/** Records may have this many different keys. */
const MAX_KEYS = 1000;

/** Starts an empty table. Text has one char a byte. `keysMayRepeat` is as for {@link startPaths}. */
export function textPaths(keysMayRepeat = false) {
  const paths = startPaths(MAX_KEYS, keysMayRepeat);
  let current = "";
  const token = { text: () => utf8Of(current), isCut: false };
  return {
    paths,
    key(name: string): void {
      current = escaped(name);
      paths.key(hashOf(current), token);
    },
    /** A value from one byte up to another. `isText`: it was quoted. */
    value(text: string, fromByte: number, toByte: number, isText = false): void {
      const isNumber = !isText && NUMERIC.test(text);
      const kind = isText ? STRING : isNumber ? NUMBER : WORDS.get(text) ?? STRING;
      const start = text.slice(0, MAX_VALUE_CHARS);
      current = kind === NULL ? "null" : kind === STRING ? escaped(start) : start;
      paths.scalar(kind, hashOf(text), Number(text), toByte - fromByte, token, fromByte);
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
