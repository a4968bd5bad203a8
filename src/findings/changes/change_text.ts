/** Says what changed between two runs: rows for an answer, and the counts for its sentence. */

import { cleanBytes, utf8Bytes } from "../../../fd/system.ts";
import { counted, groupedDigits } from "../../answers/parts/grouped_digits.ts";
import type { PreviewPart } from "../../calls/terms/answers.ts";
import { sayingOf } from "../comparing/ignored_text.ts";
import { shapeOf } from "./named_lines.ts";
import { namesOf, type UntoldLine } from "./other_lines.ts";
import type { ChangedFindings, Pair } from "./changed_findings.ts";
import { type ContentChange, MAX_OTHER_CHARS, MAX_OTHERS } from "./run_changes.ts";
import type { Said } from "./run_findings.ts";
import { areEqual, type NumberedLine } from "./unordered_lines.ts";

/** Findings that are shown of each way in which they changed, and the chars of each. */
const MAX_SHOWN = 10;
/** Of those with other numbers; and of those that are left, if there are new ones. */
const MAX_LEFT_SHOWN = 8;
const MAX_SHOWN_CHARS = 200;

/** The part of a preview that shows what changed, and what is left; undefined if there is nothing to show. */
export function changePart({ changed, untold, diff }: Partial<ContentChange>): PreviewPart | undefined {
  const { fresh, gone, recounted, unclear, still } = changed ?? NO_CHANGE;
  const left = still.map(([, now]) => now);
  const pick = picker([...fresh, ...gone, ...unclear.fresh, ...unclear.gone, ...left]);
  const shown = ({ text, signAt }: Said) => {
    // Names are often at the start.
    const half = MAX_SHOWN_CHARS / 2;
    return text.length > MAX_SHOWN_CHARS && signAt > half
      ? `${text.slice(0, half - 20)}\u2026${text.slice(signAt - 20, signAt + half)}`
      : text.slice(0, MAX_SHOWN_CHARS);
  };
  const rows = (what: string, all: number, picked: readonly Said[], textOf = shown) => [
    ...picked.map((said) => `${what} ${said.line}:${textOf(said)}`),
    ...(all > picked.length ? [`${what} and ${all - picked.length} more`] : []),
  ];
  // Equal words are about other lines of source.
  const nowOf = (pairs: readonly Pair[]) =>
    pairs.slice(0, MAX_LEFT_SHOWN).map(([before, now]) => {
      const [was, text] = [shown(before).trim(), shown(now)];
      return was === text.trim()
        ? { ...now, text: `${text.trimEnd()} ${now.source} (was ${before.source})` }
        : { ...now, text: `${text} (was ${was})` };
    });
  const heavy = left.filter(({ weight }, _, { 0: heaviest, length }) =>
    length <= MAX_LEFT_SHOWN || weight > heaviest!.weight / 3
  );
  const lines = [
    ...rows("now ", recounted.length, nowOf(recounted), ({ text }) => text),
    ...rows("new ", fresh.length, pick(fresh, MAX_SHOWN)),
    ...rows("gone", gone.length, pick(gone, MAX_SHOWN)),
    ...rows("+", unclear.fresh.length, pick(unclear.fresh, MAX_SHOWN)),
    ...rows("-", unclear.gone.length, pick(unclear.gone, MAX_SHOWN)),
    ...(diff ?? otherRows(untold ?? [])),
    ...rows("left", left.length, pick(heavy, fresh.length > 0 ? MAX_LEFT_SHOWN : MAX_SHOWN)),
  ];
  if (lines.length === 0) return undefined;
  const body = cleanBytes(utf8Bytes(`${lines.join("\n")}\n`));
  return { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
}

/** Rows for lines that one of two runs has only, and that no finding explains. */
function otherRows(runs: readonly UntoldLine[][]): string[] {
  const untold = runs.flatMap((lines, run) => lines.map((line) => ({ ...line, sign: "-+"[run]! })));
  const lines = rarest(untold).sort((one, other) =>
    one.line - other.line || (one.sign < other.sign ? 1 : -1)
  );
  const isAlone = new Set(lines.map(({ text }) => text));
  const rows: string[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    while (++to < lines.length && lines[to]!.line <= lines[to - 1]!.line + 1);
    const hunk = lines.slice(from, to);
    const starts = ["-", "+"].flatMap((sign) => {
      const first = hunk.find((row) => row.sign === sign);
      return first === undefined ? [] : [`${sign}${first.line} `];
    });
    const { heading, text, above } = hunk[0]!;
    rows.push(`@@ ${starts.join("")}@@`);
    // The line above may name what a line without a name is about.
    const context = heading !== "" ? heading : namesOf(sayingOf(text)).length === 0 ? above : "";
    if (namesOf(sayingOf(context)).length > 0 && !isAlone.has(context)) rows.push(` ${context}`);
    for (const sign of ["-", "+"]) {
      rows.push(...hunk.flatMap((row) => row.sign === sign ? [sign + row.text] : []));
    }
  }
  const more = untold.length - lines.length;
  if (more > 0 && rows.length > 0) rows.push(`… ${counted(more, "line", groupedDigits)} more`);
  return rows.join("\n").length <= MAX_OTHER_CHARS ? rows : [];
}

/** Lines of the shapes that the fewest of many lines have, or all if they are few: what is alike in most differs in values only. */
function rarest<Line extends NumberedLine>(lines: readonly Line[]): Line[] {
  const shapes = [...Map.groupBy(lines, ({ text }) => shapeOf(text)).values()]
    .sort((one, other) => one.length - other.length);
  const rare: Line[] = [];
  for (const alike of shapes) {
    if (rare.length + alike.length > MAX_OTHERS) return rare;
    rare.push(...alike);
  }
  return rare;
}

const NO_CHANGE: ChangedFindings = {
  gone: [],
  fresh: [],
  unclear: { gone: [], fresh: [] },
  recounted: [],
  still: [],
  isContrary: false,
};

/**
 * Picks findings that name the most that those picked before do not, so that a failure that several lines tell of takes the
 * place of one. A name is a word that not all findings of the form have.
 */
function picker(all: readonly Said[]) {
  const wordsOf = ({ saying }: Said) =>
    new Set(saying.toLowerCase().split(/[^\p{L}\p{N}_]+/u).flatMap((word) => [word, ...word.split("_")]));
  const names = new Map<string, string[]>();
  for (const form of Map.groupBy(all, ({ form }) => form).values()) {
    const sayings = new Map(form.map((said) => [said.saying, wordsOf(said)]));
    const counts = new Map<string, number>();
    for (const word of sayings.values().flatMap((words) => words)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const isAlone = sayings.size === 1 && form.length < MAX_ALONE;
    for (const [saying, words] of sayings) {
      names.set(saying, [...words].filter((word) => isAlone || counts.get(word)! < sayings.size));
    }
  }
  return (from: readonly Said[], most: number): Said[] => {
    const picked = new Map<string, Said>();
    const named = new Map<string, number>();
    const valueOf = ({ saying, weight }: Said) => {
      let value = 0;
      for (const name of names.get(saying)!) value += NEWS[named.get(name) ?? 0] ?? 0;
      return weight * Math.min(value, MAX_NAMES);
    };
    while (picked.size < most) {
      let best: Said | undefined;
      let bestValue = picked.size === 0 ? -1 : 0;
      for (const said of from) {
        const value = picked.has(said.saying) ? 0 : valueOf(said);
        if (value > bestValue) [best, bestValue] = [said, value];
      }
      if (best === undefined) break;
      picked.set(best.saying, best);
      for (const name of names.get(best.saying)!) named.set(name, (named.get(name) ?? 0) + 1);
    }
    return [...picked.values()];
  };
}

/** As many lines that say the same tell nothing of what failed. */
const MAX_ALONE = 3;
/** The worth of a name that was in none of those picked before, and in one. */
const NEWS = [1, 0.7];
/** More names than these do not make a finding tell more. */
const MAX_NAMES = 2;

/** Forms of findings that are counted apart, and the chars of the example of each. */
const MAX_FORMS = 3;
const MAX_EXAMPLE_CHARS = 48;

/** The counts of a change for a sentence, or why there are none. */
export function changeCounts(
  { changed = NO_CHANGE, others, untold, hasOthers }: Partial<ContentChange>,
): string {
  const { gone, fresh, recounted, unclear, still, isContrary, cut } = changed;
  const left = still.length + recounted.length;
  const of = gone.length + left;
  const findings = (count: number) => counted(count, "finding", groupedDigits);
  const doubts = Math.max(unclear.gone.length, unclear.fresh.length);
  const rest = `${fresh.length} new, ${left} left`;
  const recognized = `of those recognized ${gone.length} of ${of} gone, ${rest}`;
  if (cut !== undefined) {
    return `this run ${cut}: ${findings(doubts)} may not have been reached; besides these ${rest}`;
  }
  if (isContrary || doubts > 0 && of + fresh.length === 0) {
    return "lines changed; which findings are gone or new is unclear";
  }
  if (others !== undefined && areEqual(others) && !hasOthers && gone.length + fresh.length + doubts === 0) {
    return others.isMoved && left === 0
      ? "the same lines but for times, ids and the like, in another order: one may be below another heading"
      : `only ${others.isMoved ? "the order of lines, " : ""}times, places, ids and the like differ`;
  }
  if (of + fresh.length + doubts === 0) return "no finding recognized in either";
  if (hasOthers) {
    return `${findings(of)} in the same words, but other lines changed; which are gone or new is unclear`;
  }
  if (others === undefined) return `too many lines changed to compare all; ${recognized}`;
  const doubtful = (untold ?? []).flat().filter(({ isDoubtful }) => isDoubtful).length;
  if (doubtful > 0) {
    return `${counted(doubtful, "changed line", groupedDigits)} may be findings, too; ${recognized}${
      formCounts(changed)
    }`;
  }
  if (doubts > 0) {
    return `${findings(doubts)} may be others, or the same with other numbers; ` +
      `besides these ${gone.length} of ${of} gone, ${rest}`;
  }
  const values = recounted.length > 0 ? `, ${recounted.length} of them changed` : "";
  return `${gone.length} of ${of} findings gone, ${rest}${values}${formCounts(changed)}`;
}

/** How many findings of the heaviest forms that changed are left, if there is more than one form. */
function formCounts({ gone, fresh, recounted, still }: ChangedFindings): string {
  const pairs = [...still, ...recounted].map(([before]) => before);
  const ways = [pairs, gone, fresh].flatMap((all, way) => all.map((said) => ({ said, way })));
  const forms = [...Map.groupBy(ways, ({ said }) => said.form).values()].map((form) => {
    const sayings = new Set(form.map(({ said }) => said.saying));
    // What is printed twice, as in a summary, is one; what is always said in the same words is as many as there are lines.
    const counted = sayings.size === 1 ? form : form.filter(({ said }) => sayings.delete(said.saying));
    const [left, lost, added] = [0, 1, 2].map((wanted) => counted.filter(({ way }) => way === wanted).length);
    const { said } = form.find(({ way }) => way > 0) ?? form[0]!;
    return { said, left: left!, of: left! + lost!, added: added! };
  });
  const changed = forms.filter(({ left, of, added }) => left < of || added > 0)
    .sort((one, other) => other.said.weight - one.said.weight);
  if (forms.length < 2) return "";
  // Of forms that changed alike, the one with the fewest lines is nearest to a line a failure.
  const apart = new Map<number, (typeof forms)[number]>();
  for (const form of changed) {
    const share = form.of === 0 ? Infinity : (form.left + form.added * 1e6) / form.of;
    const known = apart.get(share);
    if (known === undefined || form.of + form.added < known.of + known.added) apart.set(share, form);
  }
  const texts = [...apart.values()].slice(0, MAX_FORMS).map(({ said, left, of, added }) => {
    const text = said.text.trim().replace(/^\S*\//, "");
    const example = text.length > MAX_EXAMPLE_CHARS ? `${text.slice(0, MAX_EXAMPLE_CHARS)}\u2026` : text;
    const counts = [...(of > 0 ? [`${left} of ${of} left`] : []), ...(added > 0 ? [`${added} new`] : [])];
    return `like "${example}": ${counts.join(", ")}`;
  });
  return texts.length === 0 ? "" : ` (${texts.join("; ")})`;
}
