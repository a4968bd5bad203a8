/**
 * One line on stderr that says how far long work is, rewritten in place. A person at a terminal sees it; pipes, files,
 * agents and terminals that cannot rewrite a line never do.
 */

import type { Environment } from "../../../fd/mod.ts";
import { ifPossible, utf8Bytes } from "../../../fd/system.ts";
import { screenSize } from "../../calls/streams/screen_size.ts";
import { STDERR, writeChunks } from "../../calls/streams/standard_streams.ts";
import { isDumb, isTerminal } from "../../calls/streams/terminal.ts";
import { isAgents } from "./terminal_format.ts";

/** When the work started (in `performance.now` time; default: now), and how long it takes before a line is shown. */
interface ProgressTimes {
  startedAt?: number | undefined;
  firstAfterMs?: number | undefined;
}

const SHOW_EVERY_MS = 200;
/** Work that ends sooner needs no progress. */
const FIRST_AFTER_MS = 1000;

export async function progressLine(env: Environment, times: ProgressTimes = {}) {
  const { startedAt = performance.now(), firstAfterMs = FIRST_AFTER_MS } = times;
  let isWatched = !isDumb(env) && !isAgents(env) && await isTerminal(STDERR);
  let columns: number | undefined;
  /** How much of the line the last text took. */
  let shownColumns = 0;
  let dueAt = startedAt + firstAfterMs;

  const write = (text: string): void => {
    // The work goes on without its terminal.
    isWatched &&= ifPossible(() => writeChunks(STDERR, [utf8Bytes(text)])) ?? false;
  };
  return {
    /** Whether a line may be shown. Once false, it stays so. */
    isWatched: () => isWatched,
    /** Whether a line is to be shown now. */
    isDue: () => isWatched && performance.now() >= dueAt,
    /** Shows `text`, which is ASCII, in place of the last one, as far as the screen is wide. */
    show(text: string): void {
      if (!isWatched) return;
      columns ??= screenSize(env).columns;
      dueAt = performance.now() + SHOW_EVERY_MS;
      // After a char in the last column, some terminals go on in the next line.
      const fitting = text.slice(0, columns - 1);
      // Covered with spaces: an escape sequence would be one under NO_COLOR, too.
      write(`\r${fitting.padEnd(shownColumns)}`);
      shownColumns = fitting.length;
    },
    /** Wipes the line and shows no other. */
    end(): void {
      if (shownColumns > 0) write(`\r${" ".repeat(shownColumns)}\r`);
      shownColumns = 0;
      isWatched = false;
    },
  };
}
