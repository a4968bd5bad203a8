/**
 * Collects the license texts of everything in a binary, since those licenses require that their texts travel with it.
 */

import type { BundledPackage } from "./bundled_packages.ts";

/** The text of THIRD-PARTY-NOTICES.txt: the runtime, then each package with its license. */
export function noticesText(packages: readonly BundledPackage[], runtimeVersion: string): string {
  const parts = packages.map(({ name, version, license, licenseText }) =>
    `${name} ${version} (${license})\n\n${licenseText}\n`
  );
  return [
    `fdtool's binaries contain these works of others, under their own licenses.\n`,
    `Bun ${runtimeVersion} (MIT), the runtime\n
It statically links JavaScriptCore and other parts of WebKit (LGPL-2), tinycc (LGPL-2.1) and further libraries. Bun's
license file lists them all, says where their sources are, and how to link Bun anew with changed ones:
https://github.com/oven-sh/bun/blob/bun-v${runtimeVersion}/LICENSE.md
fdtool's build changes single bytes of it, so that it finds no variables of its own in the environment;
scripts/hardened_runtime.ts in fdtool's sources lists them. scripts/build compiles the same program onto another Bun.\n`,
    ...parts,
  ].join(`\n${"-".repeat(100)}\n\n`);
}
