/**
 * The `--timeout` of commands that wait for others (as of `run`: contract, Capturing): until when they do.
 */

import type { OptionValue } from "../terms/command.ts";
import { durationOf } from "../requests/duration.ts";

/** When the limit `written` ends, as `performance.now` counts; undefined if there is no limit. */
export function deadlineOf(command: string, written: OptionValue | undefined): number | undefined {
  if (typeof written !== "string") return undefined;
  return performance.now() + durationOf(command, "--timeout", written);
}
