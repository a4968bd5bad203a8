/**
 * Parts of content that several commands printed one after the other, each below a heading as people and agents print
 * them (`echo "== tests"`, `tail -n 5 a b`), and answers of fdtool itself. Each part keeps a share of a digest.
 */

import { readFileSync, statSync } from "node:fs";
import { cleanBytes, ifPossible, nodePath } from "../../../fd/system.ts";
import { chooseLines, type Chosen } from "./choose_lines.ts";
import { lineCost } from "./line_budget.ts";
import { bodyOf, type Study, studyPart, textOf, wholeText } from "./studied_lines.ts";

/** Lines of the content, the first of which can be a heading. */
interface ContentPart {
  first: number;
  last: number;
  /** Whether it is an answer of fdtool, which is not cut in two. */
  isAnswer: boolean;
}

/** With more headings, none has a share worth showing. */
const MAX_PARTS = 40;

/** Headings of one form: its mark, and what closes the line. */
interface Form {
  /** How doubtful it is that its lines are headings: an index of {@link MIN_LINES}. */
  doubt: number;
  lines: number[];
}

const RULE = /^(?:-{3,20}|={3,20})$/;
/**
 * How many lines of a form there must be, by its doubt. From `DOUBTFUL` on the first of them begins the content, as a
 * loop prints it.
 */
const MIN_LINES = [1, 2, 2, 3];
const DOUBTFUL = 2;

/** With more headings that differ only in a number, they divide nothing. */
const MAX_NUMBERED = 5;

/** The parts of the content in order; none if it has no headings. */
export function contentParts(study: Study): ContentPart[] {
  const forms = new Map<number, Form>();
  const answers: ContentPart[] = [];
  let closing: string | undefined;
  for (const { line: number, form: code } of study.watched?.marked ?? []) {
    if (code < 0) {
      const line = (textOf(study, number) ?? "").trimEnd();
      const tag = /^<(\/?fd_[a-z]+)[ >]/.exec(line)?.[1];
      if (tag === undefined) continue;
      if (closing === undefined && !tag.startsWith("/")) {
        answers.push({ first: number, last: number, isAnswer: true });
        if (!line.includes(`</${tag}>`) && !line.endsWith("/>")) closing = `/${tag}`;
      } else if (tag === closing) {
        answers.at(-1)!.last = number;
        closing = undefined;
      }
    } else if (closing === undefined) {
      const form = forms.get(code) ?? { doubt: code & 3, lines: [] };
      if (form.lines.length <= MAX_PARTS) form.lines.push(number);
      forms.set(code, form);
    }
  }
  const [heading] = [...forms.values()].filter((form) => areHeadings(study, form))
    .sort((one, other) => one.doubt - other.doubt || one.lines[0]! - other.lines[0]!);
  return partsAt(study, [...heading?.lines ?? [], ...afterFiles(study)], answers);
}

/** A file at the start of a typed line, shown by `cat`, perhaps in another directory: `cd a && cat Makefile; make -k`. */
const SHOWS_FILE = /^\s*(?:cd\s+([\w./@+-]+)\s*(?:&&|;)\s*)?cat\s+([\w./@+-]+)\s*(?:&&|;|\n)/;
const MAX_FILE_BYTES = 262_144;

/** The lines that follow on the files with which the content begins, as its command says, if they still are what it shows. */
function afterFiles(study: Study): number[] {
  const { command, cwd } = study.content;
  const firsts: number[] = [];
  let directory = cwd ?? "/";
  let first = 1;
  let left = command?.at(-2)?.match(/^-\w*c$/) ? command.at(-1)! : "";
  for (let shows = SHOWS_FILE.exec(left); shows !== null; shows = SHOWS_FILE.exec(left)) {
    const [typed, entered = ".", name] = shows;
    directory = nodePath().resolve(directory, entered);
    const lines = fileLines(nodePath().resolve(directory, name!));
    if (lines.length === 0 || lines.some((line, at) => wholeText(study, first + at) !== line)) break;
    first += lines.length;
    firsts.push(first);
    left = left.slice(typed.length);
  }
  return firsts;
}

/** The lines of a file in clean view, one char a byte; none unless it is a small file of whole lines. */
function fileLines(path: string): string[] {
  const stat = ifPossible(() => statSync(path));
  if (stat?.isFile() !== true || stat.size > MAX_FILE_BYTES) return [];
  const bytes = ifPossible(() => readFileSync(path));
  const text = bytes === undefined ? "" : Buffer.from(cleanBytes(bytes)).toString("latin1");
  return text.endsWith("\n") ? text.slice(0, -1).split("\n") : [];
}

/** Whether the lines of a form divide the content: they are few, and most have text of their own below them. */
function areHeadings(study: Study, { doubt, lines }: Form): boolean {
  if (lines.length > MAX_PARTS || lines.length < MIN_LINES[doubt]!) return false;
  const empty = lines.filter((line, at) => lines[at + 1] === line + 1 || line === study.totalLines).length;
  if (empty * 3 > lines.length) return false;
  if (doubt >= DOUBTFUL && lines[0]! > 1) return false;
  // Sections of one kind, such as those of counted parts: what differs in them is found in the whole content.
  const forms = new Set(lines.map((line) => (textOf(study, line) ?? "").replace(/\d+/g, "0")));
  if (lines.length > MAX_NUMBERED && forms.size === 1) return false;
  return lines.every((line) => !isOther(study, line));
}

/** Whether a line that looks like a heading is a file of a diff, or underlines a title. */
function isOther(study: Study, line: number): boolean {
  const text = (textOf(study, line) ?? "").trimEnd();
  if (text.startsWith("--- ") && (textOf(study, line + 1) ?? "").startsWith("+++ ")) return true;
  return RULE.test(text) && (textOf(study, line - 1) ?? "").trimEnd().length === text.length;
}

function partsAt(study: Study, headings: readonly number[], answers: readonly ContentPart[]): ContentPart[] {
  const answerAt = new Map(answers.map((each) => [each.first, each]));
  const firsts = [
    ...new Set([1, ...headings, ...answers.flatMap(({ first, last }) => [first, last + 1])]),
  ].filter((line) => line <= study.totalLines).sort((one, other) => one - other);
  if (firsts.length < 2 && answers.length === 0) return [];
  return firsts.map((first, at) => ({
    first,
    last: (firsts[at + 1] ?? study.totalLines + 1) - 1,
    isAnswer: answerAt.has(first),
  }));
}

/** The share of the budget that goes to what matters in the whole content, whichever part has it. */
const COMMON_SHARE = 0.4;
/** About the chars of the line that a gap takes. */
const GAP_CHARS = 40;
/** Lines of an answer that say what it is. */
const ANSWER_HEAD_LINES = 6;

/**
 * Chooses lines as {@link chooseLines} does, and of each part that the content has its heading and a share: a small part
 * whole, of a large one what matters in it.
 */
export function chooseOfParts(study: Study, budgetChars: number): Chosen {
  const { watched, content } = study;
  const isMarked = watched !== undefined && watched.marked.length > 0;
  const parts = isMarked || content.command !== undefined ? contentParts(study) : [];
  if (parts.length === 0) return chooseLines(study, budgetChars);
  const { lines, weighed } = chooseLines(study, budgetChars * COMMON_SHARE);
  const shown = new Set(parts.map(({ first }) => first));
  for (const line of lines) shown.add(line);
  let left = budgetChars - parts.length * GAP_CHARS;
  for (const line of shown) left -= lineCost(study, line);
  const show = (each: readonly number[], share: number): void => {
    let own = Math.min(share, left);
    for (const line of each) {
      if (shown.has(line)) continue;
      own -= lineCost(study, line);
      if (own < 0) return;
      left -= lineCost(study, line);
      shown.add(line);
    }
  };
  const needed = parts.map((part) => ({ part, chars: restOf(study, part, shown) }))
    .sort((one, other) => Number(other.part.isAnswer) - Number(one.part.isAnswer) || one.chars - other.chars);
  for (const [at, { part, chars }] of needed.entries()) {
    const share = left / (needed.length - at);
    if (chars <= (part.isAnswer ? left : share)) show(linesOf(part), left);
    else if (part.isAnswer) {
      show([...linesOf(part).slice(0, ANSWER_HEAD_LINES), part.last], share);
    } else {
      const chosen = chooseLines(studyPart(study, part.first, part.last), share).lines;
      show(chosen.map((line) => line + part.first - 1), share);
    }
  }
  return { lines: [...shown], weighed };
}

function linesOf({ first, last }: ContentPart): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

const MAX_REST_CHARS = 65_536;

/** The chars of the lines of a part that are not shown; infinite if they are many, or one cannot be read. */
function restOf(study: Study, { first, last }: ContentPart, shown: ReadonlySet<number>): number {
  // Numbers alone may take more.
  if ((last - first - shown.size) * (String(first).length + 2) > MAX_REST_CHARS) return Infinity;
  let chars = 0;
  for (let line = first; line <= last; line++) {
    if (bodyOf(study, line) === undefined) return Infinity;
    if (!shown.has(line)) chars += lineCost(study, line);
    if (chars > MAX_REST_CHARS) return Infinity;
  }
  return chars;
}
