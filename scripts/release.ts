/**
 * Makes what is published, in dist/release. Run by `scripts/release`, which finds the runtimes first.
 *
 * @module
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BUILD_TARGETS, type BuildTarget, targetOfRuntime } from "./build_target.ts";
import { BuildFailure, fetchRuntime } from "./fetch_runtime.ts";
import { bundledPackages, lockedPackage } from "./releasing/bundled_packages.ts";
import { noticesText } from "./releasing/notices.ts";
import {
  packPackage,
  type SystemBinary,
  writeLauncherPackage,
  writeSystemPackage,
} from "./releasing/npm_packages.ts";
import { reproducedBinary } from "./releasing/reproduce.ts";
import { softwareBill } from "./releasing/software_bill.ts";

const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));
const RELEASE = join(CHECKOUT, "dist", "release");
const SUMS = "SHA256SUMS";

const HELP = `usage: scripts/release [--target SYSTEM]… [--no-npm]
       scripts/release --check-reproducible [--target SYSTEM]…

Makes dist/release anew: a binary for every system (or for those given), a bill of materials of each, npm packages ready
to publish, a Containerfile, licenses, and SHA256SUMS of them all. It prints how large each binary is, and publishes
nothing.

  --target SYSTEM       ${BUILD_TARGETS.map(({ name }) => name).join(", ")}
  --no-npm              make no npm packages
  --check-reproducible  build twice, in two directories, and compare; for this system unless others are given
`;

function main(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      target: { type: "string", multiple: true },
      "no-npm": { type: "boolean" },
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
    for (const { name } of given ?? [ownTarget()]) {
      const binary = reproducedBinary(CHECKOUT, name);
      console.log(`${sha256(binary)}  ${name}: two builds, the same ${binary.length} bytes`);
    }
    return;
  }
  release(given ?? BUILD_TARGETS, values["no-npm"] !== true);
}

function release(targets: readonly BuildTarget[], withPackages: boolean): void {
  rmSync(RELEASE, { recursive: true, force: true });
  mkdirSync(RELEASE, { recursive: true });
  const work = mkdtempSync(join(CHECKOUT, "dist", ".release-"));
  try {
    const metafile = join(work, "meta.json");
    const binaries = targets.map((target) => ({ target, binary: builtBinary(target, metafile) }));
    const packages = bundledPackages(CHECKOUT, metafile);
    const notices = noticesText(packages, lockedPackage(CHECKOUT, "bun").version);
    for (const { target, binary } of binaries) {
      const file = relative(RELEASE, binary);
      const bill = softwareBill(CHECKOUT, {
        version: version(),
        file,
        sha256: sha256(readFileSync(binary)),
        runtimePackage: target.runtimePackage,
      }, packages);
      writeFileSync(join(RELEASE, `fdtool-${target.name}.cdx.json`), bill);
    }
    if (withPackages) packAll(binaries, { checkout: CHECKOUT, notices, work });
    writeFileSync(join(RELEASE, "THIRD-PARTY-NOTICES.txt"), notices);
    copyFileSync(join(CHECKOUT, "LICENSE"), join(RELEASE, "LICENSE"));
    copyFileSync(join(CHECKOUT, "scripts", "releasing", "Containerfile"), join(RELEASE, "Containerfile"));
    writeFileSync(join(RELEASE, SUMS), checksums());
    console.log(sizeTable(binaries));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Builds for `target`; answers the binary's path. Every target has the same program, so the last metafile stands for all. */
function builtBinary(target: BuildTarget, metafile: string): string {
  const extension = target.name.startsWith("windows") ? ".exe" : "";
  const outfile = join(RELEASE, `fdtool-${target.name}${extension}`);
  const { status } = spawnSync(
    process.execPath,
    [
      "--no-env-file",
      "--config=/dev/null",
      "run",
      "scripts/build.ts",
      ...["--target", target.name, "--outfile", outfile, "--metafile", metafile],
    ],
    { cwd: CHECKOUT, stdio: ["ignore", "inherit", "inherit"] },
  );
  if (status !== 0) throw new BuildFailure(`no binary for ${target.name} (see above); nothing is released.`);
  return outfile;
}

function packAll(
  binaries: readonly SystemBinary[],
  sources: { checkout: string; notices: string; work: string },
): void {
  const destination = join(RELEASE, "npm");
  for (const binary of binaries) {
    console.error(`fdtool: packing ${binary.target.name} for npm …`);
    packPackage(writeSystemPackage(binary, sources), destination);
  }
  packPackage(writeLauncherPackage(binaries.map(({ target }) => target), sources), destination);
}

/** The checksums of every released file, as `sha256sum --check` reads them. */
function checksums(): string {
  return readdirSync(RELEASE, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(RELEASE, path)).isFile())
    .sort()
    .map((path) => `${sha256(readFileSync(join(RELEASE, path)))}  ${path.replaceAll("\\", "/")}\n`)
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
  const own: { version: string } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  return own.version;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

try {
  main(process.argv.slice(2));
} catch (failure) {
  const isUsage = failure instanceof Error && "code" in failure &&
    String(failure.code).startsWith("ERR_PARSE_ARGS");
  if (!(failure instanceof BuildFailure) && !isUsage) throw failure;
  console.error(`fdtool: ${failure.message}`);
  process.exitCode = 1;
}
