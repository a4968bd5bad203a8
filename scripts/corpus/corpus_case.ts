/** One output of a real tool, and the fact that a reader of it needs. */

import { createHash } from "node:crypto";

/** A string, or what matches within one line. */
export type Fact = string | RegExp;

export interface WrittenCase {
  /** Names the output's file too: lower case, words joined by hyphens. */
  name: string;
  /** Whether nothing is wrong. */
  sound?: boolean;
  /**
   * Parts of the output without its escape sequences. An answer that shows all of them has the fact. If nothing is wrong:
   * the line that says how the run ended, or absent.
   */
  facts?: readonly Fact[];
  /** The question of a reader, in plain words that need not be in the output. */
  question?: string;
  /** Files of the project by their relative paths. */
  files?: () => Record<string, string>;
  /** The command that bash runs in the project's directory; its stdout and stderr together are the output. */
  command: string;
}

/** A case with what its writer may leave out. */
export interface CorpusCase extends WrittenCase {
  sound: boolean;
  facts: readonly Fact[];
}

/** Half of the cases are for tuning; the others are only measured, and their misses are not looked at one by one. */
export type Half = "tuning" | "measured";

/** The half of a case: the first bit of the sha-256 of its name. */
export function halfOf(name: string): Half {
  const first = createHash("sha256").update(name).digest()[0] as number;
  return first < 0x80 ? "tuning" : "measured";
}

/** Makes one of many texts from its word and its number, from 0. */
type Make = (name: string, number: number) => string;

/** `count` pieces of text, one after the other. */
export function repeat(count: number, make: Make, between = "\n"): string {
  return Array.from({ length: count }, (_, number) => make(word(number), number)).join(between);
}

/** `count` files; a `*` in their path is the word of each. */
export function manyFiles(count: number, path: string | Make, content: Make): Record<string, string> {
  const pathOf: Make = typeof path === "string" ? (name) => path.replaceAll("*", name) : path;
  return Object.fromEntries(Array.from({ length: count }, (_, number) => {
    const name = word(number);
    return [pathOf(name, number), content(name, number)];
  }));
}

/** Makes the Node tools of the cache the project's own. */
export const LINK_TOOLS = "ln -s $TOOLS/npm/node_modules node_modules;";

const WORDS =
  ("account address audit basket batch billing branch budget cache carrier catalog charge client contract " +
    "coupon courier credit customer dealer delivery deposit device discount dispatch document event outlay factory fee " +
    "filter freight gateway grant group intake index invoice item journal key label ledger limit loan lookup margin " +
    "market member merchant meter notice offer order outlet packet parcel partner payment permit picker plan policy " +
    "price product profile promo quota quote rate receipt record refund region report reserve giveback review route " +
    "sale schedule score segment session shelf shipment signal stock store supplier survey tariff tax tenant ticket " +
    "token trade transfer vendor voucher wallet warehouse warranty weight zone").split(" ");

/** A word of the trade for each number, different for the first 110; then pairs of them. */
export function word(number: number): string {
  const first = WORDS[number % WORDS.length] as string;
  if (number < WORDS.length) return first;
  return `${first}_${WORDS[Math.floor(number / WORDS.length) % WORDS.length]}`;
}
