// Promise: what is published to npm works as it is installed from there: the launcher finds the binary of this system and
// is, to its caller, that binary: arguments, streams, exit code, signals. The licenses of what is in it travel with it.

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import packageFile from "../package.json" with { type: "json" };
import { BUILD_TARGETS, type BuildTarget } from "../scripts/build_target.ts";
import {
  packageName,
  packPackage,
  writeLauncherPackage,
  writeSystemPackage,
} from "../scripts/releasing/npm_packages.ts";
import { manPages } from "../scripts/releasing/man_pages.ts";
import { isThere } from "./library_examples.ts";
import { CHECKOUT, makeWorld, programUnderTest, quoteForShell, type World } from "./world.ts";

const [program, ...rest] = programUnderTest();
const TARGET = BUILD_TARGETS.find(({ name }) => name === hostName());

/** This system's name among the released ones, the same as in npm and Node. */
function hostName(): string {
  const system = { linux: "linux", darwin: "darwin", windows: "windows" }[Deno.build.os as string];
  return `${system}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;
}

/** A registry on this machine that has the packages of one release, and notes whose tarballs it was asked for. */
interface Registry extends AsyncDisposable {
  url: string;
  fetched: string[];
}

/** Serves the package directories in `directories`, of which those in `tarballs` can be fetched. */
function serveRegistry(directories: readonly string[], tarballs: ReadonlyMap<string, string>): Registry {
  const manifests = directories.map((directory) =>
    JSON.parse(Deno.readTextFileSync(join(directory, "package.json")))
  );
  const fetched: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const { origin, pathname } = new URL(url);
    const wanted = decodeURIComponent(pathname).slice(1);
    const named = manifests.find(({ name }) => name === wanted);
    if (named !== undefined) {
      const { name, version } = named;
      const dist = { tarball: `${origin}/-/${name}.tgz` };
      return Response.json({
        name,
        "dist-tags": { latest: version },
        versions: { [version]: { ...named, dist } },
      });
    }
    const ofTarball = wanted.replace(/^-\/(.*)\.tgz$/, "$1");
    fetched.push(ofTarball);
    const tarball = tarballs.get(ofTarball);
    return tarball === undefined
      ? new Response("", { status: 404 })
      : new Response(Deno.openSync(tarball).readable);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    fetched,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The environment in which npm asks `registry` alone and writes nothing outside of the world. */
function npmEnvironment(world: World, registry: string): Record<string, string> {
  return {
    npm_config_registry: registry,
    npm_config_cache: join(world.home, "npm-cache"),
    npm_config_userconfig: join(world.home, "npmrc"),
    npm_config_globalconfig: join(world.home, "npmrc-global"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
}

/** The directories of all packages by name, and the tarballs of those that are packed. */
interface Packages {
  directories: ReadonlyMap<string, string>;
  tarballs: ReadonlyMap<string, string>;
}

/** Packs as a release does, instead of the binary a script that becomes it: the binary takes long to compress. */
async function pack(world: World, target: BuildTarget): Promise<Packages> {
  const sources = {
    checkout: CHECKOUT,
    notices: "notices",
    manPages: await manPages(),
    work: join(world.home, "packages"),
  };
  const elsewhere = world.write("binary-of-another-system", "");
  const binary = world.write("program", `#!/bin/sh\nexec ${quoteForShell(program)} "$@"\n`);
  const directories = new Map(BUILD_TARGETS.map((each) => [
    packageName(each),
    writeSystemPackage({ target: each, binary: each === target ? binary : elsewhere }, sources),
  ]));
  directories.set("fdtool", writeLauncherPackage(BUILD_TARGETS, sources));
  const tarballs = new Map(["fdtool", packageName(target)].map((name) => [
    name,
    packPackage(directories.get(name)!, join(world.home, "tarballs")),
  ]));
  return { directories, tarballs };
}

/** Installs fdtool by name. Answers what npm fetched for that. */
async function install(world: World, { directories, tarballs }: Packages): Promise<string[]> {
  await using registry = serveRegistry([...directories.values()], tarballs);
  world.write("package.json", "{}");
  const { code, stderr } = await world.shell("npm install fdtool", {
    env: npmEnvironment(world, registry.url),
  });
  assertEquals({ code, stderr: stderr.replace(/^npm warn .*\n/gm, "") }, { code: 0, stderr: "" });
  return registry.fetched.sort();
}

/** A registry that is not there: nothing may be asked of one after the installation. */
const NO_REGISTRY = "http://127.0.0.1:9/";

Deno.test({
  name: "npm: packed, installed and started, fdtool is the binary of this system",
  // The source form has no binary, and without npm there is no installation to test.
  ignore: rest.length > 0 || TARGET === undefined || !isThere("npm"),
  async fn(t) {
    assert(TARGET !== undefined);
    using world = makeWorld();
    const packages = await pack(world, TARGET);
    const fetched = await install(world, packages);
    const launcher = world.path("node_modules/.bin/fdtool");
    const env = npmEnvironment(world, NO_REGISTRY);

    await t.step("npm fetches the launcher and the binary of this system, and no other", () => {
      const installed = [...Deno.readDirSync(world.path("node_modules/@fdtool"))].map(({ name }) => name);
      assertEquals(installed, [TARGET.name]);
      // An npm that does not know `libc` also tries the package for the other C library, in vain.
      const known = fetched.filter((name) => name !== `${packageName(TARGET)}-musl`);
      assertEquals(known, [packageName(TARGET), "fdtool"]);
    });

    await t.step("its manual pages come with it", () => {
      const { man }: { man: string[] } = JSON.parse(world.text("node_modules/fdtool/package.json"));
      assert(man.includes("man/fdtool-read.1"));
      for (const page of man) assert(world.text(`node_modules/fdtool/${page}`).startsWith(".TH "), page);
    });

    await t.step("its README is written for npm, and says what was packed", () => {
      const readme = world.text("node_modules/fdtool/README.md");
      assert(readme.startsWith("# fdtool\n"));
      assertEquals(
        readme.match(/\]\((?!https:)/g),
        null,
        "a relative link leads nowhere on a registry's page",
      );
      const { keywords, homepage } = JSON.parse(world.text("node_modules/fdtool/package.json"));
      assertEquals({ keywords, homepage }, { keywords: packageFile.keywords, homepage: undefined });
    });

    await t.step("npx starts it", async () => {
      const { code, text } = await world.shell("npx fdtool --version", { env });
      const direct = await world.run(["--version"]);
      assertEquals({ code, text }, { code: 0, text: direct.text });
    });

    await t.step("streams and exit code are the binary's", async () => {
      const lines = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join("");
      const stored = await world.shell(`"${launcher}" capture --format json`, { stdin: lines });
      assertEquals(JSON.parse(stored.text).total_lines, 5000);
      const read = await world.shell(`"${launcher}" read fd:1 --all --format raw`);
      assertEquals(read.text, lines);
      const ran = await world.shell(`"${launcher}" run -- sh -c 'echo out; exit 7'`);
      assertEquals({ code: ran.code, text: ran.text }, { code: 7, text: "out\n" });
      assertEquals((await world.shell(`"${launcher}" read fd:99`)).code, 1);
      assertEquals((await world.shell(`"${launcher}" read --no-such-option`)).code, 2);
    });

    await t.step("a signal reaches the command that it wraps, and ends it as the binary ends", async () => {
      const { code } = await world.shell(`mkfifo ready held
        "${launcher}" run -- sh -c 'trap "exit 9" TERM; echo > ready; while :; do read x < held; done' &
        read x < ready
        kill -TERM $!
        wait $!`);
      assertEquals(code, 9);
    });

    await t.step("a binary that a signal ends is a launcher that the signal ended", async () => {
      const { code } = await world.shell(`"${launcher}" run -- sh -c 'kill -KILL $PPID' & wait $!`);
      assertEquals(code, 137);
    });

    await t.step("the packages say what they are for, and carry the licenses", () => {
      const directory = world.path(`node_modules/${packageName(TARGET)}`);
      const manifest = JSON.parse(Deno.readTextFileSync(join(directory, "package.json")));
      assertEquals({ os: manifest.os, cpu: manifest.cpu, private: manifest.private }, {
        os: [Deno.build.os === "windows" ? "win32" : Deno.build.os],
        cpu: [Deno.build.arch === "x86_64" ? "x64" : "arm64"],
        private: undefined,
      });
      for (const each of [directory, world.path("node_modules/fdtool")]) {
        assertEquals(Deno.readTextFileSync(join(each, "THIRD-PARTY-NOTICES.txt")), "notices");
        assert(Deno.readTextFileSync(join(each, "LICENSE")).includes("MIT"));
      }
      const { version, optionalDependencies } = JSON.parse(
        Deno.readTextFileSync(world.path("node_modules/fdtool/package.json")),
      );
      assertEquals(
        optionalDependencies,
        Object.fromEntries(BUILD_TARGETS.map((target) => [packageName(target), version])),
      );
    });

    await t.step("the packed files install without a registry, and run", async () => {
      const files = [...packages.tarballs.values()].map(quoteForShell).join(" ");
      const fresh = join(world.home, "fresh");
      Deno.mkdirSync(fresh);
      const installed = await world.shell(
        `cd ${quoteForShell(fresh)} && npm install --offline ${files} && node_modules/.bin/fdtool version`,
        { env },
      );
      assertEquals(installed.code, 0, installed.stderr);
      const own = await world.run(["version"]);
      assert(installed.text.endsWith(own.text), installed.text);
      for (const file of ["README.md", "LICENSE", "man/fdtool.1", "man/fdtool-read.1"]) {
        const packed = Deno.readTextFileSync(join(fresh, "node_modules", "fdtool", file));
        assertEquals(packed, world.text(`node_modules/fdtool/${file}`));
      }
    });

    await t.step("where npm installed no binary, a sentence says so", async () => {
      Deno.removeSync(world.path("node_modules/@fdtool"), { recursive: true });
      const { code, text, stderr } = await world.shell(`"${launcher}" --version`);
      assertEquals({ code, text }, { code: 1, text: "" });
      assert(/^fdtool: npm installed no binary for this system .*--include=optional/.test(stderr), stderr);
      assertEquals((await world.shell(`"${launcher}" run -- true`)).code, 125);
    });
  },
});
