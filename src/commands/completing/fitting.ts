/** The words that fit a place in a call that is being typed. */

/** A word, whole, as the program shall get it. */
export interface Candidate {
  word: string;
  /** A few words on it, for shells that show them. */
  about?: string | undefined;
}

export interface Fitting {
  /** In the order in which they are shown. */
  candidates: readonly Candidate[];
  /** Files or directories fit too; the shell knows how to complete and quote them. */
  paths?: "files" | "directories" | undefined;
  /** The shell completes the words from this one on as a call of their own: `run -- make …`. */
  commandAt?: number | undefined;
}

/** The place of a value in a call that is being typed. */
export interface Asked {
  typed: string;
  /** The arguments before it. */
  given: readonly string[];
  command: string;
  /** The value of `--store`, if the call has one. */
  store: string | undefined;
}

export const NOTHING_FITS: Fitting = { candidates: [] };

/** `fitting` with `prefix` before each word. */
export function prefixed({ candidates, ...rest }: Fitting, prefix: string): Fitting {
  return { ...rest, candidates: candidates.map(({ word, about }) => ({ word: prefix + word, about })) };
}
