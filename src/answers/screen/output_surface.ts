/**
 * The surface that text is written on: a pipe or a file takes it byte for byte; a terminal takes colours, and no control
 * char except those that fdtool itself writes.
 */

import type { Environment } from "../../../fd/mod.ts";
import type { ColorChoice, Format } from "../../calls/arguments/global_options.ts";
import { coloredPaint, type Paint, PLAIN } from "../render/dress.ts";
import type { TextKind } from "../render/terminal_text.ts";
import { isDumb, isTerminal } from "../../calls/streams/terminal.ts";

/** A surface: how fdtool's own words are painted for it, and how bytes are changed on their way to it. */
interface OutputSurface {
  isTerminal: boolean;
  paint: Paint;
  /** The start of fdtool's own escape sequences; undefined without colours. */
  escape: string | undefined;
  shown(chunks: Iterable<Uint8Array>, kind: TextKind): Iterable<Uint8Array>;
}

/**
 * The choice that the environment makes for text, where the call makes none: `CLICOLOR_FORCE` and `FORCE_COLOR` count for
 * text only, so that what a program reads never changes by them.
 */
function forcedColor(env: Environment): ColorChoice | undefined {
  if (env["NO_COLOR"]) return undefined;
  const isOff = (value: string | undefined) => value === undefined || value === "" || value === "0";
  if (env["FORCE_COLOR"] === "0" || env["FORCE_COLOR"] === "false") return "never";
  return isOff(env["CLICOLOR_FORCE"]) && isOff(env["FORCE_COLOR"]) ? undefined : "always";
}

/** The start of a colour. */
const CSI = "\x1b[";

/**
 * The surface behind a descriptor. `auto` colours a terminal, unless `NO_COLOR` is set, `CLICOLOR` is 0 or the terminal is
 * `dumb` or has no name.
 */
export async function surfaceOf(
  { color, env, format }: { color?: ColorChoice | undefined; env: Environment; format?: Format | undefined },
  descriptor: number,
): Promise<OutputSurface> {
  const choice = color ?? (format === "text" ? forcedColor(env) : undefined);
  if (!await isTerminal(descriptor)) {
    const isColored = choice === "always";
    return {
      isTerminal: false,
      paint: isColored ? coloredPaint(CSI) : PLAIN,
      escape: isColored ? CSI : undefined,
      shown: (chunks) => chunks,
    };
  }
  const { visibleControls } = await import("../render/terminal_text.ts");
  const isPlain = choice !== "always" &&
    (choice === "never" || env["NO_COLOR"] || env["CLICOLOR"] === "0" || isDumb(env));
  if (isPlain) {
    const shown = (chunks: Iterable<Uint8Array>, kind: TextKind) => visibleControls(chunks, kind, undefined);
    return { isTerminal: true, paint: PLAIN, escape: undefined, shown };
  }
  // Nothing that was captured can hold it, so what begins with it is fdtool's own.
  const ownEscape = `\x1b${crypto.randomUUID()}:`;
  return {
    isTerminal: true,
    paint: coloredPaint(ownEscape),
    escape: ownEscape,
    shown: (chunks, kind) => visibleControls(chunks, kind, ownEscape),
  };
}
