/**
 * Writes values that are nested too deeply for jq. jq writes a value by a function that calls itself for each level, and
 * the runtime's stack has room for about 6,000 calls. So the filter itself takes its results apart into brackets, keys
 * and scalars, which needs memory but no stack, and they are put together here.
 */

import { utf8Bytes } from "../../../fd/system.ts";

const TAKE_APART = `def __tokens:
  if type == "array" then "[", (.[] | __tokens), "]"
  elif type == "object" then "{", (keys_unsorted[] as $key | ($key | tojson), (.[$key] | __tokens)), "}"
  else tojson end;`.replaceAll("\n", " ");
const RAW = "--raw-output";

/** A filter that gives, for each result of `filter`, its tokens. It compiles if `filter` is an expression. */
export function tokenFilter(filter: string): string {
  return `${TAKE_APART} (${filter}\n) | __tokens`;
}

/** jq's options that write each token on a line of its own. `flags` are those of the query. */
export function tokenFlags(flags: readonly string[]): string[] {
  return [...flags.filter((flag) => flag !== RAW), RAW];
}

/**
 * Returns a function that takes tokens as jq writes them, in pieces that end anywhere, and gives the results to `write`
 * as jq with `flags` writes them, without their first `skippedBytes`.
 */
export function tokenWriter(
  flags: readonly string[],
  skippedBytes: number,
  write: (bytes: Uint8Array) => void,
): (bytes: Uint8Array) => void {
  const isRaw = flags.includes(RAW);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The arrays and objects around the next token, outermost first, and the number of tokens in each so far. */
  const open: { isObject: boolean; count: number }[] = [];
  let line = "";

  function textOf(token: string): string {
    let text = token;
    if (token === "]" || token === "}") open.pop();
    else {
      const around = open.at(-1);
      if (around === undefined) text = isRaw && token.startsWith('"') ? JSON.parse(token) : token;
      else {
        if (around.count > 0) text = (around.isObject && around.count % 2 === 1 ? ":" : ",") + token;
        around.count++;
      }
      if (token === "[" || token === "{") open.push({ isObject: token === "{", count: 0 });
    }
    return open.length === 0 ? `${text}\n` : text;
  }

  return (piece) => {
    const lines = decoder.decode(piece, { stream: true }).split("\n");
    lines[0] = line + lines[0];
    line = lines.pop()!;
    const bytes = utf8Bytes(lines.map(textOf).join(""));
    const skipped = Math.min(skippedBytes, bytes.length);
    skippedBytes -= skipped;
    if (skipped < bytes.length) write(bytes.subarray(skipped));
  };
}
