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

/** Tags step back, the next command and faults stand out. */
export const COLORED: Paint = {
  tag: (text) => `\u001b[2m${text}\u001b[22m`,
  next: (text) => `\u001b[36m${text}\u001b[39m`,
  fault: (text) => `\u001b[31m${text}\u001b[39m`,
};
