/** The most lines of context on either side of a match or a change: more is what `read` is for. @module */

export const MAX_CONTEXT = 1000;
