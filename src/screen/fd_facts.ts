/** The facts of an fd that headings and tables share. */

import { counted, groupedDigits } from "../answering/grouped_digits.ts";
import { plainText } from "../terms/control_chars.ts";
import type { Missing } from "../terms/answers.ts";
import { durationText } from "../answering/moment_text.ts";
import { type Screen } from "./screen.ts";

/** The end of a command: `exit 1`, `SIGTERM`; undefined if it has none. */
export function endText(
  { exit_code: code, signal }: { exit_code?: number | undefined; signal?: string | undefined },
  { ink }: Screen,
): string | undefined {
  if (signal !== undefined) return ink.bad(plainText(signal));
  if (code === undefined) return undefined;
  return code === 0 ? "exit 0" : ink.bad(`exit ${code}`);
}

/** Facts of content that is incomplete or not sealed. */
export function missingFacts(
  { state, dropped_bytes: dropped, gap_at_byte: at }: Omit<Missing, "state"> & { state?: string | undefined },
  { ink }: Screen,
): (string | undefined)[] {
  return [
    state === "live"
      ? ink.live("live")
      : state === undefined || state === "sealed"
      ? undefined
      : ink.bad(plainText(state)),
    dropped === undefined
      ? undefined
      : ink.bad(`${counted(dropped, "byte", groupedDigits)} dropped after byte ${groupedDigits(at ?? 0)}`),
  ];
}

/** How long the command ran. */
export function ranText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : durationText(ms);
}

/** Chars that the clean view left out. */
export function cleanedFact(chars: number | undefined): string | undefined {
  return chars === undefined ? undefined : `${counted(chars, "control char", groupedDigits)} left out`;
}
