/** Colours of the text format: those that grep, git and ls have taught. Only fdtool's own words and marks get any. */

type Stroke = (text: string) => string;

export interface Ink {
  /** A handle: `fd:12`, `tx:3`. */
  handle: Stroke;
  /** The heading of a table or a hunk's file. */
  heading: Stroke;
  /** Secondary text. */
  dim: Stroke;
  /** A command to run next. */
  next: Stroke;
  /** As grep: the match, its line's number, what separates. */
  match: Stroke;
  lineNumber: Stroke;
  separator: Stroke;
  /** As git: lines added and removed, a hunk's place. */
  added: Stroke;
  removed: Stroke;
  hunk: Stroke;
  good: Stroke;
  bad: Stroke;
  /** A thing that has not ended. */
  live: Stroke;
}

/** Ink whose escape sequences begin with `escape`; without one, text stays as it is. */
export function inkOf(escape: string | undefined): Ink {
  const stroke = (code: string): Stroke =>
    escape === undefined ? (text) => text : (text) => text === "" ? "" : `${escape}${code}m${text}${escape}m`;
  return {
    handle: stroke("33"),
    heading: stroke("1"),
    dim: stroke("2"),
    next: stroke("36"),
    match: stroke("1;31"),
    lineNumber: stroke("32"),
    separator: stroke("36"),
    added: stroke("32"),
    removed: stroke("31"),
    hunk: stroke("36"),
    good: stroke("32"),
    bad: stroke("31"),
    live: stroke("35"),
  };
}
