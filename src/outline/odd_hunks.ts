/** Finds the hunks of a diff that change something else than nearly all others do. */

/** A hunk: its first line, what it is of, and its changed lines with their signs, in latin1. */
export interface Hunk {
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
export interface OddHunks {
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
export const MAX_CHANGED = 40;

export function hunkCounter() {
  const groups = new Map<string, AlikeHunks>();
  let hunkCount = 0;
  return {
    add(hunk: Hunk): void {
      hunkCount++;
      if (groups.size > MAX_KEYS) return;
      const key = changeOf(hunk.changed);
      const known = groups.get(key) ?? { count: 0, hunks: [] };
      if (known.count++ < MAX_ALIKE) known.hunks.push(hunk);
      groups.set(key, known);
    },
    /** Hunks that are odd by what they change; undefined without one. */
    end(): OddHunks | undefined {
      const sorted = [...groups.values()].sort((one, other) => other.count - one.count);
      const rare = sorted.filter(({ count }) => count <= MAX_ALIKE);
      const odd = rare.flatMap(({ hunks }) => hunks).sort((one, other) => one.line - other.line);
      const [alike] = sorted;
      if (alike === undefined || hunkCount < MIN_HUNKS || groups.size > MAX_WAYS + odd.length) {
        return undefined;
      }
      const isOdd = odd.length > 0 && odd.length <= Math.min(MAX_ODD, hunkCount * ODD_SHARE);
      return isOdd ? { hunkCount, alike, odd } : undefined;
    },
  };
}

/** The change of a hunk: of pairs of lines, what differs between them. */
function changeOf(changed: readonly string[]): string {
  const [removed, added] = ["-", "+"].map((sign) => changed.filter((line) => line[0] === sign));
  const changes = removed!.length === added!.length
    ? removed!.map((line, at) => differenceOf(line.slice(1), added![at]!.slice(1)))
    : changed.map((line) => line.trim());
  return [...new Set(changes)].join("\n").slice(0, MAX_KEY_CHARS);
}

/** The words of two lines between those with which both start and end. */
function differenceOf(before: string, after: string): string {
  const [old, young] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < Math.min(old.length, young.length) && old[start] === young[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, young.length) - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  return [old, young].map((words) => words.slice(start, words.length - end).join("")).join(" > ");
}

function wordsOf(line: string): string[] {
  return line.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
