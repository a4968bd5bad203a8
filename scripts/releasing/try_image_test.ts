// Promise: a release that Podman cannot try is still made, and says so; a broken image stops it.

import { assertEquals, assertThrows } from "@std/assert";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryImages } from "./try_image.ts";

/** Calls `check` with a stand-in of Podman; `cases` are lines of a shell's `case` over its arguments. */
function withPodman(cases: string, check: (release: string, podman: string) => void): void {
  const work = mkdtempSync(join(tmpdir(), "fdtool-podman-"));
  try {
    const release = join(work, "release");
    mkdirSync(release);
    writeFileSync(join(release, "Containerfile"), "ARG BASE=example.org/debian\n");
    for (const target of ["linux-x64", "linux-arm64"]) writeFileSync(join(release, `fdtool-${target}`), "");
    const podman = join(work, "podman");
    const calls = `echo "$*" >> "${join(work, "calls")}"`;
    writeFileSync(podman, `#!/bin/sh\n${calls}\ncase "$*" in\n${cases}\nesac\n`, { mode: 0o755 });
    check(release, podman);
    const last = readFileSync(join(work, "calls"), "utf8").trim().split("\n").at(-1);
    assertEquals(last?.startsWith("rmi --force "), true, last);
  } finally {
    rmSync(work, { recursive: true });
  }
}

const WORKS = `
  run*version) echo "fdtool 1.2.3" ;;
  run*capture*) wc -l | sed 's/^ *\\(.*\\)$/"total_lines":\\1/' ;;`;

Deno.test("images that are built and run are reported as such", () => {
  withPodman(WORKS, (release, podman) =>
    assertEquals(tryImages(release, "1.2.3", podman), [
      "image for amd64: built, and run",
      "image for arm64: built, and run",
    ]));
});

Deno.test("a container that the engine cannot start, or this processor cannot run, is reported", () => {
  const cases = `
  run*amd64*) echo "Error: no cgroups" >&2; exit 125 ;;
  run*arm64*) echo "exec container process: Exec format error" >&2; exit 1 ;;`;
  withPodman(cases, (release, podman) =>
    assertEquals(tryImages(release, "1.2.3", podman), [
      "image for amd64: built, not run (Error: no cgroups)",
      "image for arm64: built, not run (exec container process: Exec format error)",
    ]));
});

Deno.test("an image that cannot be built, does not start, or loses lines stops the release", () => {
  for (
    const broken of [
      "  build*) exit 125 ;;",
      "  run*) exit 127 ;;",
      '  run*version) echo "fdtool 1.2.3" ;; run*capture*) cat > /dev/null; echo "{}" ;;',
    ]
  ) {
    withPodman(broken, (release, podman) => {
      assertThrows(() => tryImages(release, "1.2.3", podman), Error, "podman cannot");
    });
  }
});

Deno.test("without Podman nothing is tried, and without a binary for Linux nothing is to be tried", () => {
  withPodman(WORKS, (release, podman) => {
    assertEquals(tryImages(release, "1.2.3", "/no/such/podman"), ["image: not tried (no podman here)"]);
    assertEquals(tryImages(join(release, ".."), "1.2.3", podman), []);
    tryImages(release, "1.2.3", podman);
  });
});
