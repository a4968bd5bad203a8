/** A file in place of standard input. */

import { closeReader, openRegular, readSome } from "../../fd/system.ts";

/** An open file: `read` fills a part of what it is given, and returns 0 at the end. */
export interface FileInput {
  read(into: Uint8Array): number;
  close(): void;
}

/** Opens the regular file at `path`; failures show it as `shown`. Throws as `openRegular`. */
export function openInput(path: string, shown: string): FileInput {
  const file = openRegular(path, shown);
  return { read: (into) => readSome(file, into, into.length, shown), close: () => closeReader(file) };
}
