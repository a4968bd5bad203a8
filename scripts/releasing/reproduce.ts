/**
 * Builds in another directory, with another environment, and compares. To verify a release, rebuild it: the bytes are the
 * same.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { BuildFailure } from "../fetch_runtime.ts";

/** Files that a build reads. */
const SOURCES = ["main.ts", "fd", "src", "scripts", "package.json", "package-lock.json", "node_modules"];

/** Packages in node_modules that a build does not read. */
const LEFT_OUT = new Set([".bin", "@deno", "deno"]);

/** A path's length, not only its text, could end up in a binary. */
const DIRECTORY = "another place/with a longer path";
const UMASK = 0o077;
const ENVIRONMENT = { TZ: "Asia/Kathmandu", LC_ALL: "C", HOME: "/nonexistent" };

/** Builds for `target` elsewhere. Throws {@link BuildFailure} if that gives other bytes than `binary`. */
export function assertReproduced(checkout: string, target: string, binary: Uint8Array): void {
  const work = mkdtempSync(join(checkout, "dist", ".reproduce-"));
  try {
    const copy = join(work, DIRECTORY);
    mkdirSync(copy, { recursive: true });
    for (const name of SOURCES) linkTree(join(checkout, name), join(copy, name));
    const other = builtIn(copy, target);
    if (!other.equals(binary)) {
      const from = other.findIndex((byte, at) => byte !== binary[at]);
      throw new BuildFailure(
        `two builds for ${target} differ: ${binary.length} and ${other.length} bytes, from byte ${from} on.`,
      );
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function builtIn(copy: string, target: string): Buffer {
  const outfile = join(copy, "out", "fdtool");
  const words = ["--no-env-file", "--config=/dev/null", "run", "scripts/build.ts"];
  const before = process.umask(UMASK);
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      [...words, "--target", target, "--outfile", outfile],
      { cwd: copy, env: { PATH: process.env["PATH"], ...ENVIRONMENT }, encoding: "utf8" },
    );
    if (status !== 0) throw new BuildFailure(`building in ${copy} failed:\n${stderr}`);
  } finally {
    process.umask(before);
  }
  return readFileSync(outfile);
}

/** Makes `to` the same tree of files as `from`, of the same bytes on disk where both are on one file system. */
function linkTree(from: string, to: string): void {
  let entries;
  try {
    entries = readdirSync(from, { withFileTypes: true });
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOTDIR")) throw thrown;
    linkOrCopy(from, to);
    return;
  }
  mkdirSync(to, { recursive: true });
  for (const entry of entries) {
    if (LEFT_OUT.has(entry.name) && dirname(join(from, entry.name)).endsWith("node_modules")) continue;
    linkTree(join(from, entry.name), join(to, entry.name));
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EXDEV")) throw thrown;
    copyFileSync(from, to);
  }
}
