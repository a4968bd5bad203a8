/** The screen that text is written for, and the words that every answer has. */

import type { CallWriter, Remarks } from "../terms/next_call.ts";
import { plainText } from "../terms/control_chars.ts";
import { groupedDigits } from "../answering/grouped_digits.ts";
import { messageText } from "../answering/next_command.ts";
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
