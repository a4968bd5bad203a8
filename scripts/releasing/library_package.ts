/**
 * Makes the npm package of the store as a library, `@fdtool/store`, from `fd/library/mod.ts`: JavaScript by Bun, with
 * what it uses of valibot inside, and the types by Deno. It depends on no package.
 */

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { bundledPackages } from "./bundled_packages.ts";
import { writePackage } from "./npm_packages.ts";
import { readOwnPackage } from "./own_package.ts";

export const LIBRARY_NAME = "@fdtool/store";

const ENTRY = "fd/library/mod.ts";

/** Writes the package's directory into `work`; answers its path. */
export function writeLibraryPackage(checkout: string, work: string): string {
  const runtimes = runtimesOf(checkout);
  const metafile = join(work, "library-meta.json");
  const modules = join(work, "library-modules");
  writeModules(checkout, runtimes.bun, modules, metafile);
  const texts = bundledPackages(checkout, metafile)
    .map(({ name, version, license, licenseText }) => `${name} ${version} (${license})\n\n${licenseText}\n`);
  const notices = `${LIBRARY_NAME} contains parts of these works of others, under their own licenses.\n\n${
    texts.join("\n\n")
  }`;
  return writePackage({ checkout, notices, work }, MANIFEST, (directory) => {
    renameSync(modules, join(directory, "dist"));
    writeTypes(checkout, runtimes.deno, join(directory, "types"), join(work, "library-types"));
    copyFileSync(join(checkout, "scripts", "releasing", "library_readme.md"), join(directory, "README.md"));
  });
}

const MANIFEST = {
  name: LIBRARY_NAME,
  description:
    "Store bytes of any size, get a handle, read slices by page, line or char: the store of fdtool",
  keywords: ["storage", "logs", "slices", "content-store", "append-only", "search", "llm", "agents"],
  type: "module",
  exports: {
    ".": { types: "./types/library/mod.d.ts", default: "./dist/store.js" },
    "./package.json": "./package.json",
  },
  types: "./types/library/mod.d.ts",
  sideEffects: false,
  // `process.getBuiltinModule`
  engines: { node: "^20.16.0 || >=22.3.0", bun: ">=1.1.35", deno: ">=2.1.0" },
  files: ["dist", "types", "THIRD-PARTY-NOTICES.txt"],
};

/** Bundles the modules. What a first call does not need stays in files of its own, loaded when it is needed. */
function writeModules(checkout: string, bun: string, outdir: string, metafile: string): void {
  run(bun, [
    "build",
    "--target=node",
    "--format=esm",
    "--splitting",
    `--outdir=${outdir}`,
    "--entry-naming=store.[ext]",
    "--chunk-naming=[name]-[hash].[ext]",
    `--metafile=${metafile}`,
    ENTRY,
  ], checkout);
}

/** Writes the declarations that the entry needs, and no others. */
function writeTypes(checkout: string, deno: string, outdir: string, work: string): void {
  const { version, dependencies } = readOwnPackage(checkout);
  // A copy, because `deno pack` takes the whole directory that its settings are in. `deno check` has checked its types.
  for (const name of readdirSync(join(checkout, "fd"), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
    const copy = join(work, "fd", name);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, `// @ts-nocheck\n${readFileSync(join(checkout, "fd", name), "utf8")}`);
  }
  symlinkSync(join(checkout, "node_modules"), join(work, "node_modules"));
  writeFileSync(
    join(work, "package.json"),
    JSON.stringify({ dependencies: { valibot: dependencies["valibot"] } }),
  );
  const settings = {
    name: LIBRARY_NAME,
    version,
    license: "MIT",
    exports: `./${ENTRY}`,
    nodeModulesDir: "manual",
    // Checking Deno's own declarations takes three times as long as all else here.
    compilerOptions: { lib: ["deno.window", "esnext"], skipLibCheck: true },
    publish: { include: ["fd/**/*.ts"] },
  };
  writeFileSync(join(work, "deno.json"), JSON.stringify(settings));
  run(deno, ["pack", "--quiet", "--allow-dirty", "--no-source-maps", "--output", "types.tgz"], work);
  run("tar", ["-xzf", "types.tgz"], work);
  const packed = join(work, "package", "fd");
  keepDeclarations(packed);
  run(deno, ["fmt", "--quiet", "--no-config", "--line-width=110", packed], work);
  renameSync(packed, outdir);
}

/** Removes everything in `directory` but declarations, and writes these for their readers. */
function keepDeclarations(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const path = join(directory, name);
    if (name.endsWith(".d.ts")) writeFileSync(path, declaration(readFileSync(path, "utf8")));
    else if (statSync(path).isFile()) rmSync(path);
  }
}

/** Sets comments apart from code, and lets examples import the package instead of its source. */
function declaration(text: string): string {
  return text.replaceAll("*/ ", "*/\n").replaceAll(' from "./mod.ts";', ` from "${LIBRARY_NAME}";`);
}

/** Returns the pinned runtimes that `scripts/toolchain` noted. */
function runtimesOf(checkout: string): { deno: string; bun: string } {
  const [, deno = "", bun = ""] = readFileSync(join(checkout, "node_modules", ".fdtool-toolchain"), "utf8")
    .split("\n");
  if (deno === "") {
    throw new Error(`the types of ${LIBRARY_NAME} are made by Deno, which npm does not have for this system`);
  }
  return { deno: join(checkout, deno), bun: join(checkout, bun) };
}

function run(program: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(program, args, {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    });
  } catch (thrown) {
    const said = thrown instanceof Error && "stderr" in thrown ? String(thrown.stderr) : "";
    throw new Error(`${LIBRARY_NAME}: ${args[0]} failed:\n${said}`, { cause: thrown });
  }
}
