/**
 * Builds the image of a release with Podman and runs it. Without Podman, a registry or rights to run containers it says
 * what was not tried: those are not faults of the release.
 */

import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { BuildFailure } from "../fetch_runtime.ts";

/** The processors that the Containerfile knows, as builders of images and as Node call them. */
const PROCESSORS = [
  { arch: "amd64", nodeArch: "x64", target: "linux-x64" },
  { arch: "arm64", nodeArch: "arm64", target: "linux-arm64" },
] as const;

type Processor = (typeof PROCESSORS)[number];

const LIBRARY_NAMES = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"];

/** The files of the C library that the Containerfile copies, where Debian has them. */
const LIBRARIES: Readonly<Record<Processor["arch"], readonly string[]>> = {
  amd64: ["/lib64/ld-linux-x86-64.so.2", ...LIBRARY_NAMES.map((name) => `/lib/x86_64-linux-gnu/${name}`)],
  arm64: ["/lib/ld-linux-aarch64.so.1", ...LIBRARY_NAMES.map((name) => `/lib/aarch64-linux-gnu/${name}`)],
};

const TAG = "localhost/fdtool-release-check";
const BASE_TAG = "localhost/fdtool-release-check-base";

/** Exit codes of `podman run` for a container that did not start: the engine failed, or the command was refused. */
const NOT_STARTED = new Set([125, 126]);

/**
 * Tries the image of each processor whose binary is in `release`; returns a line about each. Throws {@link BuildFailure}
 * if an image cannot be built from the files, or does not do its job. `podman` is the program.
 */
export function tryImages(release: string, version: string, podman = "podman"): string[] {
  const processors = PROCESSORS.filter(({ target }) => existsSync(join(release, `fdtool-${target}`)));
  if (processors.length === 0) return [];
  if (spawnSync(podman, ["--version"]).status !== 0) return ["image: not tried (no podman here)"];
  const call: Podman = (args, input = "") =>
    spawnSync(podman, args, { cwd: release, input, encoding: "utf8", maxBuffer: 2 ** 26 });
  try {
    return processors.map((processor) =>
      `image for ${processor.arch}: ${tryImage(processor, { release, version, call })}`
    );
  } finally {
    call(["rmi", "--force", "--ignore", ...processors.map(({ arch }) => `${TAG}:${arch}`), BASE_TAG]);
  }
}

type Podman = (args: readonly string[], input?: string) => SpawnSyncReturns<string>;

function tryImage(
  { arch, nodeArch }: Processor,
  { release, version, call }: { release: string; version: string; call: Podman },
): string {
  const platform = ["--platform", `linux/${arch}`];
  const pulled = call(["pull", "--quiet", ...platform, defaultBase(release)]);
  const isPulled = pulled.status === 0;
  if (!isPulled && !(nodeArch === process.arch && importBase(arch, call))) {
    return `not tried (no base image: ${lastLine(pulled.stderr)})`;
  }
  const base = isPulled ? [] : ["--build-arg", `BASE=${BASE_TAG}`];
  const what = isPulled ? "built" : "built with this system's C library";
  const built = call(["build", ...platform, ...base, "--no-cache", "--tag", `${TAG}:${arch}`, "."]);
  if (built.status !== 0) throw failed("build", built.stderr);
  const confined = "--network none --read-only --tmpfs /data".split(" ");
  const run = (words: readonly string[], input?: string) =>
    call(["run", "--rm", "--interactive", ...platform, ...confined, `${TAG}:${arch}`, ...words], input);
  const started = run(["version"]);
  if (NOT_STARTED.has(started.status ?? 125) || /exec format error/i.test(started.stderr)) {
    return `${what}, not run (${lastLine(started.stderr)})`;
  }
  if (started.stdout !== `fdtool ${version}\n`) throw failed("run", `${started.stdout}${started.stderr}`);
  const lines = Array.from({ length: 100_000 }, (_, at) => `${at + 1}\n`).join("");
  const stored = run(["capture", "--format", "json"], lines);
  if (stored.status !== 0 || !stored.stdout.includes('"total_lines":100000')) {
    throw failed("capture in", `${stored.stdout.slice(0, 1000)}${stored.stderr}`);
  }
  return `${what}, and run`;
}

/** The base image that the release's Containerfile names. */
function defaultBase(release: string): string {
  const text = readFileSync(join(release, "Containerfile"), "utf8");
  const [, base] = /^ARG BASE=(\S+)$/m.exec(text) ?? [];
  if (base === undefined) throw new BuildFailure("the Containerfile names no BASE.");
  return base;
}

/** Makes a base image of this system's C library. Returns false if that is not where Debian keeps it. */
function importBase(arch: Processor["arch"], call: Podman): boolean {
  if (!LIBRARIES[arch].every((path) => existsSync(path))) return false;
  const work = mkdtempSync(join(tmpdir(), "fdtool-base-"));
  try {
    for (const path of LIBRARIES[arch]) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      copyFileSync(path, join(work, path));
    }
    mkdirSync(join(work, "mnt"));
    writeFileSync(join(work, "Containerfile"), "FROM scratch\nCOPY . /\n");
    return call(["build", "--tag", BASE_TAG, work]).status === 0;
  } finally {
    rmSync(work, { recursive: true });
  }
}

function failed(what: string, output: string): BuildFailure {
  return new BuildFailure(`podman cannot ${what} the image of this release:\n${output.trim()}`);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
