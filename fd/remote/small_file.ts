import { inFile, readSome } from "../disk/file_calls.ts";
import { FdError } from "../disk/errors.ts";
import { openRegular } from "../disk/open_regular.ts";

const MAX_BYTES = 1024 * 1024;

/** Returns the text of a file of at most 1 MiB, or undefined if it is missing, unreadable or larger. */
export function readSmallFile(path: string): string | undefined {
  try {
    return inFile(openRegular(path), (file) => {
      let bytes = new Uint8Array(16 * 1024);
      let byteCount = 0;
      for (;;) {
        const taken = readSome(file, bytes.subarray(byteCount), bytes.length - byteCount, path);
        if (taken === 0) return new TextDecoder().decode(bytes.subarray(0, byteCount));
        byteCount += taken;
        if (byteCount < bytes.length) continue;
        if (byteCount >= MAX_BYTES) return undefined;
        const larger = new Uint8Array(bytes.length * 4);
        larger.set(bytes);
        bytes = larger;
      }
    });
  } catch (thrown) {
    if (thrown instanceof FdError) return undefined;
    throw thrown;
  }
}
