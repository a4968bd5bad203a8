/**
 * Makes the npm packages of a release: `fdtool`, which contains a launcher, and one package per system with its binary.
 * npm installs only the one that fits (`os`, `cpu`, `libc`), without an install script.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildTarget } from "../build_target.ts";
import { writeManPages } from "./man_pages.ts";
import { pageFields, readOwnPackage } from "./own_package.ts";
import { setPublishedModes } from "./published_modes.ts";

/** The published package of one system. */
export interface SystemBinary {
  target: BuildTarget;
  /** The binary's path. */
  binary: string;
}

/** The output directory, and the files that all packages contain. */
export interface PackageSources {
  checkout: string;
  /** The text of THIRD-PARTY-NOTICES.txt. */
  notices: string;
  /** By file name; npm installs them with a global package. */
  manPages: ReadonlyMap<string, string>;
  /** A directory for the packages' directories. */
  work: string;
}

/** Writes the directory of a system's package; answers its path. */
export function writeSystemPackage({ target, binary }: SystemBinary, sources: PackageSources): string {
  const file = binaryName(target);
  const [platform = "", cpu = "", libc] = target.name.split("-");
  return writePackage(sources, {
    name: packageName(target),
    os: [platform === "windows" ? "win32" : platform],
    cpu: [cpu],
    // npm skips a package for another C library.
    ...(platform === "linux" ? { libc: [libc ?? "glibc"] } : {}),
    files: ["bin", "THIRD-PARTY-NOTICES.txt"],
    // Package managers that keep packages zipped could not start a binary inside one.
    preferUnplugged: true,
  }, (directory) => {
    mkdirSync(join(directory, "bin"));
    copyFileSync(binary, join(directory, "bin", file));
    chmodSync(join(directory, "bin", file), 0o755);
    writeFileSync(
      join(directory, "README.md"),
      `# ${
        packageName(target)
      }\n\nThe binary of the npm package \`fdtool\` for ${target.name}: \`bin/${file}\`. ` +
        "Install `fdtool`, which brings the package that fits.\n",
    );
  });
}

/** Writes the directory of the package that brings the others; answers its path. */
export function writeLauncherPackage(targets: readonly BuildTarget[], sources: PackageSources): string {
  const { version, keywords } = readOwnPackage(sources.checkout);
  return writePackage(sources, {
    name: "fdtool",
    keywords,
    bin: { fdtool: "bin/fdtool.cjs" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(targets.map((target) => [packageName(target), version])),
    man: [...sources.manPages.keys()].map((name) => `man/${name}`),
    files: ["bin", "man", "THIRD-PARTY-NOTICES.txt"],
  }, (directory) => {
    writeManPages(sources.manPages, join(directory, "man"));
    mkdirSync(join(directory, "bin"));
    copyFileSync(
      join(sources.checkout, "scripts", "releasing", "launcher.cjs"),
      join(directory, "bin", "fdtool.cjs"),
    );
    chmodSync(join(directory, "bin", "fdtool.cjs"), 0o755);
    copyFileSync(
      join(sources.checkout, "scripts", "releasing", "npm_readme.md"),
      join(directory, "README.md"),
    );
  });
}

/** Packs a package's directory into `destination` as npm would publish it; answers the tarball's path. */
export function packPackage(directory: string, destination: string): string {
  mkdirSync(destination, { recursive: true });
  setPublishedModes(directory);
  const said = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", destination],
    { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  const packed: { filename: string }[] = JSON.parse(said);
  if (packed[0] === undefined) throw new Error(`npm packed nothing in ${directory}: ${said}`);
  return join(destination, packed[0].filename);
}

/** How a target's package is called in npm. */
export function packageName(target: BuildTarget): string {
  return `@fdtool/${target.name}`;
}

/** How the binary is called in its package. */
export function binaryName(target: BuildTarget): string {
  return target.name.startsWith("windows") ? "fdtool.exe" : "fdtool";
}

/** Writes a package's directory: its own `fields`, those of every package, and what `fill` puts there. */
export function writePackage(
  { checkout, notices, work }: Pick<PackageSources, "checkout" | "notices" | "work">,
  fields: { name: string } & Record<string, unknown>,
  fill: (directory: string) => void,
): string {
  const own = readOwnPackage(checkout);
  const { version, description, license } = own;
  const { name, ...others } = fields;
  const directory = join(work, name);
  mkdirSync(directory, { recursive: true });
  fill(directory);
  copyFileSync(join(checkout, "LICENSE"), join(directory, "LICENSE"));
  writeFileSync(join(directory, "THIRD-PARTY-NOTICES.txt"), notices);
  const manifest = {
    name,
    version,
    description,
    license,
    ...pageFields(own),
    ...others,
    publishConfig: { access: "public" },
  };
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return directory;
}
