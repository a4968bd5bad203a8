/**
 * Tells which numbers of a line are values beside its name: `upload of part-0017.gz failed (request 4f1c…)` is the same failure
 * in another request, since `part-0017.gz` is the name of one of many.
 */

import { utf8Text } from "../../../fd/system.ts";
import { LEFT_OUT, MAX_SAYING_CHARS } from "./ignored_text.ts";

const UNIT = "(?:%|[kKMGT]i?B(?:/s)?|bytes|[num]?s|[KMG]?[hH]z|rpm|V|W|C|tps)(?!\\w)";
const HEX = "(?=[0-9a-fA-F-]*\\d)(?=[0-9-]*[a-fA-F])[0-9a-fA-F][0-9a-fA-F-]{6,}";
const VALUES = new RegExp(
  [
    // A bracket behind a word is part of a name: `test_rate[17]`.
    "(\\w[[(][^\\s\\])]{0,200}[\\])])",
    // A field, unless it is called like a name.
    "(?<=(?:^|[\\s,;{([|\"'])(?!(?:id|name|test|case|key|index|shard|item|zone|job|node|host)\\b)[A-Za-z_][\\w.-]{0,60}[\"']?(?:=|: ?)[\"']?)" +
    `(?:${HEX}|\\d+(?:\\.\\d+){3}|\\d+(?:[.,]\\d+)*(?: ?${UNIT})?)(?=["']?(?:[\\s,;})\\]|]|$))`,
    "(?<=\\b(?:[Rr]ev(?:ision)?|[Gg]eneration|[Aa]ttempt|[Rr]etry|[Tt]ry|[Ss]eq(?:uence)?|xid|lsn|[Ss]ector|[Oo]ffset|" +
    `[Ss]ession|[Cc]onn(?:ection)?|[Rr]equest(?: id)?|[Tt]ransaction|[Rr]emaining|[Pp]id)[ #:]{1,3})(?:${HEX}|\\d+)(?![\\w.])`,
    `(?<![\\w.:/#[@-])(?:(?:${HEX}|\\d{5,}|\\d+\\.\\d+)(?![\\w.-])|\\d+(?:\\.\\d+)? ?${UNIT}|\\d+/\\d+(?![\\w/]))`,
    // The client and the size in a log of a web server.
    '(?<=" \\d{3} )\\d+|^\\d+(?:\\.\\d+){3}(?= - )|(?<=client: )\\d+(?:\\.\\d+){3}|(?<= \\*)\\d+(?= )',
  ].join("|"),
  "g",
);
/** Tokens, which are names if they have letters and digits. */
const TOKEN = /(?<![\w./:@#[\]-])\p{L}?[\w./:@#[\]-]+/gu;

/** Two values with a fraction: a report. */
const MEASURES = /(?<![\w.:/-])\d+\.\d+(?![\w.-]).*(?<![\w.:/-])\d+\.\d+(?![\w.-])/;

/** Content in which names are looked for, and how often one may occur: more often, it is that of a worker or a version. */
const MAX_NAMED_BYTES = 2 ** 20;
const MAX_OCCURRENCES = 8;
const MIN_SIBLINGS = 2;

/**
 * Returns a function that leaves out of a saying the values beside its name; it returns undefined if the saying has no name
 * that differs from others of `contents` in its digits only.
 */
export function namedSaying(contents: readonly Uint8Array[]): (saying: string) => string | undefined {
  const known = new Map<string, Map<string, number>>();
  for (const content of contents) {
    for (const name of namesIn(utf8Text(content.subarray(0, MAX_NAMED_BYTES)))) {
      const shape = shapeOf(name);
      const names = known.get(shape) ?? new Map<string, number>();
      if (names.size === 0) known.set(shape, names);
      names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  const isName = (name: string) => {
    const siblings = known.get(shapeOf(name));
    return siblings !== undefined && siblings.size >= MIN_SIBLINGS &&
      (siblings.get(name) ?? 0) <= MAX_OCCURRENCES * contents.length;
  };
  return (saying) => {
    if (saying.length > MAX_SAYING_CHARS) return undefined;
    const text = saying.replace(VALUES, (_, name: string | undefined) => name ?? LEFT_OUT);
    return MEASURES.test(saying) || namesIn(text).some(isName) ? text : undefined;
  };
}

function namesIn(text: string): string[] {
  return (text.match(TOKEN) ?? []).filter((token) => /\d/.test(token) && /[\p{L}_]/u.test(token))
    .map((token) => token.replace(/[./:@#-]{1,9}$/, ""));
}

function shapeOf(name: string): string {
  return name.replace(/\d+/g, "0");
}
