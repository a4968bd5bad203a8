/** Colours of the text format: those that grep, git and ls have taught. Only fdtool's own words and marks get any. */

type Stroke = (text: string) => string;

export type Ink = ReturnType<typeof inkOf>;

/** Ink whose escape sequences begin with `escape`; without one, text stays as it is. */
export function inkOf(escape: string | undefined) {
  const stroke = (code: string): Stroke =>
    escape === undefined ? (text) => text : (text) => text === "" ? "" : `${escape}${code}m${text}${escape}m`;
  return {
    /** A handle: `fd:12`, `tx:3`. */
    handle: stroke("33"),
    /** The heading of a table or a hunk's file. */
    heading: stroke("1"),
    /** Secondary text. */
    dim: stroke("2"),
    /** A command to run next. */
    next: stroke("36"),
    /** As grep: the match, its line's number, what separates. */
    match: stroke("1;31"),
    lineNumber: stroke("32"),
    separator: stroke("36"),
    /** As git: lines added and removed, a hunk's place. */
    added: stroke("32"),
    removed: stroke("31"),
    hunk: stroke("36"),
    good: stroke("32"),
    bad: stroke("31"),
    /** A thing that has not ended. */
    live: stroke("35"),
  };
}
