/**
 * Fetches another system's runtime from npm, at the version and with the checksum that package-lock.json pins.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A message for the user, printed without a stack trace. */
export class BuildFailure extends Error {}

/** The used fields of a package in package-lock.json. */
export interface LockedPackage {
  version: string;
  /** The checksum of its tarball, such as `sha512-…` in base64. */
  integrity: string;
  /** An SPDX expression. */
  license: string;
}

/**
 * Returns the path of the runtime of `runtimePackage`: installed, fetched earlier, or fetched now. Throws
 * {@link BuildFailure} if it is not pinned, cannot be fetched or has a different checksum.
 */
export function fetchRuntime(checkout: string, runtimePackage: string): string {
  const file = runtimePackage.includes("windows") ? "bun.exe" : "bun";
  const installed = join(checkout, "node_modules", runtimePackage, "bin", file);
  if (existsSync(installed)) return installed;

  const { version, integrity } = lockedPackage(checkout, runtimePackage);
  const cache = join(checkout, "node_modules", ".cache", "fdtool");
  const kept = join(cache, `${runtimePackage.slice("@oven/".length)}-${version}`);
  if (existsSync(join(kept, "bin", file))) return join(kept, "bin", file);

  console.error(`fdtool: fetching ${runtimePackage} ${version} from npm …`);
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "fetch-"));
  try {
    const tarball = pack(work, `${runtimePackage}@${version}`);
    const [algorithm = "", wanted] = integrity.split("-");
    const got = createHash(algorithm).update(readFileSync(tarball)).digest("base64");
    if (got !== wanted) {
      throw new BuildFailure(`${runtimePackage} ${version} from npm is not what package-lock.json pins.`);
    }
    execFileSync("tar", ["-xzf", tarball, "-C", work]);
    rmSync(kept, { recursive: true, force: true });
    renameSync(join(work, "package"), kept);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(kept, "bin", file);
}

/** Returns the entry of `name` in package-lock.json. Throws {@link BuildFailure} if there is none. */
export function lockedPackage(checkout: string, name: string): LockedPackage {
  const lock: { packages: Record<string, LockedPackage | undefined> } = JSON.parse(
    readFileSync(join(checkout, "package-lock.json"), "utf8"),
  );
  const locked = lock.packages[`node_modules/${name}`];
  if (locked === undefined) throw new BuildFailure(`package-lock.json pins no ${name}.`);
  return locked;
}

/** Downloads a package as npm would install it; answers the tarball's path. */
function pack(directory: string, spec: string): string {
  try {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", directory, spec], {
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch {
    throw new BuildFailure(`${spec} cannot be fetched from npm: is the registry reachable?`);
  }
  const tarball = readdirSync(directory).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new BuildFailure(`npm fetched no package for ${spec}.`);
  return join(directory, tarball);
}
