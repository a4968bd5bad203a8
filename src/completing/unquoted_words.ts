/** Shell words as they are typed, without their quotes. */

/**
 * Takes quotes and backslashes away, as the shell would, also those that are not closed yet. Variables
 * and other substitutions stay as they are.
 *
 * ```ts
 * import { unquoted } from "./unquoted_words.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(unquoted(String.raw`a\ b'c "d'"e \"f`), `a bc "de "f`);
 * ```
 */
export function unquoted(typed: string): string {
  let word = "";
  let quote = "";
  for (let at = 0; at < typed.length; at++) {
    const char = typed[at]!;
    if (char === quote) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === "\\" && quote !== "'") {
      const next = typed[at + 1] ?? "";
      // Between double quotes a backslash is one, except before what it can protect there.
      if (quote === '"' && !'"\\$`'.includes(next)) word += char;
      else {
        word += next;
        at++;
      }
    } else word += char;
  }
  return word;
}
