/** Outlines a diff, or the output of `git log` or `git show`: its files or commits, with line numbers and counts. */

import { counted, groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { clip } from "./describe_paths.ts";
import {
  type ContentLine,
  type ContentOutline,
  copyOf,
  eachLine,
  LISTED_CHARS,
  OUTLINED_BYTES,
  type OutlinedContent,
  utf8Of,
} from "./outlined_content.ts";

interface Changes {
  line: number;
  lineCount: number;
  added: number;
  removed: number;
}

interface DiffFile extends Changes {
  path: string;
  /** "new", "deleted", "renamed", "binary". */
  notes: string[];
}

interface Commit extends Changes {
  hash: string;
  subject: string;
  fileCount: number;
}

/** Files and commits that are remembered. */
const MAX_PARTS = 5000;
const MAX_OTHERS = 5;
const SHARE_OF_BUDGET = 0.6;
const MAX_PATH_CHARS = 160;
/** Chars of the outline of a log, of which {@link SHARE_OF_BUDGET} are for its commits; and authors that are listed. */
const LOG_CHARS = 1600;
const AUTHORS = 8;
const MAX_AUTHORS = 1000;
/** Lines of a part that `next` reads. */
const READ_LINES = 200;

const RANGE = /^@@+ -\d+(?:,(\d+))? .*?\+\d+(?:,(\d+))? @@/;
/** Lines that may be outside hunks. */
const HEADING =
  /^(?:$| {4}|commit [0-9a-f]{7,64}\b|index |old mode|new mode|deleted file mode|new file mode|copy |rename |similarity index|dissimilarity index|--- |\+\+\+ |Binary files |GIT binary patch|literal |delta |diff |Only in |Author:|AuthorDate:|Commit:|CommitDate:|Date:|Merge:|Notes|Reflog|\\ No newline| .* \| +(?:\d+|Bin)| \d+ files? changed| (?:create|delete) mode |---$)/;

/** Outlines content that looks like a diff, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineDiff(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const diff = new ReadDiff(content);
  if (
    diff.fileCount + diff.commitCount === 0 || diff.otherCount > 20 && diff.otherCount * 20 > diff.lineCount
  ) {
    return undefined;
  }
  const isLog = diff.commitCount > 1;
  const parts: readonly (Commit | DiffFile)[] = isLog ? diff.commits : diff.files;
  const oddHunks = diff.oddHunks();
  const lines = [heading(diff, content), ...(oddHunks === undefined ? [] : oddLines(oddHunks))];
  if (isLog) lines.push(...authorLines(diff));
  let left = (isLog ? Math.min(LOG_CHARS, budgetChars) : budgetChars) * SHARE_OF_BUDGET - lines.join().length;
  const [commit] = diff.commits;
  if (!isLog && commit !== undefined) lines.push(` line ${groupedDigits(commit.line)}: ${describe(commit)}`);
  let shown = 0;
  for (const part of parts) {
    const line = ` line ${groupedDigits(part.line)}: ${describe(part)}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
    shown++;
  }
  if (shown < parts.length) lines.push(restOf(parts.slice(shown), isLog ? "commits" : "files"));
  for (const { number, text } of diff.others) {
    lines.push(`neither file nor hunk: line ${groupedDigits(number)}: ${clip(utf8Of(text), 200)}`);
  }
  const more = diff.otherCount - diff.others.length;
  if (more > 0) lines.push(`neither file nor hunk: ${groupedDigits(more)} more lines`);
  const first = oddHunks?.odd[0] ?? parts[0];
  return {
    kind: isLog ? "a log of commits" : "a diff",
    lines,
    readOn: first === undefined
      ? undefined
      : { mode: "line", start: first.line, count: Math.max(1, Math.min(READ_LINES, first.lineCount)) },
    below: "lines",
    mostChars: isLog ? LISTED_CHARS : undefined,
  };
}

/** Lines of a hunk that are shown, and more bytes than are shown of one. */
const MAX_SHOWN = 8;
const MAX_SHOWN_BYTES = 1024;

/** The change that most hunks make, and those that make another. */
function oddLines({ hunkCount, alike, odd }: OddHunks): string[] {
  const shown = ({ changed }: Hunk) =>
    changed.slice(0, MAX_SHOWN).map((line) => `   ${clip(utf8Of(line), MAX_PATH_CHARS)}`);
  return [
    `${groupedDigits(alike.count)} of ${groupedDigits(hunkCount)} hunks make one change:`,
    ...shown(alike.hunks[0]!),
    "others:",
    ...odd.flatMap((hunk) => {
      const where = ` line ${groupedDigits(hunk.line)}: ${clip(utf8Of(hunk.path), MAX_PATH_CHARS)}`;
      return [where, ...shown(hunk)];
    }),
  ];
}

function heading(diff: ReadDiff, content: OutlinedContent): string {
  const parts: string[] = [];
  if (diff.commitCount > 0) parts.push(counted(diff.commitCount, "commit", groupedDigits));
  if (diff.fileCount > 0) parts.push(counted(diff.fileCount, "file", groupedDigits), counts(diff));
  if (content.byteCount > OUTLINED_BYTES) {
    parts.push(`outlined: the first ${groupedDigits(OUTLINED_BYTES)} bytes`);
  }
  return `${diff.commitCount > 1 ? "git log" : "diff"}: ${parts.join(", ")}`;
}

/** The authors with how many commits each has, and the dates of the last and the first commit. */
function authorLines({ authors, dates }: ReadDiff): string[] {
  const sorted = [...authors].sort((one, other) => other[1] - one[1]);
  const named = sorted.slice(0, AUTHORS).map(([author, count]) =>
    `${clip(utf8Of(author), 40)} ${groupedDigits(count)}`
  );
  const more = sorted.length > AUTHORS ? `, ${groupedDigits(sorted.length - AUTHORS)} more` : "";
  return [
    ...named.length > 0 ? [`authors: ${named.join(", ")}${more}`] : [],
    ...dates.length > 1 ? [`from ${dates[1]} to ${dates[0]}`] : [],
  ];
}

function counts({ added, removed }: { added: number; removed: number }): string {
  return `+${groupedDigits(added)} -${groupedDigits(removed)}`;
}

function describe(part: Commit | DiffFile): string {
  if ("path" in part) {
    const notes = part.notes.length === 0 ? "" : ` (${part.notes.join(", ")})`;
    return `${clip(part.path, MAX_PATH_CHARS)}${notes} ${counts(part)}`;
  }
  const files = part.fileCount === 0 ? "" : ` (${counted(part.fileCount, "file")}, ${counts(part)})`;
  return `${part.hash.slice(0, 10)} ${clip(part.subject, 100)}${files}`;
}

/** Sums up the parts that are not listed; for files, with the directories that most of them are in. */
function restOf(parts: readonly (Commit | DiffFile)[], what: string): string {
  let added = 0;
  let removed = 0;
  const directories = new Map<string, number>();
  for (const part of parts) {
    added += part.added;
    removed += part.removed;
    if (!("path" in part)) continue;
    const directory = part.path.slice(0, part.path.lastIndexOf("/") + 1);
    directories.set(directory, (directories.get(directory) ?? 0) + 1);
  }
  const most = [...directories].sort((one, other) => other[1] - one[1]).slice(0, 5)
    .map(([directory, count]) => `${count} in ${clip(directory === "" ? "." : directory, 60)}`);
  const where = most.length === 0 ? "" : `: ${most.join(", ")}`;
  return ` … ${groupedDigits(parts.length)} more ${what}, ${counts({ added, removed })}${where}`;
}

/** The files, commits and hunks of a diff or a log. */
class ReadDiff {
  readonly files: DiffFile[] = [];
  readonly commits: Commit[] = [];
  fileCount = 0;
  commitCount = 0;
  readonly authors = new Map<string, number>();
  readonly dates: string[] = [];
  readonly others: ContentLine[] = [];
  otherCount = 0;
  added = 0;
  removed = 0;
  lineCount = 0;
  /** The hunks by what they change. */
  private readonly groups = new Map<string, AlikeHunks>();
  private hunkCount = 0;
  private hunk: Hunk & { changed: string[] } | undefined;
  private file: DiffFile | undefined;
  private commit: Commit | undefined;
  /** Lines left in the hunk. */
  private oldLeft = 0;
  private newLeft = 0;
  /** Whether the second heading of the file, `--- ` and `+++ `, was read. */
  private hasNames = false;
  private isBinaryPatch = false;

  constructor(content: OutlinedContent) {
    eachLine(content, (line) => this.take(line));
    this.endPart(this.file);
    this.endPart(this.commit);
    this.endHunk();
  }

  /** The hunks that change something else than nearly all others do; undefined without one. */
  oddHunks(): OddHunks | undefined {
    const { groups, hunkCount } = this;
    const sorted = [...groups.values()].sort((one, other) => other.count - one.count);
    const rare = sorted.filter(({ count }) => count <= MAX_ALIKE);
    const odd = rare.flatMap(({ hunks }) => hunks).sort((one, other) => one.line - other.line);
    const [alike] = sorted;
    if (alike === undefined || hunkCount < MIN_HUNKS || groups.size > MAX_WAYS + odd.length) return undefined;
    const isOdd = odd.length > 0 && odd.length <= Math.min(MAX_ODD, hunkCount * ODD_SHARE);
    return isOdd ? { hunkCount, alike, odd } : undefined;
  }

  private endHunk(): void {
    if (this.hunk === undefined) return;
    this.hunkCount++;
    const key = changeOf(this.hunk.changed);
    const known = this.groups.get(key) ?? { count: 0, hunks: [] };
    if (known.count++ >= MAX_ALIKE) return;
    const changed = this.hunk.changed.slice(0, MAX_SHOWN)
      .map((line) => copyOf(line.slice(0, MAX_SHOWN_BYTES)));
    known.hunks.push({ ...this.hunk, changed });
    this.groups.set(key, known);
  }

  private take(line: ContentLine): void {
    if (this.oldLeft > 0 || this.newLeft > 0) this.takeChanged(line.text);
    else if (!this.startHunk(line)) this.takeHeading(line);
    this.lineCount = line.number;
  }

  /** A part that starts at a line; {@link endPart} subtracts what was counted before. */
  private partFrom(line: number): Changes {
    return { line, lineCount: 0, added: this.added, removed: this.removed };
  }

  private endPart(part: Changes | undefined): void {
    if (part === undefined) return;
    part.lineCount = this.lineCount + 1 - part.line;
    part.added = this.added - part.added;
    part.removed = this.removed - part.removed;
  }

  private startFile(line: number, path: string): void {
    this.endPart(this.file);
    const file = { ...this.partFrom(line), path: utf8Of(path), notes: [] };
    this.file = file;
    this.hasNames = false;
    this.isBinaryPatch = false;
    this.fileCount++;
    if (this.commit !== undefined) this.commit.fileCount++;
    if (this.files.length < MAX_PARTS) this.files.push(file);
  }

  /** Takes the line at which a hunk starts; returns false if it is something else. */
  private startHunk({ text, number }: ContentLine): boolean {
    const range = this.file === undefined || !text.startsWith("@@") ? null : RANGE.exec(text);
    if (range === null) return false;
    this.hasNames = true;
    this.oldLeft = Number(range[1] ?? 1);
    this.newLeft = Number(range[2] ?? 1);
    this.endHunk();
    // With so many different changes none is odd.
    this.hunk = this.groups.size > MAX_KEYS
      ? undefined
      : { line: number, lineCount: 1, path: this.file!.path, changed: [] };
    return true;
  }

  private startCommit(line: number, hash: string): void {
    this.endPart(this.file);
    this.endPart(this.commit);
    const commit = { ...this.partFrom(line), hash, subject: "", fileCount: 0 };
    this.commit = commit;
    this.file = undefined;
    this.isBinaryPatch = false;
    this.commitCount++;
    if (this.commits.length < MAX_PARTS) this.commits.push(commit);
  }

  private takeChanged(text: string): void {
    const sign = text[0];
    if (sign !== "+" && sign !== "\\") this.oldLeft--;
    if (sign !== "-" && sign !== "\\") this.newLeft--;
    if (sign === "+") this.added++;
    else if (sign === "-") this.removed++;
    if (this.hunk === undefined) return;
    this.hunk.lineCount++;
    if ((sign === "+" || sign === "-") && this.hunk.changed.length < MAX_CHANGED) {
      this.hunk.changed.push(text);
    }
  }

  /** Takes a line outside of hunks. */
  private takeHeading(line: ContentLine): void {
    const { text, number } = line;
    const started = /^commit ([0-9a-f]{7,64})\b/.exec(text);
    const named = /^diff --(?:git|cc|combined) (?:"?a\/.*? "?b\/)?(.*?)"?$/.exec(text);
    if (started !== null) this.startCommit(number, started[1]!);
    else if (named !== null) this.startFile(number, named[1]!);
    else if (text.startsWith("--- ") && (this.file === undefined || this.hasNames)) {
      this.startFile(number, pathIn(text));
    }
    if (this.file !== undefined) {
      if (text.startsWith("+++ ") && text !== "+++ /dev/null") {
        const path = pathIn(text);
        if (path !== "") this.file.path = utf8Of(path);
      }
      note(this.file, text);
      if (text === "GIT binary patch") this.isBinaryPatch = true;
    } else if (this.commit !== undefined && text.startsWith("Author:")) {
      const author = copyOf(text.slice(7).replace(/<.*/, "").trim());
      if (this.authors.size < MAX_AUTHORS || this.authors.has(author)) {
        this.authors.set(author, (this.authors.get(author) ?? 0) + 1);
      }
    } else if (this.commit !== undefined && text.startsWith("Date:")) {
      this.dates[Math.min(this.dates.length, 1)] = copyOf(text.slice(5).trim());
    } else if (this.commit !== undefined && this.commit.subject === "" && text.startsWith("    ")) {
      this.commit.subject = utf8Of(text.trim());
    }
    if (this.isBinaryPatch || HEADING.test(text)) return;
    // The hunks of combined diffs are not counted.
    if (this.file !== undefined && /^[ +\\-]/.test(text) || RANGE.test(text)) return;
    this.otherCount++;
    if (this.others.length < MAX_OTHERS) this.others.push(line);
  }
}

/** `--- a/src/x.ts\t2026-01-01` names `src/x.ts`. */
function pathIn(text: string): string {
  const path = text.slice(4).replace(/\t.*$/, "").replace(/^"(.*)"$/, "$1");
  return /^[abciow]\//.test(path) ? path.slice(2) : path;
}

const NOTES: readonly (readonly [string, string])[] = [
  ["new file mode", "new"],
  ["deleted file mode", "deleted"],
  ["rename to", "renamed"],
  ["Binary files", "binary"],
  ["GIT binary patch", "binary"],
];

function note(file: DiffFile, text: string): void {
  for (const [start, word] of NOTES) {
    if (text.startsWith(start) && !file.notes.includes(word)) file.notes.push(word);
  }
}

/** A hunk: its first line, what it is of, and its changed lines with their signs, in latin1. */
interface Hunk {
  line: number;
  lineCount: number;
  path: string;
  changed: readonly string[];
}

/** Hunks that change the same: how many, and the first of them. */
interface AlikeHunks {
  count: number;
  hunks: Hunk[];
}

/** The hunks that most are like, and the others. */
interface OddHunks {
  hunkCount: number;
  alike: AlikeHunks;
  odd: readonly Hunk[];
}

/** Among fewer hunks none is odd; the most that are, the share of them, and the ways in which the others may change. */
const MIN_HUNKS = 10;
const MAX_ODD = 4;
const ODD_SHARE = 0.1;
const MAX_WAYS = 3;
/** As many hunks as change the same may still be odd. */
const MAX_ALIKE = 2;
/** Different changes, among more of which none is odd. */
const MAX_KEYS = MAX_WAYS + MAX_ODD;
const MAX_KEY_CHARS = 500;
/** Changed lines of a hunk that are compared. */
const MAX_CHANGED = 40;

/** The change of a hunk: of pairs of lines, what differs between them. */
function changeOf(changed: readonly string[]): string {
  const added = changed.filter((line) => line[0] === "+");
  const changes = new Set<string>();
  let pair = 0;
  for (const line of changed) {
    if (added.length * 2 !== changed.length) changes.add(line.trim());
    else if (line[0] === "-") changes.add(differenceOf(line, added[pair++]!));
  }
  return copyOf([...changes].join("\n").slice(0, MAX_KEY_CHARS));
}

/** The words of two lines between those with which both start and end, without their signs. */
function differenceOf(old: string, young: string): string {
  const least = Math.min(old.length, young.length);
  let start = 1;
  while (start < least && old.charCodeAt(start) === young.charCodeAt(start)) start++;
  while (!isBetweenWords(old, start) || !isBetweenWords(young, start)) start--;
  const most = least - start;
  let end = 0;
  while (end < most && old.charCodeAt(old.length - 1 - end) === young.charCodeAt(young.length - 1 - end)) {
    end++;
  }
  while (!isBetweenWords(old, old.length - end) || !isBetweenWords(young, young.length - end)) end--;
  return `${old.slice(start, old.length - end)} > ${young.slice(start, young.length - end)}`;
}

/** Of each char of one byte: 1 in words, 2 for white space. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /\w/.test(char) ? 1 : /\s/.test(char) ? 2 : 0;
});

/** Whether no word or white space goes on at an index, from 1. */
function isBetweenWords(text: string, at: number): boolean {
  const before = CLASSES[text.charCodeAt(at - 1)];
  return before === 0 || at === text.length || before !== CLASSES[text.charCodeAt(at)];
}
