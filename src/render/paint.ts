/**
 * Colours for people. Only fdtool's own words are painted: a body keeps its bytes.
 *
 * @module
 */

/** What each kind of text of an answer looks like. */
export interface Paint {
  tag(text: string): string;
  next(text: string): string;
  fault(text: string): string;
}

/** As it is: for everything that is not a terminal. */
const asIs = (text: string) => text;
export const PLAIN: Paint = { tag: asIs, next: asIs, fault: asIs };

/** Tags step back, the next command and faults stand out. An escape sequence begins with `escape`. */
export function coloredPaint(escape: string): Paint {
  return {
    tag: (text) => `${escape}2m${text}${escape}22m`,
    next: (text) => `${escape}36m${text}${escape}39m`,
    fault: (text) => `${escape}31m${text}${escape}39m`,
  };
}

/** Colours that were asked for, wherever they go. */
export const COLORED: Paint = coloredPaint("\u001b[");
