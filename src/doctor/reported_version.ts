import { spawnSync } from "node:child_process";
import type { Host } from "../terms/command.ts";

const MAX_MS = 20_000;

/** Returns the version that a program prints, or undefined if it prints nothing like a version. */
export function reportedVersion(path: string, { cwd, env }: Pick<Host, "cwd" | "env">): string | undefined {
  const { stdout } = spawnSync(path, ["--version"], {
    cwd,
    env: { ...env },
    encoding: "utf8",
    timeout: MAX_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return /\d+(?:\.\d+)+[-+.\w]*/.exec(stdout ?? "")?.[0];
}
