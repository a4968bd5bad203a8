/**
 * Sections of an output that fold, as the programs that printed it mark them: groups of CI services, steps of builds, files
 * of tests. One search finds the marks; what is between them is not read.
 */

import { type FdEntry, searchFd, type Store, usedContent } from "../../fd/mod.ts";
import { ifPossible, utf8Bytes } from "../../fd/system.ts";
import { isStudied } from "./fd_rows.ts";
import { levelOf } from "./line_levels.ts";
import { linesAt, rowAt } from "./line_rows.ts";
import { timeBars, timeIn } from "./line_times.ts";
import { pageText } from "./page_text.ts";

/** Lines `from` to `to` below a heading, which is the line before them; `ms` is how long that took, if it says so. */
interface Section {
  from: number;
  to: number;
  label: string;
  ms?: number | undefined;
}

/** Marks that are looked at, and bytes of content in which they are sought. */
const MAX_MARKS = 5000;
const MAX_SOUGHT_BYTES = 512 * 2 ** 20;
const MAX_LABEL = 200;

/** Behind the time that GitHub puts before each line of a log that is downloaded, and colours. */
const START = String.raw`^(?:\d\d\d\d-\d\d-\d\dT[\d:.]+Z )?(?:\x1b\[[\d;]*[mK])*`;

/** A pair of marks around a section, which may have others in it. */
const PAIRS: readonly (readonly [open: string, close: string])[] = [
  // GitHub Actions; GitLab; Travis; TeamCity; Azure Pipelines; make.
  [String.raw`(?:##\[group\]|::group::)`, String.raw`(?:##\[endgroup\]|::endgroup::)`],
  [String.raw`section_start:\d+:[\w.-]+`, String.raw`section_end:\d+:[\w.-]+`],
  [String.raw`travis_fold:start:`, String.raw`travis_fold:end:`],
  [String.raw`##teamcity\[blockOpened `, String.raw`##teamcity\[blockClosed `],
  [String.raw`##\[section\]Starting: `, String.raw`##\[section\]Finishing: `],
  [String.raw`make(?:\[\d+\])?: Entering directory`, String.raw`make(?:\[\d+\])?: Leaving directory`],
];

/** A heading, whose section ends at the next heading; those of a line are in those of the lines before it here. */
const HEADINGS: readonly (readonly string[])[] = [
  [
    // BuildKit, Docker; Buildkite; Ansible; Gradle; Maven; steps with numbers.
    String.raw`#\d+ (?:\[|exporting to |importing cache |resolve )`,
    String.raw`Step \d+/\d+ : `,
    String.raw`(?:---|\+\+\+|~~~) :[\w-]+:`,
    String.raw`(?:TASK|PLAY|RUNNING HANDLER)(?: \[.*\])? \*\*\*`,
    String.raw`> Task :\S`,
    String.raw`\[INFO\] --- `,
    String.raw`\[\d+/\d+\] \S`,
    // pytest.
    String.raw`=== *[^= ].*===$`,
    String.raw`====+ [^=]+ ====+$`,
  ],
  [
    // Jest; Deno; cargo; Go; GoogleTest; a test of pytest.
    String.raw`(?:PASS|FAIL) +\S+\.\w+`,
    String.raw`running \d+ tests? from `,
    String.raw` +(?:Running|Doc-tests) \S`,
    String.raw`=== RUN +\S`,
    String.raw`\[-----*\] \d+ tests? from `,
    String.raw`____+ [^_ ].* ____+$`,
  ],
];

const anyOf = (patterns: readonly string[]) => `${START}(?:${patterns.join("|")})`;
const OPEN = new RegExp(anyOf(PAIRS.map(([open]) => open)));
const CLOSE = new RegExp(anyOf(PAIRS.map(([, close]) => close)));
/** The end of a step of BuildKit. */
const DONE = RegExp(String.raw`${START}#\d+ DONE (\d+\.\d)s`);
const RANKS = HEADINGS.map((patterns) => new RegExp(anyOf(patterns)));
const ANY_MARK = anyOf([...PAIRS.flat(), ...HEADINGS.flat(), String.raw`#\d+ DONE \d`]);

/** A line that begins or ends a section. */
interface Mark {
  line: number;
  /** As stored, and as it is shown. */
  stored: string;
  text: string;
}

/** Returns the sections of an fd, the bars of its times, and whether its lines have levels. */
export async function fdSections(store: Store, query: URLSearchParams) {
  const entry = await pageText(store, query);
  if (!isStudied(store, entry) || entry.lineCount === 0) return { sections: [], hasLevels: false };
  using content = usedContent(store, entry);
  let [leveled, looked] = [0, 0];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = 1 + Math.floor(sample / SAMPLES * entry.lineCount);
    const count = Math.min(SAMPLE_LINES, entry.lineCount - start + 1);
    for (const text of await linesAt(store, content, start, count)) {
      looked++;
      if (ifPossible(() => levelOf(utf8Bytes(text))) !== undefined) leveled++;
    }
  }
  return {
    sections: await lineSections(store, entry),
    bars: await timeBars(store, entry),
    hasLevels: leveled >= looked * LEVELED_SHARE,
  };
}

/** Places where lines are looked at, how many at each, and how many of them must have levels. */
const SAMPLES = 8;
const SAMPLE_LINES = 20;
const LEVELED_SHARE = 0.25;

/** The sections of an fd, by their first lines, and then the longer ones first; none of content that is still written. */
async function lineSections(store: Store, entry: FdEntry): Promise<Section[]> {
  const starts: number[] = [];
  const request = {
    pattern: ANY_MARK,
    keep: 0,
    stopAfter: MAX_MARKS,
    untilByte: MAX_SOUGHT_BYTES,
    onLine: (fromByte: number) => void starts.push(fromByte),
  };
  await searchFd(store, entry, request, () => new Promise((resolve) => setImmediate(resolve)));
  using content = usedContent(store, entry);
  const marks: Mark[] = [];
  for (const fromByte of starts.slice(0, MAX_MARKS)) {
    const { n: line, t: text, stored } = await rowAt(store, content, fromByte);
    marks.push({ line, text, stored });
  }
  return sectionsBetween(marks, entry.lineCount);
}

/** The sections between marks, of `lineCount` lines. */
function sectionsBetween(marks: readonly Mark[], lineCount: number): Section[] {
  const sections: Section[] = [];
  /** Those that have not ended, from outside; `rank` is undefined for one that has a mark at its end. */
  const open: { mark: Mark; rank: number | undefined; ms?: number }[] = [];
  const endLast = (to: number, end?: Mark) => {
    const { mark: head, ms = end && between(head, end) } = open.pop()!;
    if (to > head.line) sections.push({ from: head.line + 1, to, label: labelOf(head), ms });
  };
  for (const mark of marks) {
    const rank = RANKS.findIndex((heading) => heading.test(mark.stored));
    const [, seconds] = DONE.exec(mark.stored) ?? [];
    if (seconds !== undefined && open.length > 0) open.at(-1)!.ms = Number(seconds) * 1000;
    if (OPEN.test(mark.stored)) open.push({ mark, rank: undefined });
    else if (CLOSE.test(mark.stored)) {
      // A mark at the end of nothing.
      if (!open.some((each) => each.rank === undefined)) continue;
      while (open.at(-1)!.rank !== undefined) endLast(mark.line - 1, mark);
      endLast(mark.line, mark);
    } else if (rank >= 0) {
      while (open.length > 0 && (open.at(-1)!.rank ?? -1) >= rank) endLast(mark.line - 1, mark);
      open.push({ mark, rank });
    }
  }
  while (open.length > 0) endLast(lineCount);
  return sections.sort((one, other) => one.from - other.from || other.to - one.to);
}

/** The heading as it is read, without the mark. */
function labelOf({ text, stored }: Mark): string {
  const written = text.replace(/^\S+T\S+Z /, "").replace(/^(?:##\[\w+\]|::group::|travis_fold:\w+:)/, "");
  const name = /^##teamcity\[blockOpened name='([^']*)'/.exec(stored)?.[1];
  return (name ?? written).trim().slice(0, MAX_LABEL);
}

/** How long it was from one line to the other, if both have times. */
function between(one: Mark, other: Mark): number | undefined {
  const [from, to] = [one, other].map(({ stored }) =>
    Number(/section_\w+:(\d+):/.exec(stored)?.[1] ?? NaN) * 1000 || timeIn(stored)?.ms
  );
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}
