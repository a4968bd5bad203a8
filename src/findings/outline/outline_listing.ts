/**
 * Outlines a listing: the paths of `find`, `ls` and `git status` as a tree with counts, the matches of `grep` as files, commits
 * as their span, trees of packages by what is odd in them. What has few others like it is named.
 */

import { counted, groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { clip } from "./describe_paths.ts";
import {
  BETWEEN,
  itemOf,
  type ListingForm,
  listingForm,
  type ListingItem,
  PLAIN,
  withoutColours,
} from "./listing_forms.ts";
import {
  type ContentLine,
  type ContentOutline,
  copyOf,
  eachLine,
  LISTED_CHARS,
  type OutlinedContent,
  utf8Of,
} from "./outlined_content.ts";
import { outlinedPart } from "./outline_paths.ts";
import { pathCounts, ValueCounts } from "./path_counts.ts";

const FIRST_LINES = 60;
const MIN_ITEMS = 20;
/** Lines that are neither an item nor between two, as a share; and those that are shown. */
const MAX_OTHER_SHARE = 0.1;
const MAX_OTHERS = 6;
/** Different values that are counted; those of them that are shown; and how few items a value has that is named with them. */
const MAX_VALUES = 4096;
const VALUES = 8;
const FEW = 2;
const MAX_ODD = 5;
const LARGEST = 5;
const ITEM_CHARS = 110;
/** Chars of the outline. */
const OUTLINE_CHARS = 1000;

/** Outlines content that looks like a listing, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineListing(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const first: string[] = [];
  eachLine(content, ({ text }) => first.push(withoutColours(text)) < FIRST_LINES);
  const form = listingForm(first);
  if (form === undefined) return undefined;
  const { kind, pattern } = form;
  const isSectioned = first.some((line) => line.startsWith("Changes ") || line.startsWith("Untracked "));
  const counts = new ListingCounts();
  /** The start of all paths, whatever chars follow in some of them. */
  const root = pattern === PLAIN ? /^\/?[^\/]*\//.exec(first[1] ?? "")?.[0] ?? "" : "";
  const others: ContentLine[] = [];
  let otherCount = 0;
  let [directory, file, section] = ["", "", ""];
  eachLine(content, (line) => {
    const { number } = line;
    const text = withoutColours(line.text);
    const item = itemOf(form, text);
    if (item !== undefined) {
      counts.add(file === "" ? item : { path: file, ...item }, number, directory, section);
    } else if (BETWEEN.test(text)) {
      if (!text.endsWith(":")) return;
      if (isSectioned) section = copyOf(text.slice(0, -1).toLowerCase());
      else if (kind === "paths") directory = copyOf(text.slice(0, -1));
    } else if (kind === "matches" && PLAIN.test(text)) file = copyOf(text);
    else if (
      kind === "paths" && (directory !== "" || root !== "" && text.startsWith(root) && !text.includes(": "))
    ) {
      counts.add({ path: text }, number, directory, section);
    } else {
      otherCount++;
      if (others.length < MAX_OTHERS) others.push({ ...line, text: "" });
    }
  });
  const { itemCount } = counts;
  if (itemCount < MIN_ITEMS || otherCount > itemCount * MAX_OTHER_SHARE) return undefined;
  const lines = [`${counts.heading(kind)}${outlinedPart(content)}`];
  let left = Math.min(budgetChars, OUTLINE_CHARS);
  for (const line of counts.describe()) {
    const text = clip(line, 2 * ITEM_CHARS);
    left -= text.length;
    if (left >= 0) lines.push(text);
  }
  if (otherCount > 0) lines.push(`else: ${counted(otherCount, "line", groupedDigits)}`);
  const shownLines = others.map(({ number }) => number);
  return { kind: `a listing`, lines, below: "lines", mostChars: LISTED_CHARS, shownLines };
}

/** Counts the items of a listing. */
class ListingCounts {
  itemCount = 0;
  private readonly paths = pathCounts();
  private readonly states = new ValueCounts(MAX_VALUES);
  private readonly owners = new ValueCounts(MAX_VALUES);
  private readonly files = new ValueCounts(MAX_VALUES);
  private readonly texts = new ValueCounts(MAX_VALUES);
  private readonly versions = new ValueCounts(MAX_VALUES);
  private readonly largest: { size: number; written: string; label: string; line: number }[] = [];
  /** The directories above a branch of a tree. */
  private readonly above: { indent: number; name: string }[] = [];
  private readonly days = new ValueCounts(MAX_VALUES);
  /** Whether the first commit has its day, as all of them have then. */
  private areDated?: boolean;
  private zeroCount = 0;
  private sum = 0;
  private topCount = 0;

  private addSize(written: string, label: string, line: number): void {
    const size = sizeOf(written);
    if (size === 0) this.zeroCount++;
    this.sum += size;
    if (label === "total" || this.largest.length === LARGEST && size <= this.largest.at(-1)!.size) return;
    this.largest.push({ size, written: copyOf(written), label: copyOf(label), line });
    this.largest.sort((one, other) => other.size - one.size || one.line - other.line).splice(LARGEST);
  }

  /** Takes a package of a tree by its versions and what is said of it, or a file by the directories above it. */
  private addBranch(indent: string, name: string, line: number): void {
    if (indent === "") this.topCount++;
    const [, state, own, version, said] = PACKAGE.exec(name) ?? [];
    if (own !== undefined) {
      this.versions.add(`${own} ${version}`, line, () => own);
      const flag = state ?? /^[a-z]+/.exec(said?.replace("deduped", "").trim() ?? "")?.[0];
      if (flag !== undefined) this.states.add(flag, line, () => name);
      return;
    }
    while (this.above.length > 0 && this.above.at(-1)!.indent >= indent.length) this.above.pop();
    this.paths.add([...this.above.map((each) => each.name), name].join("/"), line);
    this.above.push({ indent: indent.length, name: copyOf(name) });
  }

  add(item: ListingItem, line: number, directory: string, section: string): void {
    const { path, size, state, owner, number, text, hash, indent = "", name } = item;
    const label = path ?? text ?? "";
    this.itemCount++;
    if (size !== undefined) this.addSize(size, label, line);
    const inSection = section === "" ? state : state === undefined ? section : `${section}: ${state}`;
    if (inSection !== undefined) this.states.add(inSection, line, () => label);
    if (owner !== undefined) this.owners.add(owner, line, () => label);
    if ((path !== undefined || size !== undefined && label.includes("/")) && label !== "total") {
      this.paths.add(directory === "" ? label : `${directory}/${label}`, line);
    }
    if (number !== undefined) {
      const place = path === undefined ? number : `${path}:${number}`;
      this.files.add(path ?? "", line, () => `${number}:${text!.trim()}`);
      this.texts.add(shapeOf(text!), line, () => `${place}:${text}`);
    }
    if (hash !== undefined) {
      this.areDated ??= DATED.test(text!);
      const [, author = "", day, said = text!] = this.areDated ? DATED.exec(text!) ?? [] : [];
      if (day !== undefined) this.days.add(day, line, () => "");
      if (author !== "") this.owners.add(author, line, () => said);
      this.texts.add(/^\(?[\w-]+/.exec(said)?.[0] ?? "", line, () => text!);
    }
    if (name !== undefined) this.addBranch(indent, name, line);
  }

  heading(kind: ListingForm["kind"]): string {
    const items = groupedDigits(this.itemCount);
    switch (kind) {
      case "matches":
        return `matches: ${items} in ${counted(this.files.values.size, "file", groupedDigits)}`;
      case "commits":
        return `commits: ${items}`;
      case "counts":
        return `counts: ${items} items, ${groupedDigits(this.sum)} in all`;
      case "a tree":
        return `tree: ${items} items, ${groupedDigits(this.topCount)} at the top`;
      case "packages":
        return `packages: ${items}`;
      default: {
        const count = this.paths.directoryCount();
        const directories = ` in ${groupedDigits(count)} director${count === 1 ? "y" : "ies"}`;
        return `paths: ${items}${count > 0 ? directories : ""}`;
      }
    }
  }

  describe(): string[] {
    const isMatches = this.files.values.size > 0;
    const [busiest] = this.days.sorted();
    const lines = [
      ...oddLines(this.states, "state"),
      ...oddLines(this.owners, busiest === undefined ? "owner" : "author"),
    ];
    if (busiest !== undefined) {
      const days = [...this.days.values.keys()].sort();
      lines.push(
        `days: ${days[0]} to ${days.at(-1)}, most on ${busiest[0]}: ${groupedDigits(busiest[1].count)}`,
      );
    }
    if (
      this.largest.length > 0 &&
      (this.largest[0]!.size > this.largest.at(-1)!.size || this.itemCount <= LARGEST)
    ) {
      const named = this.largest.map(({ written, label, line }) =>
        `${written} ${clip(utf8Of(label), 60)} (line ${groupedDigits(line)})`
      );
      lines.push(`largest: ${named.join(", ")}`);
      if (this.zeroCount > 0) lines.push(`zero: ${groupedDigits(this.zeroCount)}`);
    }
    lines.push(...severalVersions(this.versions));
    if (isMatches) {
      if (this.paths.count() > 0) lines.push(...mostOf(this.files));
      lines.push(...oddLines(this.texts, "", this.itemCount > 20 * FEW ? MAX_ODD : 0));
    } else lines.push(...oddLines(this.texts, "first words"));
    if (this.paths.count() > 0) {
      const { lines: tree, odd, oddCount } = this.paths.describe();
      if (!isMatches && odd.length > 0) {
        const more = oddCount > odd.length ? `, ${groupedDigits(oddCount - odd.length)} more` : "";
        lines.push(
          `rare endings: ${
            odd.map(({ label, line }) => `${utf8Of(label)} (line ${groupedDigits(line)})`).join(", ")
          }${more}`,
        );
      }
      lines.push(...tree);
    }
    return lines;
  }
}

/** A package with its version, behind words in capitals (`UNMET DEPENDENCY`), and before what is said of it. */
const PACKAGE = /^(?:([A-Z]{3}[A-Z ]*) )?(@?[^@\s]+)(?:@| v(?=\d))(\S+)(?: (.*))?$/;

/** Author, day and subject of a commit, in any order of the first two. */
const DATED = /^(?:(\S.{0,40}?) )?[[(]?(\d{4}-\d\d-\d\d)(?:[T ][\d:]+(?: ?[+-]\d{4})?)?[\])]? (.*)$/;

const UNITS = "KMGTP";

/** The number that a size says, such as `1.2G`; 0 if it says none. */
function sizeOf(written: string): number {
  const unit = UNITS.indexOf(written.at(-1)!.toUpperCase()) + 1;
  const size = Number.parseFloat(written) * 1024 ** unit;
  return Number.isNaN(size) ? 0 : size;
}

/** The text of a match without what varies from one to the next. */
function shapeOf(text: string): string {
  const words = text.trim().slice(0, 200).replace(/(["'`]).*?\1/g, "''").replace(/\w+/g, "a");
  return words.replace(/(?:a[.\s,]*)+/g, "a");
}

/** The values with their counts, and the items of those that few have. */
function oddLines(counts: ValueCounts, what: string, mostOdd = MAX_ODD): string[] {
  const sorted = counts.sorted();
  const named = sorted.slice(0, VALUES).map(([value, { count }]) =>
    `${JSON.stringify(utf8Of(value)).slice(1, -1)} ${groupedDigits(count)}`
  );
  const more = sorted.length - named.length;
  const lines = what === "" || sorted.length === 0
    ? []
    : [`${what}: ${named.join(", ")}${more > 0 ? `, ${groupedDigits(more)} more` : ""}`];
  const few = sorted.filter(([, { count }]) => count <= FEW);
  if (few.length === 0 || few.length > mostOdd || few.length === sorted.length) return lines;
  for (const [, { items }] of few) {
    for (const { line, label } of items) {
      lines.push(` line ${groupedDigits(line)}: ${clip(utf8Of(label.trim()), ITEM_CHARS)}`);
    }
  }
  return lines;
}

/** The files with most matches, each with its first one. */
function mostOf(counts: ValueCounts): string[] {
  const sorted = counts.sorted();
  const several = sorted.findIndex(([, { count }]) => count === 1);
  const most = sorted.slice(0, Math.max(3, Math.min(VALUES, several < 0 ? VALUES : several)));
  return most.map(([path, { count, items }]) =>
    ` ${groupedDigits(count)} ${clip(utf8Of(path), 80)}, first ${clip(utf8Of(items[0]!.label), 50)}`
  );
}

/** The packages that are there in more than one version. */
function severalVersions({ values }: ValueCounts): string[] {
  const byName = Map.groupBy(values, ([, { items }]) => items[0]!.label);
  const several = [...byName].filter(([, each]) => each.length > 1);
  if (several.length === 0) return [];
  const named = several.slice(0, MAX_ODD).map(([name, each]) =>
    `${name} ${
      each.map(([value, { items }]) =>
        `${value.slice(name.length + 1)} (line ${groupedDigits(items[0]!.line)})`
      ).join(", ")
    }`
  );
  return [
    `in several versions: ${groupedDigits(several.length)}`,
    ...named.map((each) => ` ${utf8Of(each)}`),
  ];
}
