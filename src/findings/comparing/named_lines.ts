/**
 * Tells which numbers of a line are values beside its name: `upload of part-0017.gz failed (request 4f1c…)` is the same failure
 * in another request, since `part-0017.gz` is the name of one of many.
 */

import { utf8Text } from "../../../fd/system.ts";
import { LEFT_OUT, MAX_SAYING_CHARS } from "./ignored_text.ts";

const UNIT = "(?:%|[kKMGT]i?B(?:/s)?|bytes?|[num]?s|[KMG]?[hH]z|rpm|V|W|C|tps)(?!\\w)";
const HEX = "(?=[0-9a-fA-F]*\\d[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{7,}";
/** A bracket behind a word is part of a name: `test_rate[17]`. */
const BRACKET = "(\\w[[(][^\\s\\])]{0,200}[\\])])";
const MEASURED = [
  BRACKET,
  "(?<=\\b(?:[Rr]ev(?:ision)?|[Gg]eneration|[Aa]ttempt|[Rr]etry|[Tt]ry|[Ss]eq(?:uence)?|xid|lsn|[Ss]ector|[Oo]ffset|" +
  `[Ss]ession|[Cc]onn(?:ection)?|[Rr]equest(?: id)?|[Tt]ransaction|[Rr]emaining|[Pp]id)[ #:]{1,3})(?:${HEX}|\\d+)(?![\\w.])`,
  `(?<![\\w.:/#[@-])(?:${HEX}(?![\\w.-])|\\d+(?:\\.\\d+)? ?(?:(?:free|used|total|available) )?${UNIT}|\\d+/\\d+(?![\\w/]))`,
  "(?<=\\b(?:[a-z]+[-_]?)?[iI][dD][\"']?(?:=|: ?)[\"']?)" + `(?:${HEX}|\\d{4,})(?!\\w)`,
  // The client and the size in a log of a web server, and an address and port in brackets.
  '(?<=" \\d{3} )\\d+|^\\d+(?:\\.\\d+){3}(?= - )|(?<=client: |\\[IP: )\\d+(?:\\.\\d+){3}|(?<= \\*)\\d+(?= )',
];
/** Fields, unless they are called like a name, long numbers, and those with a fraction. */
const OTHERS = [
  "(?<=(?:^|[\\s,;{([|\"'])(?!(?:id|name|test|case|key|index|shard|item|zone|job|node|host)\\b)[A-Za-z_][\\w.-]{0,60}[\"']?(?:=|: ?)[\"']?)" +
  "(?:\\d+(?:\\.\\d+){3}|\\d+(?:[.,]\\d+)*)(?=[\"']?(?:[\\s,;})\\]|]|$))",
  "(?<![\\w.:/#[@-])(?:\\d+\\.)?\\d+(?![\\w/-]|\\.\\w)",
];
const VALUES = new RegExp(MEASURED.join("|"), "g");
const ALL_VALUES = new RegExp([...MEASURED, ...OTHERS].join("|"), "g");
/** Tokens, which are names if they have letters and digits. */
const TOKEN = /(?<![\w./:@#[\]-])\p{L}?[\w./:@#[\]-]+/gu;

/** Two values with a fraction: a report. */
const REPORT = /(?<![\w.:/-])\d+\.\d+(?![\w.-]).*(?<![\w.:/-])\d+\.\d+(?![\w.-])/;

/** Content in which names are looked for, and how often one may occur: more often, it is that of a worker or a version. */
const MAX_NAMED_BYTES = 2 ** 20;
const MAX_OCCURRENCES = 8;
const MIN_SIBLINGS = 2;

/** Tells the names of lines, which are those of one of many: others in the contents differ in their digits only. */
export class NamedLines {
  private readonly known = new Map<string, Map<string, number>>();

  constructor(private readonly contents: readonly Uint8Array[]) {
    for (const content of contents) {
      for (const name of namesIn(utf8Text(content.subarray(0, MAX_NAMED_BYTES)))) {
        const shape = shapeOf(name);
        const names = this.known.get(shape) ?? new Map<string, number>();
        if (names.size === 0) this.known.set(shape, names);
        names.set(name, (names.get(name) ?? 0) + 1);
      }
    }
  }

  private isOneOfMany(name: string): boolean {
    return (this.known.get(shapeOf(name))?.size ?? 0) >= MIN_SIBLINGS;
  }

  private isFrequent(name: string): boolean {
    const count = this.known.get(shapeOf(name))?.get(name) ?? 0;
    return count > MAX_OCCURRENCES * this.contents.length;
  }

  private hasName(text: string): boolean {
    return namesIn(text).some((name) => this.isOneOfMany(name) && !this.isFrequent(name));
  }

  /** Whether both have a name that is one of many. */
  shareName(one: string, other: string): boolean {
    const names = new Set(namesIn(one));
    return namesIn(other).some((name) =>
      names.has(name) && (this.known.get(shapeOf(name))?.size ?? 0) > MIN_SIBLINGS && !this.isFrequent(name)
    );
  }

  /** The saying without what is measured beside its name; undefined if it has no name, unless it is a report of measures. */
  withoutMeasures(saying: string): string | undefined {
    if (saying.length > MAX_SAYING_CHARS) return undefined;
    if (REPORT.test(saying)) return withoutValues(saying, ALL_VALUES);
    const text = withoutValues(saying, VALUES);
    return text !== saying && !/\d/.test(text) || this.hasName(text) ? text : undefined;
  }

  /** The saying without any numbers beside its name, which may be names, too; undefined if it has none. */
  withoutNumbers(saying: string): string | undefined {
    if (saying.length > MAX_SAYING_CHARS) return undefined;
    const text = withoutValues(saying, ALL_VALUES);
    return this.hasName(text) ? text : undefined;
  }

  /** The saying and who says it, without measures and names that many lines have, such as workers; undefined if no number is left. */
  withoutWorkers(saying: string, sender: string): string | undefined {
    if (saying.length > MAX_SAYING_CHARS) return undefined;
    const measured = withoutValues(`${sender} \n${saying}`, VALUES);
    const text = measured.replace(TOKEN, (token) => {
      const [name] = namesIn(token);
      return name !== undefined && this.isOneOfMany(name) && this.isFrequent(name) ? LEFT_OUT : token;
    });
    return text !== measured && /\d/.test(text) ? text : undefined;
  }
}

/** A bracket that is part of a name stays. */
function withoutValues(saying: string, values: RegExp): string {
  return saying.replace(values, (_, bracket: string | undefined) => bracket ?? LEFT_OUT);
}

function namesIn(text: string): string[] {
  return (text.match(TOKEN) ?? []).filter((token) => /\d/.test(token) && /[\p{L}_]/u.test(token))
    .map((token) => token.replace(/[./:@#-]{1,9}$/, ""));
}

function shapeOf(name: string): string {
  return name.replace(/\d+/g, "0");
}
