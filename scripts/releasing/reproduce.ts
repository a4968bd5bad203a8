/**
 * Builds in two directories, with different environments, and compares. To verify a release, rebuild it: the bytes are
 * the same.
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

/** Differences between the two builds. A path's length, not only its text, could end up in a binary. */
const CIRCUMSTANCES = [
  { directory: "a", umask: 0o022, env: { TZ: "UTC", LC_ALL: "C", HOME: "/nonexistent" } },
  {
    directory: "another place/with a longer path",
    umask: 0o077,
    env: { TZ: "Asia/Kathmandu", LC_ALL: "C.UTF-8", HOME: "/" },
  },
] as const;

/** The bytes that both builds for `target` came to. Throws {@link BuildFailure} when they differ. */
export function reproducedBinary(checkout: string, target: string): Buffer {
  mkdirSync(join(checkout, "dist"), { recursive: true });
  const work = mkdtempSync(join(checkout, "dist", ".reproduce-"));
  try {
    const [one, other] = CIRCUMSTANCES.map(({ directory, umask, env }) => {
      const copy = join(work, directory);
      mkdirSync(copy, { recursive: true });
      for (const name of SOURCES) linkTree(join(checkout, name), join(copy, name));
      return builtIn(copy, target, umask, { PATH: process.env["PATH"], ...env });
    }) as [Buffer, Buffer];
    if (!one.equals(other)) {
      const from = one.findIndex((byte, at) => byte !== other[at]);
      throw new BuildFailure(
        `two builds for ${target} differ: ${one.length} and ${other.length} bytes, from byte ${from} on.`,
      );
    }
    return one;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function builtIn(copy: string, target: string, umask: number, env: NodeJS.ProcessEnv): Buffer {
  const outfile = join(copy, "out", "fdtool");
  const before = process.umask(umask);
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        "--no-env-file",
        "--config=/dev/null",
        "run",
        "scripts/build.ts",
        "--target",
        target,
        "--outfile",
        outfile,
      ],
      { cwd: copy, env, encoding: "utf8" },
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
