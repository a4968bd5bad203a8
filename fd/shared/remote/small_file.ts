import { ifPossible } from "../../disk/errors.ts";
import { inFile, readAt } from "../../disk/file_calls.ts";
import { openRegular } from "../../disk/open_regular.ts";

const MAX_BYTES = 1024 * 1024;

/** Returns the text of a file of at most 1 MiB, or undefined if it is missing, unreadable or larger. */
export function readSmallFile(path: string): string | undefined {
  return ifPossible(() => {
    const bytes = new Uint8Array(MAX_BYTES + 1);
    const byteCount = inFile(openRegular(path), (file) => readAt(file, bytes, 0));
    return byteCount > MAX_BYTES ? undefined : new TextDecoder().decode(bytes.subarray(0, byteCount));
  });
}
