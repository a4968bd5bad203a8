/** The size of the caller's screen. */

import { atEnd, closeReader, ifPossible } from "../../../fd/system.ts";
import { openSync } from "node:fs";
import { WriteStream } from "node:tty";
import type { Environment } from "../../../fd/mod.ts";
import { mayBeTerminal } from "./terminal.ts";

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** The size of a terminal that does not state its own. */
const USUAL: ScreenSize = { columns: 80, rows: 24 };

/** The range of plausible widths. */
const MIN_COLUMNS = 20;
const MAX_COLUMNS = 10_000;

/** The size of the terminal that controls this process; `COLUMNS` and `LINES` go before. */
export function screenSize(env: Environment): ScreenSize {
  const size = terminalSize();
  return { columns: columnsOf(env) ?? size.columns, rows: numberOf(env["LINES"]) ?? size.rows };
}

/** The width that `COLUMNS` states, for files and pipes too. */
export function columnsOf(env: Environment): number | undefined {
  const columns = numberOf(env["COLUMNS"]);
  return columns === undefined || columns > MAX_COLUMNS ? undefined : Math.max(MIN_COLUMNS, columns);
}

function numberOf(written: string | undefined): number | undefined {
  return written !== undefined && /^[1-9]\d{0,5}$/.test(written) ? Number(written) : undefined;
}

/** Reopens `/dev/tty`: a stream on stdout would make stdout non-blocking for every process that shares it. */
function terminalSize(): ScreenSize {
  const descriptor = ifPossible(() => openSync("/dev/tty", "r"), Error);
  if (descriptor === undefined) return USUAL;
  using _terminal = atEnd(() => closeReader(descriptor));
  const [columns, rows] = ifPossible(() => new WriteStream(descriptor).getWindowSize(), Error) ?? [0, 0];
  return {
    columns: columns > 0 ? Math.max(MIN_COLUMNS, columns) : USUAL.columns,
    rows: rows > 0 ? rows : USUAL.rows,
  };
}

/** Running text in shorter or longer lines is hard to read, whatever the screen has. */
const MIN_WIDTH = 40;
const MAX_WIDTH = 120;

/** In a pipe or a file, which have no width. */
const UNSHOWN_WIDTH = 100;

/** How many chars a line of running text may have on `descriptor`. */
export function textWidth(env: Environment, descriptor: number): number {
  const width = columnsOf(env) ?? (mayBeTerminal(descriptor) ? screenSize(env).columns : UNSHOWN_WIDTH);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width));
}
