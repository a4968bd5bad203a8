/**
 * Promise: a release's packages for Debian, Homebrew and Nix are what these systems read, and bring the binary whose sum they
 * name. What a machine lacks is skipped: dpkg, ruby, nix.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { BUILD_TARGETS } from "../scripts/build_target.ts";
import { debianPackage } from "../scripts/releasing/debian_package.ts";
import { fetchingPackages } from "../scripts/releasing/fetching_packages.ts";
import { manPages } from "../scripts/releasing/man_pages.ts";
import { readOwnPackage } from "../scripts/releasing/own_package.ts";
import { CHECKOUT, makeWorld, quoteForShell, type World } from "./world.ts";

const PROGRAM = '#!/bin/sh\necho "package runs: $*"\n';
const own = readOwnPackage(CHECKOUT);

function isMissing(program: string): boolean {
  return !new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).outputSync()
    .success;
}

/** The output of a line of shell, which must not fail. */
async function printed(world: World, line: string): Promise<string> {
  const { code, text, stderr } = await world.shell(line);
  assertEquals(code, 0, `${line}\n${text}${stderr}`);
  return text;
}

Deno.test({
  name: "the Debian package installs into a root, runs, is verified, and goes without a trace",
  ignore: isMissing("dpkg"),
  async fn() {
    using world = makeWorld();
    const binary = world.write("program", PROGRAM);
    const sources = { checkout: CHECKOUT, notices: "notices", manPages: await manPages() };
    const target = BUILD_TARGETS.find(({ name }) => name === "linux-x64")!;
    const made = debianPackage({ target, binary }, sources);
    assertEquals(made, debianPackage({ target, binary }, sources), "the same package, byte for byte");
    Deno.writeFileSync(world.path(made.name), made.bytes);
    const info = await printed(world, `dpkg-deb --info ${made.name}`);
    for (const field of ["Package: fdtool", `Version: ${own.version}`, "Architecture: amd64"]) {
      assertStringIncludes(info, ` ${field}\n`);
    }
    await world.shell(
      "mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates && touch root/var/lib/dpkg/status",
    );
    // The root has neither a C library nor, perhaps, this processor.
    const dpkg = `dpkg --root=${quoteForShell(world.path("root"))} --force-not-root --force-depends ` +
      "--force-architecture --force-script-chrootless";
    await printed(world, `${dpkg} --log=/dev/null -i ${made.name}`);
    assertEquals(await printed(world, "root/usr/bin/fdtool it"), "package runs: it\n");
    assertEquals(await printed(world, `${dpkg} --verify fdtool`), "");
    assertStringIncludes(await printed(world, "zcat root/usr/share/man/man1/fdtool-read.1.gz"), ".TH");
    assertStringIncludes(world.text("root/usr/share/bash-completion/completions/fdtool"), "complete ");
    await printed(world, `${dpkg} --log=/dev/null -P fdtool`);
    assertEquals(await world.shell("find root -type f -path '*usr*'").then(({ text }) => text), "");
  },
});

Deno.test("the formula and the derivation name each system's binary of the release by its sum", async () => {
  using world = makeWorld();
  const binaries = BUILD_TARGETS.map((target) => ({
    target,
    binary: world.write(`fdtool-${target.name}`, `${PROGRAM}# ${target.name}\n`),
  }));
  const repository = "https://github.com/someone/fdtool";
  const files = fetchingPackages({ ...own, repository }, binaries);
  for (const name of ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]) {
    const sum = createHash("sha256").update(`${PROGRAM}# ${name}\n`).digest("hex");
    const url = `${repository}/releases/download/v${own.version}/fdtool-${name}`;
    for (const [file, text] of Object.entries(files)) {
      assertEquals(
        text.includes(`"${url}"`) && text.indexOf(sum) - text.indexOf(url) < 200,
        true,
        `${file}: ${name}`,
      );
    }
  }
  for (const [file, text] of Object.entries(files)) world.write(file, text);
  if (!isMissing("ruby")) assertStringIncludes(await printed(world, "ruby -c fdtool.rb"), "Syntax OK");
  if (isMissing("nix-instantiate")) return;
  const stubs =
    "{ lib = { optional = a: b: []; optionalString = a: b: b; licenses.mit = {}; }; fetchurl = it: it; " +
    'patchelf = ""; stdenv = { mkDerivation = it: it; hostPlatform = { system = "aarch64-linux"; isLinux = true; }; }; }';
  const url = await printed(
    world,
    `nix-instantiate --eval --store dummy:// -E '(import ./fdtool.nix ${stubs}).src.url' 2>&1`,
  );
  assertStringIncludes(url, `/fdtool-linux-arm64"`);
});
