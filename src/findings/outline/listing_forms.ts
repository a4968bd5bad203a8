/** The forms of listings: how the lines of `find`, `ls -l`, `tar -tv`, `du`, `grep -n`, `git status`, `git log --oneline` and their like are built. */

/** An item of a listing, by the named groups of its form. Which of them there are depends on the form. */
export interface ListingItem {
  path?: string;
  /** A size or count, as written. */
  size?: string;
  /** A state in a few letters or words, and an owner. */
  state?: string;
  owner?: string;
  /** The number of a line in the file. */
  number?: string;
  text?: string;
  hash?: string;
  /** The text before the branch of a tree, and a package or file with its version. */
  indent?: string;
  name?: string;
}

export interface ListingForm {
  kind: "paths" | "packages" | "matches" | "commits" | "a tree" | "counts";
  pattern: RegExp;
}

/** Text has one char a byte: branches of trees are of three. */
const BRANCH = String.raw`(?:\xe2\x94[\x9c\x94]|[+\x60|](?=-))(?:\xe2\x94[\x80\xac]|-)+ ?`;
/** A path alone. */
export const PLAIN = /^(?=[^ ]*(?:\/|\.[A-Za-z]))(?<path>(?!-)[^\s:"'<>|=;,(){}]+(?: [^\s:"<>|;{}]+){0,4})$/;
/** A match in one file, or below the path of its file, as `grep -n FILE` and `rg --heading` write it. */
const NUMBERED = /^(?<number>\d{1,7})[:-](?!\d\d:)(?<text>.*)$/;
/** A name below its directory, as `ls -R` writes it. */
const NAMED = /^(?<path>[^\s:]+)$/;
const FORMS: readonly ListingForm[] = [
  {
    kind: "paths",
    pattern:
      /^(?<state>[bcdlps-](?:[rwx-]{2}s)?)[rwxsStT-]{6,9}[.+@]?\s+\d+ +(?<owner>\S+) +\S+ +(?:\d+, +)?(?<size>\d[\d.]*[KMGT]?) +(?:[A-Z]\w\w +\d+ +[\d:]+|\d{4}-\S+ [\d:.]+(?: [+-]\d{4})?) (?<path>.+?)(?: -> .*)?$/,
  },
  {
    kind: "paths",
    pattern:
      /^(?<state>[bcdhlps-])[rwxsStT-]{9} (?<owner>[^\s\/]+)\/\S+ +(?:\d+,)?(?<size>\d+) \d{4}-\d\d-\d\d [\d:]+ (?<path>.+?)(?: (?:->|link to) .*)?$/,
  },
  { kind: "paths", pattern: /^[0-9a-f]{32,128} [ *](?<path>\S.*)$/ },
  {
    kind: "paths",
    pattern: /^(?<state>\d{6}) (?:[a-z]+ )?[0-9a-f]{40,64}(?: +(?<size>\d+|-)(?=\t)| \d)?\t(?<path>.+)$/,
  },
  { kind: "paths", pattern: /^(?! {2})(?<state>[ MADRCTU?!]{2}) (?<path>\S.*)$/ },
  { kind: "paths", pattern: /^(?<state>[ACDMRTUX])\d{0,3}\t(?<path>[^\t]+(?:\t[^\t]+)?)$/ },
  { kind: "paths", pattern: /^\d{4}-\d\d-\d\d [\d:]+ +(?<size>\d+) (?<path>[^\s:]*\/\S*)$/ },
  { kind: "paths", pattern: /^(?<size>\d+|-)\t(?:\d+|-)\t(?<path>[^\t]+)$/ },
  { kind: "paths", pattern: /^(?<size>\d[\d.]*[KMGTP]?)\t(?<path>\S[^\t]*)$/ },
  { kind: "paths", pattern: /^ (?<path>\S.*?) +\| +(?<size>\d+|Bin)(?: .*)?$/ },
  { kind: "paths", pattern: /^\t(?:(?<state>[a-z]+(?: [a-z]+)*): +)?(?<path>\S.*)$/ },
  { kind: "packages", pattern: /^(?<text>[^\s\/]+)\/\S+ \S+ \S+ \[(?<state>[^\]]*)\]$/ },
  { kind: "counts", pattern: /^ *(?<size>[1-9]\d*)[ \t](?<text>\S.*)$/ },
  { kind: "paths", pattern: /^(?<path>[^\s:]*[^\s:\d][^\s:]*):(?<size>\d+)$/ },
  {
    kind: "matches",
    pattern:
      /^(?<path>(?!\d{4}[-/])(?=[^:]*(?:\/|[A-Za-z]\w*\.[A-Za-z]))[^\s:][^:]*):(?<number>\d+)[:-](?<text>.*)$/,
  },
  { kind: "matches", pattern: NUMBERED },
  {
    kind: "commits",
    pattern: /^[*|\/\\ ]*(?<hash>(?!0000|ffff)[0-9a-f]{7,40}) (?!.*\(.*[+-]\d{4} +\d+\))(?<text>\S.*)$/,
  },
  {
    kind: "a tree",
    pattern: new RegExp(String.raw`^(?<indent>(?:\xe2\x94\x82|[| \xc2\xa0])*)${BRANCH}(?<name>\S.*)$`),
  },
  { kind: "paths", pattern: PLAIN },
  { kind: "paths", pattern: NAMED },
];

/** Lines between items: empty ones, directories of `ls -R`, and what `git` and `ls` say of a list. */
export const BETWEEN =
  /^(?:|--|\S[^:\t]*:|total [\d.]+[KMGT]?|[*|\/\\ ]+| {2}\(use "git .*|On branch .*|Your branch .*|\.|\d+ director.*|\d+ files? changed.*)$/;

/** Text that compilers and linters write behind a place, rather than the line that was found. */
const REPORT = /^(?:\d+:|\s?(?:\w+ )?(?:error|warning|note|fatal|info|hint|remark)\b|\s?\[?[A-Z]+\d+\b)/i;

const MIN_ITEMS = 12;
const MIN_SHARE = 0.9;

/** Longer lines are no items, except those with a match. */
const MAX_CHARS = 2048;

/** The item that a line, of one char a byte, is by a form; undefined if it is something else. */
export function itemOf({ kind, pattern }: ListingForm, line: string): ListingItem | undefined {
  if (line.length > MAX_CHARS && kind !== "matches") return undefined;
  return pattern.exec(line.slice(0, MAX_CHARS))?.groups;
}

/** A line without colours. */
export function withoutColours(line: string): string {
  // deno-lint-ignore no-control-regex
  return line.includes("\x1b") ? line.replace(/\x1b\[[\d;]*[mK]/g, "") : line;
}

/** The form that nine of ten of the first lines have; undefined without one. */
export function listingForm(firstLines: readonly string[]): ListingForm | undefined {
  const all = firstLines.filter((line) => !BETWEEN.test(line));
  if (all.length < MIN_ITEMS) return undefined;
  return FORMS.find((form) => {
    const { kind, pattern } = form;
    const lines = pattern === NUMBERED ? all.filter((line) => !PLAIN.test(line)) : all;
    const least = lines.length * MIN_SHARE;
    const items = lines.map((line) => itemOf(form, line)).filter((item) => item !== undefined);
    if (items.length < least) return false;
    const countOf = (isMet: (item: ListingItem) => boolean) => items.filter(isMet).length;
    if (pattern === NUMBERED) return items.length > 0 && (lines.length < all.length || areApart(items));
    const isWord = ({ path = "" }: ListingItem) => !path.includes(" ");
    if (kind === "matches" && countOf(isWord) * 2 < items.length) return false;
    if (kind === "matches") return countOf(({ text = "" }) => REPORT.test(text)) * 10 < items.length;
    if (pattern === NAMED) return lines.length < firstLines.length && firstLines[0]!.endsWith(":");
    if (pattern === PLAIN) return countOf(isWord) * 5 > items.length * 4;
    if (kind === "counts") return areSorted(items) || countOf(({ text }) => PLAIN.test(text!)) >= least;
    return true;
  });
}

/** Whether the numbers of lines ascend, but not all by one, as those of a whole file do. */
function areApart(items: readonly ListingItem[]): boolean {
  const steps = items.slice(1).map(({ number }, at) => Number(number) - Number(items[at]!.number));
  return steps.every((step) => step > 0) && steps.some((step) => step > 1);
}

/** Whether the counts fall, nearly all, and not each by one. */
function areSorted(items: readonly ListingItem[]): boolean {
  const steps = items.slice(1).map(({ size }, at) => Number(items[at]!.size) - Number(size));
  return steps.filter((step) => step >= 0).length >= steps.length * MIN_SHARE &&
    steps.some((step) => step > 1);
}
