/**
 * The pager, as git uses it: for answers longer than the screen, from `FDTOOL_PAGER`, `PAGER` or else less. The answer is
 * shown whether the pager can be started or not, and ends with it.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Environment } from "../../../fd/mod.ts";
import { utf8Text } from "../../../fd/system.ts";
import { findProgram, hasShell, SHELL } from "../../calls/streams/find_program.ts";
import { isDumb } from "../../calls/streams/terminal.ts";
import { NOT_EXECUTABLE, NOT_FOUND } from "../../calls/streams/verdict.ts";
import type { SoughtPatterns } from "../../calls/terms/command.ts";
import type { ScreenSize } from "../../calls/streams/screen_size.ts";
import { rowsOf } from "./char_width.ts";

/** less: end if it all fits on one screen, pass colours through, leave the text on the screen. */
const LESS_OPTIONS = "FRX";

/** The pager's command line; undefined for none. */
export function pagerOf(env: Environment): string | undefined {
  if (!hasShell()) return undefined;
  const wanted = env["FDTOOL_PAGER"] ?? env["PAGER"];
  if (wanted !== undefined) return wanted === "" || wanted === "cat" ? undefined : wanted;
  // On a dumb terminal less stops to say so.
  if (isDumb(env)) return undefined;
  return findProgram("less", undefined, env["PATH"]).kind === "program" ? "less" : undefined;
}

/**
 * Shows an answer, by `pager` if it is longer than the screen, else by `write`. `makeChunks` is called again for the
 * pager, and if that turns out to be missing. less opens it at `openAt`. Returns whether the reader still takes
 * output.
 */
export async function showPaged(
  makeChunks: () => Iterable<Uint8Array>,
  write: (chunks: Iterable<Uint8Array>) => boolean,
  { pager, size, env, openAt }: {
    pager: string;
    size: ScreenSize;
    env: Environment;
    openAt: OpenAt;
  },
): Promise<boolean> {
  const whole = fitting(makeChunks(), size);
  if (whole !== undefined) return write(whole);
  const options = `${env["LESS"] ?? LESS_OPTIONS}${openingOf(openAt)}`;
  return await feed(pager, makeChunks(), { ...env, LESS: options }) || write(makeChunks());
}

/** The place at which the pager opens: a line, or the first match of patterns, which `n` and `N` then find again. */
type OpenAt = number | SoughtPatterns | undefined;

function openingOf(openAt: OpenAt): string {
  if (openAt === undefined) return "";
  if (typeof openAt === "number") return ` +${openAt}g`;
  const { patterns, isFixed, ignoresCase } = openAt;
  const parts = patterns.map((pattern) => lessPattern(pattern, isFixed));
  if (parts.some((part) => part === undefined)) return "";
  // At the start, some chars are less's own.
  const sought = parts.join("|").replace(/^[!*@]/, "[$&]");
  return `${ignoresCase ? " -I" : ""} +/${sought}`;
}

/** Parts of a pattern that mean the same as or can be written in POSIX's syntax. */
const COMMON_PARTS = /\[\^?[^\][\\$]+\]|\\d|\\[.*+?(){}|/-]|(?!\(\?)[^\\$^[\]\p{Cc}]/gu;

/** A pattern as less reads it, without a char that is special in its variable; undefined if there is none. */
function lessPattern(pattern: string, isFixed: boolean): string | undefined {
  const written = isFixed ? pattern.replace(/[.*+?(){}|]/g, "\\$&") : pattern;
  const parts = written.match(COMMON_PARTS) ?? [];
  if (parts.join("") !== written) return undefined;
  const inSyntax = (part: string) =>
    part === "\\d" ? "[0-9]" : part.startsWith("\\") ? `[${part.slice(1)}]` : part;
  return parts.map(inSyntax).join("");
}

/** The chunks of an answer that fits on the screen; undefined for a longer one. */
function fitting(chunks: Iterable<Uint8Array>, { columns, rows }: ScreenSize): Uint8Array[] | undefined {
  const taken: Uint8Array[] = [];
  // The prompt of the shell needs a row too.
  let rowsLeft = rows - 1;
  let open = "";
  for (const chunk of chunks) {
    // Copied, because a source may reuse a chunk's memory for the next one.
    taken.push(new Uint8Array(chunk));
    const lines = (open + utf8Text(chunk)).split("\n");
    open = lines.pop()!;
    for (const line of lines) rowsLeft -= rowsOf(seen(line), columns);
    if (rowsLeft < 0 || rowsOf(seen(open), columns) > rowsLeft + 1) return undefined;
  }
  return taken;
}

/** A line without colours, and with tabs at their widest. */
function seen(line: string): string {
  // deno-lint-ignore no-control-regex
  return line.replace(/\x1b\[[\d;]*m/g, "").replaceAll("\t", "        ");
}

/** Runs the pager until it ends, and gives it `chunks`, as far as it takes them. Returns false if there is none. */
async function feed(pager: string, chunks: Iterable<Uint8Array>, env: Environment): Promise<boolean> {
  // An interrupt is for the pager, which shares the terminal; it must have put that right before the shell goes on.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    const own = { ...env, LV: env["LV"] ?? "-c" };
    const child = spawn(SHELL, ["-c", pager], { stdio: ["pipe", "inherit", "inherit"], env: own });
    const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const [fed, end] = await Promise.allSettled([write(child, chunks), ended]);
    if (fed.status === "rejected") throw fed.reason;
    if (end.status === "rejected") return false;
    const [code] = end.value;
    return code !== NOT_FOUND && code !== NOT_EXECUTABLE;
  } finally {
    process.off("SIGINT", ignore);
  }
}

/** Writes until the pager has all, or has gone. */
async function write({ stdin }: ChildProcess, chunks: Iterable<Uint8Array>): Promise<void> {
  if (stdin === null) return;
  let isGone = false;
  stdin.on("error", () => isGone = true);
  stdin.on("close", () => isGone = true);
  for (const chunk of chunks) {
    if (isGone) return;
    await new Promise<void>((resolve) => {
      stdin.once("close", resolve);
      stdin.write(chunk, () => {
        stdin.off("close", resolve);
        resolve();
      });
    });
  }
  stdin.end();
}
