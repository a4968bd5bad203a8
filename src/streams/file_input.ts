/** A file in place of standard input. */

import { closeReader, openRegular, readSome } from "../../fd/system.ts";

/**
 * Opens the regular file at `path`; failures show it as `shown`. `read` fills a part of what it is given, and returns 0 at the end.
 * Throws as `openRegular`.
 */
export function openInput(path: string, shown: string) {
  const file = openRegular(path, shown);
  return {
    read: (into: Uint8Array) => readSome(file, into, into.length, shown),
    close: () => closeReader(file),
  };
}
