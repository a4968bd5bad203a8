/**
 * Lists the npm packages in a binary from the compiler's metafile. The lock file also lists test dependencies and unused
 * parts of libraries.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LockedPackage, lockedPackage } from "../fetch_runtime.ts";

/** A package whose code is in the binary. */
export interface BundledPackage extends LockedPackage {
  name: string;
  /** The text of its license file. */
  licenseText: string;
}

/** The used fields of the bundler's `--metafile`. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** The packages in the binary that `metafilePath` describes, by name. */
export function bundledPackages(checkout: string, metafilePath: string): BundledPackage[] {
  const { outputs }: Metafile = JSON.parse(readFileSync(metafilePath, "utf8"));
  const names = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = packageOfFile(path);
      if (name !== undefined && bytesInOutput > 0) names.add(name);
    }
  }
  return [...names].sort().map((name) => {
    const { version, integrity, license } = lockedPackage(checkout, name);
    return { name, version, license, licenseText: licenseText(checkout, name), integrity };
  });
}

/** The package that a bundled file is of: `node_modules/@a/b/c.js` is of `@a/b`. Undefined for a file of fdtool's own. */
function packageOfFile(path: string): string | undefined {
  const [, inPackages] = path.split("node_modules/", 2);
  if (inPackages === undefined) return undefined;
  if (path.lastIndexOf("node_modules/") !== path.indexOf("node_modules/")) {
    throw new Error(`${path} is of a package inside another: such versions are not distinguished here`);
  }
  return inPackages.split("/").slice(0, inPackages.startsWith("@") ? 2 : 1).join("/");
}

function licenseText(checkout: string, name: string): string {
  for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE"]) {
    const path = join(checkout, "node_modules", name, file);
    if (existsSync(path)) return readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim();
  }
  throw new Error(`${name} has no license file; what it asks for must be known before it is published`);
}
