/**
 * Opens the page in the browser. The address has the token in it, and other users can see the arguments of a process, so
 * the browser is given a private file that leads to the address.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignoredSignals } from "../streams/signals.ts";

/** The program of each system that opens a file with what the user chose for it. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["explorer"],
};

/**
 * Opens `url`. Returns the function that removes the private file, once the browser has read it; a signal that ends this
 * process before removes it, too.
 */
export function openBrowser(url: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), "fdtool-ui-"));
  const file = join(folder, "open.html");
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<meta http-equiv="refresh" content="0;url=${url}"><title>fdtool</title><a href="${url}">fdtool</a>\n`;
  writeFileSync(file, page, { mode: 0o600, flag: "wx" });
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, file], { stdio: "ignore", detached: true });
  // Without a browser the printed address still works.
  child.on("error", () => {});
  child.unref();
  const ignored = ignoredSignals();
  const ending = (["SIGINT", "SIGTERM", "SIGHUP"] as const).filter((signal) => !ignored.has(signal));
  const remove = () => {
    for (const signal of ending) process.off(signal, end);
    rmSync(folder, { recursive: true, force: true });
  };
  const end = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of ending) process.on(signal, end);
  return remove;
}
