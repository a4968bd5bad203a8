// Promise: a release is whole: the binary runs, its checksum, its bill of materials and its licenses are those of this
// binary, and the listed checksums are of every released file.

import { assert, assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import packageFile from "../package.json" with { type: "json" };
import { manPages } from "../scripts/releasing/man_pages.ts";
import { CHECKOUT, makeWorld, programUnderTest } from "./world.ts";

const isReleased = Deno.build.os === "linux" || Deno.build.os === "darwin";

Deno.test({
  name: "release: for this system, every file is what the others say of it",
  // The source form is not a release, and building for Windows needs more than this test has.
  ignore: programUnderTest().length > 1 || !isReleased,
  async fn() {
    using world = makeWorld();
    const system = `${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;
    const outdir = world.path("release");
    const release = (directory: string) =>
      new Deno.Command(join(CHECKOUT, "scripts", "release"), {
        args: ["--target", system, "--no-npm", "--no-image", "--outdir", directory],
      }).output();
    const { success, stdout, stderr } = await release(outdir);
    const text = new TextDecoder();
    assert(success, text.decode(stderr));

    const binary = join(outdir, `fdtool-${system}`);
    const version = await new Deno.Command(binary, { args: ["--version"] }).output();
    assertEquals(text.decode(version.stdout), `fdtool ${packageFile.version}\n`);
    assertEquals(
      text.decode(stdout).trim().split("\n").at(-1)?.split(/\s+/).slice(0, 2),
      [system, Deno.statSync(binary).size.toLocaleString("en")],
    );

    const files = readdirSync(outdir, { recursive: true, encoding: "utf8" })
      .filter((path) => Deno.statSync(join(outdir, path)).isFile).sort();
    const bill = `fdtool-${system}.cdx.json`;
    const others = ["Containerfile", "LICENSE", "SHA256SUMS", "THIRD-PARTY-NOTICES.txt"];
    const pages = [...(await manPages()).keys()].map((name) => `man/${name}`);
    assertEquals(files, [...others, ...pages, `fdtool-${system}`, bill].sort());
    const sums = Object.fromEntries(files.map((name) => [name, sha256(join(outdir, name))]));
    assertEquals(
      Deno.readTextFileSync(join(outdir, "SHA256SUMS")),
      files.filter((name) => name !== "SHA256SUMS").map((name) => `${sums[name]}  ${name}\n`).join(""),
    );

    const { metadata, components } = JSON.parse(Deno.readTextFileSync(join(outdir, bill)));
    assertEquals(metadata.component.hashes, [{ alg: "SHA-256", content: sums[`fdtool-${system}`] }]);
    const notices = Deno.readTextFileSync(join(outdir, "THIRD-PARTY-NOTICES.txt"));
    const named = (name: string) => components.find((component: { name: string }) => component.name === name);
    assertEquals(named("valibot").version, packageFile.dependencies.valibot);
    assert(components[0].purl.includes(`@${packageFile.devDependencies.bun}`), components[0].purl);
    for (const { group, name, version } of components.slice(1)) {
      assert(notices.includes(`\n${group === undefined ? "" : `${group}/`}${name} ${version} (`), name);
    }
    world.write("mine/file", "no release");
    assertEquals((await release(world.path("mine"))).success, false);
    assertEquals(world.text("mine/file"), "no release");
    for (const unused of ["ajv", "express", "fast-check"]) assertEquals(named(unused), undefined);
  },
});

function sha256(path: string): string {
  return createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
}
