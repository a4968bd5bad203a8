/**
 * The working directory of a process that has none which could be written down.
 *
 * @module
 */

/** The system's own way to it. It leads every process to its own: good to resolve by, no place to come back to. */
export const UNNAMED_DIRECTORY = "/proc/self/cwd";
