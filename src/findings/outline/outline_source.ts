/** Outlines source code and Markdown, such as `cat` and `sed -n` print: the first lines, and what is defined or headed where. */

import { counted, groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { clip } from "./describe_paths.ts";
import { MARKDOWN_START } from "./known_starts.ts";
import { outlinedPart } from "./outline_paths.ts";
import {
  type ContentOutline,
  copyOf,
  eachLine,
  latin1Of,
  type OutlinedContent,
  utf8Of,
} from "./outlined_content.ts";

/** Lines that are looked at together: half of them must look like code, wherever they are. */
const WINDOW = 40;
const MIN_CODE = WINDOW / 2;
const MIN_PARTS = 3;
/** The most lines for one part: what has fewer is a table, a text or a log. */
const MAX_LINES_FOR_PART = 150;
const MAX_PARTS = 5000;
/** Chars of the outline, and of one of its lines; and the most of the first lines, which have the rest of the room. */
const OUTLINE_CHARS = 1600;
const PART_CHARS = 110;
const FIRST_LINES = 400;

/** The words before the keyword of a definition. */
export const MODIFIER =
  "export|default|public|private|protected|internal|static|async|abstract|final|pub(?:\\([^)]*\\))?|unsafe|extern|inline|virtual|override|declare|const|sealed|open|data|local";
export const KEYWORD =
  "function|class|interface|type|enum|struct|trait|impl|fn|func|fun|def|defp|defmodule|namespace|module|mod|macro_rules!|object|record|union|sub|proc|template";
/** A definition by its keyword; a value of a function; a test; or a function of C at the start of its line. */
const DEFINITION = new RegExp(
  `^(?![^={]*;\\s*$)\\s{0,8}(?:(?:${MODIFIER})\\s+)*(?:${KEYWORD})\\b\\*?\\s+[\\w$<(\`'"&*~]` +
    `|^\\s{0,8}(?:export\\s+)?(?:const|let|var)\\s+[\\w$]+(?:\\s*:[^=]+)?\\s*=\\s*(?:async\\s*)?(?:function\\b|\\([^)]*\\)\\s*(?::[^=]+)?=>|\\w+\\s*=>)` +
    `|^\\s{0,4}(?:Deno\\.test|describe|it|test)(?:\\.\\w+)?\\(["'\`]` +
    `|^(?!(?:else|return|if|for|while|switch)\\b)[A-Za-z_][\\w*&:<>,\\s]*[\\s*&]\\w[\\w:~]*\\([^;]*(?:\\{|[,)]\\s*)$`,
);
const CODE =
  /[{};,()[\]:=>]\s*$|^\s*(?:\/[/*]|\*[ /]|[#@]|--|"""|'''|(?:import|from|use|using|package|return|if|else|elif|for|while|end|def|class|let|const|var)\b)|^\s{2,}\S|^\t/;
/** A line of a file, as reports name it: more of them than one in fifty lines are about code. */
const PLACE = /\w\.\w{1,5}:\d+\b/;
const LINES_FOR_PLACE = 50;
const HEADING = /^#{1,6} \S/;
const FENCE = /^\s*(?:```|~~~)/g;
const QUOTES = /"""|'''|\/\*|\*\//g;
/** The number that `cat -n` and its like put before a line. */
const NUMBER = /^\s*\d+(?:\t|: ?| {2})/;

interface Part {
  line: number;
  depth: number;
  text: string;
}

/** Outlines content that looks like source code or Markdown, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineSource(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const parts: Part[] = [];
  const isMarkdown = MARKDOWN_START.test(latin1Of(content.read(0, 1024)));
  let [lineCount, codeCount, inWindow, placeCount] = [0, 0, 0, 0];
  /** Whether a line is in a block of code, or in a comment or text of several lines. */
  let [isQuoted, isAfterBlank] = [false, true];
  const isWhole = eachLine(content, (line) => {
    const text = line.text.replace(NUMBER, "");
    lineCount++;
    if (text.trim() === "") {
      isAfterBlank = true;
      return true;
    }
    const isPart = !isQuoted && (isMarkdown ? isAfterBlank && HEADING.test(text) : DEFINITION.test(text));
    isAfterBlank = false;
    const quotes = text.match(isMarkdown ? FENCE : QUOTES)?.length ?? 0;
    if (quotes % 2 === 1) isQuoted = !isQuoted;
    if (isPart && parts.length < MAX_PARTS) {
      const depth = isMarkdown ? text.indexOf(" ") : text.search(/\S/);
      parts.push({ line: line.number, depth, text: copyOf(text.trim().slice(0, 2 * PART_CHARS)) });
    }
    if (isMarkdown) return true;
    if (isQuoted || CODE.test(text)) codeCount++;
    else if (lineCount === 1) return false;
    if (PLACE.test(text)) placeCount++;
    if (++inWindow < WINDOW) return true;
    const isCode = codeCount >= MIN_CODE;
    [codeCount, inWindow] = [0, 0];
    return isCode;
  });
  if (!isWhole || parts.length < MIN_PARTS || parts.length * MAX_LINES_FOR_PART < lineCount) return undefined;
  if (placeCount * LINES_FOR_PLACE > lineCount) return undefined;
  const counts = `${counted(lineCount, "line", groupedDigits)}, ${
    counted(parts.length, isMarkdown ? "heading" : "definition", groupedDigits)
  }`;
  const kind = isMarkdown ? "Markdown" : "source code";
  return {
    kind,
    lines: [
      `${kind}: ${counts}${outlinedPart(content)}`,
      ...partLines(parts, Math.min(OUTLINE_CHARS, budgetChars)),
    ],
    readOn: { mode: "line", start: 1, count: 200 },
    below: "start",
    shownLines: Array.from({ length: Math.min(FIRST_LINES, lineCount) }, (_, at) => at + 1),
  };
}

/** The parts down to the depth of which all fit, or else the first of the highest. */
function partLines(parts: readonly Part[], chars: number): string[] {
  const linesTo = (most: number) =>
    parts.filter(({ depth }) => depth <= most)
      .map(({ line, text }) => ` line ${groupedDigits(line)}: ${clip(utf8Of(text), PART_CHARS)}`);
  const depths = [...new Set(parts.map(({ depth }) => depth))].sort((one, other) => one - other);
  const fitting = depths.map(linesTo).filter((lines) => lines.join("\n").length <= chars);
  let lines = fitting.at(-1);
  if (lines === undefined) {
    let left = chars;
    lines = linesTo(depths[0]!).filter((line) => (left -= line.length + 1) >= 0);
  }
  const more = parts.length - lines.length;
  return more === 0 ? lines : [...lines, ` … ${groupedDigits(more)} more`];
}
