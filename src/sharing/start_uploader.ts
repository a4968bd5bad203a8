/**
 * Starts the process that shares an fd, also while it is still written and after its caller has ended.
 */

import { ownCall } from "../capturing/background/own_program.ts";
import type { Host } from "../calls/terms/command.ts";

/**
 * Starts `upload` for one note, or for all if none is given. See `upload` for `stableBytes`. The process says `claimed ID` and
 * `shared ID`, a line each.
 */
export function startUploader(url: string, { cwd, env }: Host, note?: string, stableBytes = 0) {
  const which = note === undefined ? [] : ["--stable", String(stableBytes), note];
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { path, args, options } = ownCall(["upload", ...which], { cwd, env, storeOption: url });
  const child = spawn(path, args, {
    ...options,
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
    windowsHide: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  const ids = new Map<string, (id: number | undefined) => void>();
  const said = (word: string) => new Promise<number | undefined>((resolve) => ids.set(word, resolve));
  const claimed = said("claimed");
  const done = said("shared");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
    for (const [, word, id] of text.matchAll(/^(\w+) (\d+)$/gm)) ids.get(word!)?.(Number(id));
  });
  void ended.then(() => ids.forEach((resolve) => resolve(undefined)));
  return {
    claimed,
    done,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
    leave() {
      child.stdout.destroy();
      child.unref();
    },
  };
}
