/**
 * Installs a harness from npm into a cache outside the checkout: FDTOOL_LIVE_CACHE, else fdtool/live in the user's
 * cache. A folder there contains one set of exact versions, and is complete or missing.
 */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { LiveHarness } from "./live_harness.ts";

/** The paths of the programs, or the reason why they are missing. */
export type InstalledHarness = { kind: "installed"; programs: string } | { kind: "missing"; why: string };

export function cacheDirectory(): string {
  const own = Deno.env.get("FDTOOL_LIVE_CACHE");
  if (own !== undefined && own !== "") return own;
  const caches = Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache");
  return join(caches, "fdtool", "live");
}

/** The version of the harness, as its package has it. */
export function versionOf({ packages: [first] }: LiveHarness): string {
  return first.slice(first.lastIndexOf("@") + 1);
}

/** Installs the packages that are not in the cache yet. */
export function installHarness(harness: LiveHarness): InstalledHarness {
  const cache = cacheDirectory();
  const folder = join(cache, `${harness.name}-${versionOf(harness)}`);
  const programs = join(folder, "node_modules", ".bin");
  // Written last.
  const mark = join(folder, "packages");
  const wanted = harness.packages.join("\n");
  if (existsSync(mark) && Deno.readTextFileSync(mark) === wanted) return { kind: "installed", programs };
  const unfinished = `${folder}.${Deno.pid}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, "package.json"), '{"private":true}\n');
    const why = runNpm(harness, unfinished, cache);
    if (why !== undefined) return { kind: "missing", why };
    writeFileSync(join(unfinished, "packages"), wanted);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return { kind: "installed", programs };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Why it failed, if it did. */
function runNpm({ packages, afterNpm = [] }: LiveHarness, folder: string, cache: string): string | undefined {
  const home = join(cache, "npm-home");
  mkdirSync(home, { recursive: true });
  const env = {
    HOME: home,
    npm_config_cache: join(cache, "npm-cache"),
    npm_config_loglevel: "error",
    npm_config_fetch_retries: "1",
  };
  const install = ["npm", "install", "--no-audit", "--no-fund", "--save-exact", ...packages];
  const steps = [
    { cwd: folder, words: install },
    ...afterNpm.map(({ folder: inner, words }) => ({ cwd: join(folder, "node_modules", inner), words })),
  ];
  for (const { cwd, words: [program = "", ...args] } of steps) {
    try {
      const { success, stderr } = new Deno.Command(program, { args, cwd, env, stdin: "null", stdout: "null" })
        .outputSync();
      if (success) continue;
      const [first = "it failed"] = new TextDecoder().decode(stderr).trim().split("\n");
      return `${program} ${args[0]}: ${first}`;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
      return `${program} was not found`;
    }
  }
  return undefined;
}

/** The folder of the Node that harnesses written for it run on. */
export function nodeDirectory(): string | undefined {
  try {
    const { success, stdout } = new Deno.Command("node", { args: ["-p", "process.execPath"], stderr: "null" })
      .outputSync();
    return success ? dirname(new TextDecoder().decode(stdout).trim()) : undefined;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return undefined;
  }
}
