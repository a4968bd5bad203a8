/**
 * Makes the files of a release in dist/release. Run by `scripts/release`, which finds the runtimes first.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { parseOptions } from "./parse_options.ts";
import { BUILD_TARGETS, type BuildTarget, targetOfRuntime } from "./build_target.ts";
import { CHECKOUT } from "./checkout.ts";
import { BuildFailure, fetchRuntime, lockedPackage } from "./fetch_runtime.ts";
import { bundledPackages } from "./releasing/bundled_packages.ts";
import { containerFile } from "./releasing/container_file.ts";
import { compressed, DEBIAN_SYSTEMS, debianPackage } from "./releasing/debian_package.ts";
import { fetchingPackages } from "./releasing/fetching_packages.ts";
import { LIBRARY_NAME, writeLibraryPackage } from "./releasing/library_package.ts";
import { manPages, writeManPages } from "./releasing/man_pages.ts";
import { noticesText } from "./releasing/notices.ts";
import {
  type PackageSources,
  packPackage,
  type SystemBinary,
  writeLauncherPackage,
  writeSystemPackage,
} from "./releasing/npm_packages.ts";
import { readOwnPackage } from "./releasing/own_package.ts";
import { pythonWheel } from "./releasing/python_wheel.ts";
import { setPublishedModes } from "./releasing/published_modes.ts";
import { assertReproduced } from "./releasing/reproduce.ts";
import { softwareBill } from "./releasing/software_bill.ts";
import { tryImages } from "./releasing/try_image.ts";

const SUMS = "SHA256SUMS";
const OUTDIR = join(CHECKOUT, "dist", "release");

const HELP = `usage: scripts/release [--target SYSTEM]… [--no-npm] [--no-image] [--outdir DIR]
       scripts/release --library [--outdir DIR]
       scripts/release --check-reproducible [--target SYSTEM]…

Rebuilds dist/release: a binary for every system (or for those given), a bill of materials of each, npm packages,
Python wheels and Debian packages ready to publish, a formula for Homebrew and a derivation for Nix, manual pages, a
Containerfile, licenses, and SHA256SUMS of them all. It prints how large each binary is, and publishes nothing.

  --target SYSTEM       ${BUILD_TARGETS.map(({ name }) => name).join(", ")}
  --no-npm              make no packages: for npm, PyPI, Debian, Homebrew and Nix
  --library             make only the npm package of the store as a library, npm/fdtool-store-VERSION.tgz
  --no-image            do not try the image; otherwise Podman, if it is there, builds and runs it
  --outdir DIR          where the release goes instead of dist/release; a release that is there is removed
  --check-reproducible  build here and in another directory, and compare; for this system unless others are given
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseOptions({
    args,
    options: {
      target: { type: "string", multiple: true },
      "no-npm": { type: "boolean" },
      "no-image": { type: "boolean" },
      library: { type: "boolean" },
      outdir: { type: "string", default: OUTDIR },
      "check-reproducible": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  const given = values.target?.map(targetNamed);
  if (values["check-reproducible"] === true) {
    for (const target of given ?? [ownTarget()]) {
      const binary = readFileSync(builtHere(target));
      assertReproduced(CHECKOUT, target.name, binary);
      console.log(`${sha256(binary)}  ${target.name}: two builds, the same ${binary.length} bytes`);
    }
    return;
  }
  const outdir = resolve(values.outdir);
  makeEmpty(outdir);
  const work = mkdtempSync(join(dirname(outdir), ".release-"));
  try {
    const said = values.library === true
      ? releaseLibrary(work, outdir)
      : await release(given ?? BUILD_TARGETS, values["no-npm"] !== true, work, outdir);
    writeFileSync(join(outdir, SUMS), checksums(outdir));
    setPublishedModes(outdir);
    console.log(said);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  if (values["no-image"] === true || values.library === true) return;
  for (const line of tryImages(outdir, version())) console.error(`fdtool: ${line}`);
}

/** Makes the release of `targets`; returns how large each binary is. */
async function release(
  targets: readonly BuildTarget[],
  withPackages: boolean,
  work: string,
  outdir: string,
): Promise<string> {
  const binaries = targets.map((target) => {
    const binary = join(outdir, binaryName(target));
    copyFileSync(builtHere(target), binary);
    return { target, binary };
  });
  const metafile = join(work, "meta.json");
  build(["--metafile", metafile], "nothing is released");
  const packages = bundledPackages(CHECKOUT, metafile);
  const notices = noticesText(packages, lockedPackage(CHECKOUT, "bun").version);
  for (const { target, binary } of binaries) {
    const bill = softwareBill(CHECKOUT, {
      version: version(),
      file: basename(binary),
      sha256: sha256(readFileSync(binary)),
      runtimePackage: target.runtimePackage,
    }, packages);
    writeFileSync(join(outdir, `fdtool-${target.name}.cdx.json`), bill);
  }
  const pages = await manPages();
  writeManPages(pages, join(outdir, "man"));
  const sources = { checkout: CHECKOUT, notices, manPages: pages, work };
  if (withPackages) {
    for (const { binary } of binaries) writeFileSync(`${binary}.zst`, compressed(readFileSync(binary)));
    packAll(binaries, sources, join(outdir, "npm"));
    packLibrary(work, join(outdir, "npm"));
    writePackages("PyPI", binaries, join(outdir, "python"), (binary) => pythonWheel(binary, sources));
    const ofDebian = binaries.filter(({ target }) => DEBIAN_SYSTEMS.has(target.name));
    writePackages("Debian", ofDebian, join(outdir, "debian"), (binary) => debianPackage(binary, sources));
    const fetching = fetchingPackages(readOwnPackage(CHECKOUT), binaries);
    for (const [name, text] of Object.entries(fetching)) writeFileSync(join(outdir, name), text);
  }
  writeFileSync(join(outdir, "THIRD-PARTY-NOTICES.txt"), notices);
  copyFileSync(join(CHECKOUT, "LICENSE"), join(outdir, "LICENSE"));
  writeFileSync(join(outdir, "Containerfile"), containerFile(CHECKOUT));
  return sizeTable(binaries);
}

/** Makes the package of the library alone; returns where it is and its size. */
function releaseLibrary(work: string, outdir: string): string {
  const tarball = packLibrary(work, join(outdir, "npm"));
  return `${tarball}  ${statSync(tarball).size.toLocaleString("en")} bytes`;
}

function packLibrary(work: string, destination: string): string {
  console.error(`fdtool: packing ${LIBRARY_NAME} for npm …`);
  return packPackage(writeLibraryPackage(CHECKOUT, work), destination);
}

/** Makes an empty `outdir`. Removes an existing one only if it is a release. */
function makeEmpty(outdir: string): void {
  const isOther = outdir !== OUTDIR && existsSync(outdir) && readdirSync(outdir).length > 0;
  if (isOther && !existsSync(join(outdir, SUMS))) {
    throw new BuildFailure(`${outdir} holds something else than a release: empty it, or name another place.`);
  }
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
}

/** The path of a build in this checkout: for this system dist/fdtool, which is built if it is out of date. */
function builtHere(target: BuildTarget): string {
  const isOwn = target === ownTarget();
  build(isOwn ? ["--if-needed"] : ["--target", target.name], `no binary for ${target.name}`);
  return join(CHECKOUT, "dist", isOwn ? "fdtool" : binaryName(target));
}

function build(words: readonly string[], otherwise: string): void {
  const { status } = spawnSync(join(CHECKOUT, "scripts", "build"), words, {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new BuildFailure(`${otherwise} (see above).`);
}

function binaryName({ name }: BuildTarget): string {
  return `fdtool-${name}${name.startsWith("windows") ? ".exe" : ""}`;
}

function writePackages(
  registry: string,
  binaries: readonly SystemBinary[],
  destination: string,
  packed: (binary: SystemBinary) => { name: string; bytes: Uint8Array },
): void {
  mkdirSync(destination, { recursive: true });
  for (const binary of binaries) {
    console.error(`fdtool: packing ${binary.target.name} for ${registry} …`);
    const { name, bytes } = packed(binary);
    writeFileSync(join(destination, name), bytes);
  }
}

function packAll(binaries: readonly SystemBinary[], sources: PackageSources, destination: string): void {
  for (const binary of binaries) {
    console.error(`fdtool: packing ${binary.target.name} for npm …`);
    packPackage(writeSystemPackage(binary, sources), destination);
  }
  packPackage(writeLauncherPackage(binaries.map(({ target }) => target), sources), destination);
}

/** The checksums of every file in `outdir`, as `sha256sum --check` reads them. */
function checksums(outdir: string): string {
  return readdirSync(outdir, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(outdir, path)).isFile())
    .sort()
    .map((path) => `${sha256(readFileSync(join(outdir, path)))}  ${path.replaceAll("\\", "/")}\n`)
    .join("");
}

/** How large each binary is, beside the runtime that it is made of. */
function sizeTable(binaries: readonly SystemBinary[]): string {
  const rows = binaries.map(({ target, binary }) => {
    const size = statSync(binary).size;
    const runtime = statSync(fetchRuntime(CHECKOUT, target.runtimePackage)).size;
    return [
      target.name,
      size.toLocaleString("en"),
      runtime.toLocaleString("en"),
      (size / runtime).toFixed(3),
    ];
  });
  const lines = [["system", "bytes", "bare runtime", "ratio"], ...rows].map(([name = "", ...numbers]) =>
    [name.padEnd(16), ...numbers.map((text) => text.padStart(13))].join(" ")
  );
  return lines.join("\n");
}

function targetNamed(wanted: string): BuildTarget {
  const target = BUILD_TARGETS.find(({ name }) => name === wanted);
  if (target === undefined) {
    const known = BUILD_TARGETS.map(({ name }) => name).join(", ");
    throw new BuildFailure(`--target ${wanted} is not known; known: ${known}.`);
  }
  return target;
}

function ownTarget(): BuildTarget {
  const own = targetOfRuntime(process.execPath);
  if (own === undefined) throw new BuildFailure(`${process.execPath} is the runtime of no known system.`);
  return own;
}

function version(): string {
  return readOwnPackage(CHECKOUT).version;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

try {
  await main(process.argv.slice(2));
} catch (failure) {
  if (!(failure instanceof BuildFailure)) throw failure;
  console.error(`fdtool: ${failure.message}`);
  process.exitCode = 1;
}
