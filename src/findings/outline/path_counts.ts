/** Counts paths by directory and by ending, as a tree of bounded size. */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { copyOf, utf8Of } from "./outlined_content.ts";

interface Directory {
  count: number;
  /** The items that are in no directory of it. */
  ownCount: number;
  children: Map<string, Directory>;
}

/** Directories and endings that are counted; items of further ones are counted above them. */
const MAX_DIRECTORIES = 8192;
const MAX_ENDINGS = 256;
const MAX_NAMES = 8192;
const MAX_LEVELS = 24;
/** An ending, with what says more than it. */
const ENDING =
  /(?<=[^.])(?:\.(?:test|spec|d|min|stories)(?=\.(?:[cm]?[jt]sx?|css)$))?\.[A-Za-z~][\w~-]{0,10}$/;
/** Lines of the tree, and directories that share one. */
const TREE_LINES = 8;
const CHILDREN = 5;
const ENDINGS = 10;
/** Names that so many items have are listed, and how many of these. */
const MIN_OFTEN = 10;
const OFTEN = 3;
/** An ending that at most so many items have is odd, if others have it often. */
const FEW = 2;
const MAX_ODD = 5;

/** More chars than are shown of an item. */
const MAX_LABEL_CHARS = 440;

/** A value, how many items have it, and the first of these. */
interface Value {
  count: number;
  items: { line: number; label: string }[];
}

/** Counts values, of which at most `most` differ. */
export class ValueCounts {
  readonly values = new Map<string, Value>();

  constructor(private readonly most: number) {}

  /** Adds an item on a line; of a value that few have, its label is remembered. */
  add(value: string, line: number, label: () => string): void {
    let known = this.values.get(value);
    if (known === undefined) {
      if (this.values.size === this.most) return;
      this.values.set(copyOf(value), known = { count: 0, items: [] });
    }
    if (known.count++ < FEW) known.items.push({ line, label: copyOf(label().slice(0, MAX_LABEL_CHARS)) });
  }

  /** The values, those of most items first. */
  sorted(): [string, Value][] {
    return [...this.values].sort((one, other) => other[1].count - one[1].count);
  }
}

export function pathCounts() {
  const root: Directory = { count: 0, ownCount: 0, children: new Map() };
  const endings = new ValueCounts(MAX_ENDINGS);
  const names = new ValueCounts(MAX_NAMES);
  let directoryCount = 0;

  /** Adds a path, of one char a byte, on a line. */
  const add = (path: string, line: number): void => {
    let directory = root;
    root.count++;
    let from = path.startsWith("./") ? 2 : 0;
    for (let level = 0; level < MAX_LEVELS; level++) {
      const to = path.indexOf("/", from);
      // A slash at the end belongs to the name of a directory.
      if (to < 0 || to === path.length - 1) break;
      const name = path.slice(from, to);
      from = to + 1;
      if (name === "" && level > 0) continue;
      let child = directory.children.get(name);
      if (child === undefined) {
        if (directoryCount === MAX_DIRECTORIES) break;
        directoryCount++;
        child = { count: 0, ownCount: 0, children: new Map() };
        directory.children.set(copyOf(name), child);
      }
      child.count++;
      directory = child;
    }
    directory.ownCount++;
    const name = path.slice(from);
    names.add(name, line, () => "");
    endings.add(ENDING.exec(name)?.[0] ?? "", line, () => path);
  };

  return {
    add,
    count: () => root.count,
    directoryCount: () => directoryCount,
    describe: () => describe(root, endings, names),
  };
}

/** The tree, the directory with most items, the endings, and the items with rare ones. */
function describe(root: Directory, endings: ValueCounts, names: ValueCounts) {
  const lines: string[] = [];
  const [base, path] = onlyChild(root, "");
  const children = byCount(base);
  if (path !== "" && children.length > 0) lines.push(`in ${utf8Of(path)}:`);
  for (const [name, child] of children.slice(0, TREE_LINES)) {
    const [inner, innerPath] = onlyChild(child, `${name}/`);
    const own = byCount(inner).slice(0, CHILDREN).map(([each, { count }]) =>
      `${each}/ ${groupedDigits(count)}`
    );
    const rest = inner.children.size - own.length;
    if (rest > 0) own.push(`${groupedDigits(rest)} more`);
    const below = own.length > 0 ? `: ${own.join(", ")}` : "";
    lines.push(` ${utf8Of(`${innerPath} ${groupedDigits(inner.count)}${below}`)}`);
  }
  const further = children.slice(TREE_LINES);
  if (further.length > 0) {
    const count = further.reduce((sum, [, child]) => sum + child.count, 0);
    lines.push(` … ${groupedDigits(further.length)} more directories: ${groupedDigits(count)}`);
  }
  const fullest = fullestOf(root, "");
  if (fullest.path !== "") {
    lines.push(`most in one directory: ${groupedDigits(fullest.count)} in ${utf8Of(fullest.path)}`);
  }
  const sorted = endings.sorted().filter(([ending]) => ending !== "");
  const named = sorted.slice(0, ENDINGS).map(([ending, { count }]) =>
    `${utf8Of(ending)} ${groupedDigits(count)}`
  );
  const without = endings.values.get("")?.count ?? 0;
  if (without > 0) named.push(`none ${groupedDigits(without)}`);
  if (sorted.length > ENDINGS) named.push(`${groupedDigits(sorted.length - ENDINGS)} more`);
  if (sorted.length > 0) lines.push(`endings: ${named.join(", ")}`);
  const often = names.sorted().filter(([name, { count }]) => count >= MIN_OFTEN && name !== "")
    .slice(0, OFTEN).map(([name, { count }]) => `${utf8Of(name)} ${groupedDigits(count)}`);
  if (often.length > 0) lines.push(`same names: ${often.join(", ")}`);
  const rare = sorted.map(([, each]) => each).filter(({ count }) => count <= FEW);
  const odd = root.count < 20 * FEW ? [] : rare.flatMap(({ items }) => items);
  return { lines, odd: odd.slice(0, MAX_ODD), oddCount: odd.length };
}

/** The directory below a path that divides its items. */
function onlyChild(directory: Directory, path: string): [Directory, string] {
  const [entry] = directory.children;
  const isOnly = directory.children.size === 1 && entry![1].count === directory.count;
  return isOnly ? onlyChild(entry![1], `${path}${entry![0]}/`) : [directory, path];
}

function byCount({ children }: Directory): [string, Directory][] {
  return [...children].sort((one, other) => other[1].count - one[1].count);
}

function fullestOf(directory: Directory, path: string): { path: string; count: number } {
  let best = { path: path === "/" ? "/" : path.replace(/\/$/, ""), count: directory.ownCount };
  for (const [name, child] of directory.children) {
    const below = fullestOf(child, `${path}${name}/`);
    if (below.count > best.count) best = below;
  }
  return best;
}
