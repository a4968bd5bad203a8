/**
 * Waits for files that another process holds. On Windows a file cannot be replaced or deleted while anything has it open,
 * such as a virus scanner that looks at what was just written.
 */

import { systemCode } from "./errors.ts";
import { pause } from "./pause.ts";

/** The codes by which Windows refuses it; lasting refusals have the same. */
const HELD: readonly (string | undefined)[] = ["EPERM", "EACCES", "EBUSY"];

/** The last of the pauses, which double: half a second in all. */
const LONGEST_PAUSE_MS = 256;

/** Returns `call`, repeated while it fails because the file is held. */
export function patient<Args extends unknown[]>(
  call: (...args: Args) => void,
  wait: (waitMs: number) => void = pause,
): (...args: Args) => void {
  return (...args) => {
    for (let pauseMs = 1;; pauseMs *= 2) {
      try {
        call(...args);
        return;
      } catch (thrown) {
        if (pauseMs > LONGEST_PAUSE_MS || !HELD.includes(systemCode(thrown))) throw thrown;
        wait(pauseMs);
      }
    }
  };
}
