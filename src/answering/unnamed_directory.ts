/**
 * Stands for a working directory whose path cannot be written as text.
 *
 * @module
 */

/** The system's own way to it. It leads every process to its own: good to resolve by, no place to come back to. */
export const UNNAMED_DIRECTORY = "/proc/self/cwd";
