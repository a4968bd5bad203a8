/**
 * Adds one marked block to TOML text, at its end, where a table can stand whatever comes before; and takes it out again.
 * Nothing else is touched. The text is parsed before and after, so that what is added means what it is to mean.
 *
 * @module
 */

import { parse, TomlError } from "smol-toml";

const BEGIN = "# >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out";
const END = "# <<< fdtool";

/** What the text says, or the line that is wrong. */
export function parseToml(
  text: string,
): { value: Record<string, unknown> } | { lineNumber: number; problem: string } {
  try {
    return { value: parse(text) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [problem = "it cannot be read"] = thrown.message.split("\n");
    return { lineNumber: thrown.line, problem };
  }
}

/** Where the block stands in `text`, with the line end before it where that came with it. */
function findBlock(text: string): { from: number; to: number } | undefined {
  const found = new RegExp(`^${literally(BEGIN)}\\r?\\n[^]*?^${literally(END)}(?:\\r?\\n|$)`, "m").exec(text);
  if (found === null) return undefined;
  const to = found.index + found[0].length;
  // A text without a last line end got one before the block, and the block has none.
  const endsOpen = to === text.length && !found[0].endsWith("\n");
  const cameWithIt = endsOpen ? /\r?\n$/.exec(text.slice(0, found.index))?.[0].length ?? 0 : 0;
  return { from: found.index - cameWithIt, to };
}

/** Whether the block is there. */
export function hasTomlBlock(text: string): boolean {
  return findBlock(text) !== undefined;
}

/** The text with a block of `lines` at its end. */
export function withTomlBlock(text: string, lines: readonly string[]): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = [BEGIN, ...lines, END].join(eol);
  return text === "" || text.endsWith("\n") ? `${text}${block}${eol}` : `${text}${eol}${block}`;
}

/** The text without the block. */
export function withoutTomlBlock(text: string): string {
  const block = findBlock(text);
  return block === undefined ? text : text.slice(0, block.from) + text.slice(block.to);
}

/** A pattern for the text itself. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
