/** Shows a command's output to a person while it arrives. */

import { Buffer } from "node:buffer";
import type { Environment } from "../../fd/mod.ts";
import { startLiveView } from "../../fd/system.ts";
import { STDERR, STDOUT } from "../calls/streams/standard_streams.ts";
import { isDumb, isTerminal } from "../calls/streams/terminal.ts";
import { forwardTo } from "./forward_output.ts";

/** The start of fdtool's own lines beside content (`src/answers/screen/framed_body.ts`). */
const MARK = Buffer.from("──");
const LINE_END = Buffer.from("\n");

/**
 * Shows what is forwarded: in the live view on a terminal, exactly on anything else or if `isExact`, as of a program
 * that fills the screen.
 */
export async function showLive(stream: "stdout" | "stderr", env: Environment, isExact: boolean) {
  const target = forwardTo(stream);
  const isShown = !isExact && await isTerminal(stream === "stdout" ? STDOUT : STDERR);
  const view = isShown ? startLiveView(!isDumb(env)) : undefined;
  let hasMark = false;
  let tail = Buffer.alloc(0);
  // The terminal shows `^C` where the cursor is.
  let isAfterEcho = false;
  const onInterrupt = () => void (isAfterEcho = isShown);
  process.on("SIGINT", onInterrupt);
  return {
    failures: target.failures,
    forward(bytes: Uint8Array): boolean {
      isAfterEcho = false;
      const joined = Buffer.concat([tail, bytes]);
      hasMark ||= joined.includes(MARK);
      tail = Buffer.from(joined.subarray(Math.max(0, joined.length - MARK.length + 1)));
      return target.forward(view === undefined ? bytes : view.take(bytes));
    },
    /** Shows the rest, and ends the last line. */
    end(): void {
      process.off("SIGINT", onInterrupt);
      const rest = view?.end() ?? new Uint8Array();
      if (rest.length > 0) target.forward(rest);
      if (isAfterEcho && rest.at(-1) !== LINE_END[0]) target.forward(LINE_END);
    },
    /** Whether the output had what begins the closing line: another line could pass for it. */
    hasMark: (): boolean => hasMark,
  };
}
