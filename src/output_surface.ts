/**
 * The surface that text is written on: a pipe or a file takes it byte for byte; a terminal takes colours, and no control
 * char except those that fdtool itself writes.
 *
 * @module
 */

import type { Environment } from "../fd/mod.ts";
import type { ColorChoice } from "./arguments/global_options.ts";
import { COLORED, coloredPaint, type Paint, PLAIN } from "./render/paint.ts";
import type { TextKind } from "./render/terminal_text.ts";
import { isTerminal, mayBeTerminal } from "./streams/terminal.ts";

/** A surface: how fdtool's own words are painted for it, and how bytes are changed on their way to it. */
export interface OutputSurface {
  paint: Paint;
  shown(chunks: Iterable<Uint8Array>, kind: TextKind): Iterable<Uint8Array>;
}

/** Whether {@link surfaceOf} has to be called: a file or a pipe gets colours only on request. */
export function mayDiffer(choice: ColorChoice | undefined, descriptor: number): boolean {
  return choice === "always" || mayBeTerminal(descriptor);
}

/** The surface behind a descriptor. `auto` colours a terminal, unless `NO_COLOR` is set or the terminal is `dumb`. */
export async function surfaceOf(
  choice: ColorChoice | undefined,
  env: Environment,
  descriptor: number,
): Promise<OutputSurface> {
  if (!await isTerminal(descriptor)) {
    return { paint: choice === "always" ? COLORED : PLAIN, shown: (chunks) => chunks };
  }
  const { visibleControls } = await import("./render/terminal_text.ts");
  const isPlain = choice !== "always" && (choice === "never" || env["NO_COLOR"] || env["TERM"] === "dumb");
  if (isPlain) return { paint: PLAIN, shown: (chunks, kind) => visibleControls(chunks, kind, undefined) };
  // Nothing that was captured can hold it, so what begins with it is fdtool's own.
  const ownEscape = `\x1b${crypto.randomUUID()}:`;
  return {
    paint: coloredPaint(ownEscape),
    shown: (chunks, kind) => visibleControls(chunks, kind, ownEscape),
  };
}
