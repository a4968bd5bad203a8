/**
 * Names a working directory whose path is not text. The link leads each process to its own directory, so it serves for
 * resolving paths, not for records.
 */
export const UNNAMED_DIRECTORY = "/proc/self/cwd";
