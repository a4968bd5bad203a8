/** The screen that text is written for, and the words and facts that several answers have. */

import { counted, groupedDigits } from "../parts/grouped_digits.ts";
import { durationText } from "../parts/moment_text.ts";
import { messageText } from "../parts/next_command.ts";
import type { FramedAnswer, Missing } from "../../calls/terms/answers.ts";
import { plainText } from "../../calls/terms/control_chars.ts";
import type { CallWriter, Remarks } from "../../calls/terms/next_call.ts";
import type { Ink } from "./ink.ts";

export interface Screen {
  ink: Ink;
  /** Infinity for a file or pipe: tables are not cut. */
  columns: number;
  nowMs: number;
  /** The caller's directory, from which paths are shortened. */
  cwd?: string | undefined;
  writeCall: CallWriter;
  makeBoundary(): string;
  /** Whether each line of fdtool's own around content has the boundary, so that a program can separate the two. */
  isMarked?: boolean | undefined;
}

/** Each type of answer and its text. */
export type Texts = {
  readonly [Type in FramedAnswer["type"]]?: (
    answer: Extract<FramedAnswer, { type: Type }>,
    screen: Screen,
  ) => string | Iterable<Uint8Array>;
};

/** Separates the facts of a heading. */
const DOT = " · ";

/** The facts that there are, in one line. */
export function facts(all: readonly (string | undefined)[]): string {
  return all.filter((fact) => fact !== undefined && fact !== "").join(DOT);
}

/** The message and the next command, a line each, after `mark`. */
export function remarkLines({ message, next }: Remarks, screen: Screen, mark = ""): string {
  const { ink, writeCall } = screen;
  const said = message === undefined ? "" : `${mark}${plainText(messageText(message, writeCall))}\n`;
  const call = next && writeCall(next);
  return call === undefined ? said : `${said}${mark}${ink.dim("next:")} ${ink.next(plainText(call))}\n`;
}

/** ` and 1,170 more`; empty for none. */
export function andMore(more: number | undefined): string {
  return more === undefined ? "" : ` and ${groupedDigits(more)} more`;
}

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
