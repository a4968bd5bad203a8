import { spawnSync } from "node:child_process";
import type { Host } from "../terms/command.ts";

const MOST_MS = 20_000;

/** What a program says of its version; undefined if it says nothing that looks like one. */
export function toldVersion(path: string, { cwd, env }: Pick<Host, "cwd" | "env">): string | undefined {
  const { stdout } = spawnSync(path, ["--version"], {
    cwd,
    env: { ...env },
    encoding: "utf8",
    timeout: MOST_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return /\d+(?:\.\d+)+[-+.\w]*/.exec(stdout ?? "")?.[0];
}
