import type { Environment } from "../../fd/mod.ts";
import { columnsOf, screenSize } from "./screen_size.ts";
import { mayBeTerminal } from "./terminal.ts";

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
