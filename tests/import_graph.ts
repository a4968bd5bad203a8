/**
 * The project's import graph as Deno's own parser sees it: static and dynamic imports, values and types.
 */

import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { CHECKOUT } from "./world.ts";

/** One import: as written, and the project file it leads to (a path from the checkout), if it leads to one. */
export interface ImportEdge {
  specifier: string;
  file?: string | undefined;
}

/** One source file: its path from the checkout, its text, and what it imports. */
export interface SourceFile {
  path: string;
  text: string;
  imports: readonly ImportEdge[];
}

/** The parts of `deno info --json` that are read here. */
interface DenoInfo {
  modules: {
    specifier: string;
    error?: string;
    dependencies?: {
      specifier: string;
      code?: { specifier?: string; error?: string };
      type?: { specifier?: string; error?: string };
    }[];
  }[];
}

/** Reads every TypeScript file under main.ts, fd/, src/, tests/ and scripts/, and what it imports. */
export function readImportGraph(): SourceFile[] {
  const paths = ["main.ts", ...["fd", "src", "tests", "scripts"].flatMap(sourcesUnder)];
  const entry = Deno.makeTempFileSync({ suffix: ".ts" });
  try {
    const lines = paths.map((path) => `import ${JSON.stringify(pathToFileURL(join(CHECKOUT, path)).href)};`);
    Deno.writeTextFileSync(entry, lines.join("\n"));
    const { code, stdout, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--no-lock", "--config", join(CHECKOUT, "deno.json"), entry],
      cwd: CHECKOUT,
      env: { NO_COLOR: "1" },
    }).outputSync();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
    const info: DenoInfo = JSON.parse(new TextDecoder().decode(stdout));
    return paths.map((path) => sourceFile(path, info));
  } finally {
    Deno.removeSync(entry);
  }
}

function sourceFile(path: string, info: DenoInfo): SourceFile {
  const href = pathToFileURL(join(CHECKOUT, path)).href;
  const module = info.modules.find(({ specifier }) => specifier === href);
  if (module === undefined) throw new Error(`${path} is not in the graph that was asked for`);
  if (module.error !== undefined) throw new Error(`${path}: ${module.error}`);
  const imports = (module.dependencies ?? []).map(({ specifier, code, type }) => {
    const target = code?.specifier ?? type?.specifier;
    const file = target?.startsWith("file:") === true
      ? relative(CHECKOUT, new URL(target).pathname)
      : undefined;
    return {
      specifier,
      file: file?.startsWith("..") === true || file?.startsWith("node_modules") ? undefined : file,
    };
  });
  return { path, text: Deno.readTextFileSync(join(CHECKOUT, path)), imports };
}

/** The TypeScript files under a directory of the checkout, declarations left out. */
function sourcesUnder(directory: string): string[] {
  return [...Deno.readDirSync(join(CHECKOUT, directory))].flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory) return sourcesUnder(path);
    // Nothing imports the sources of kernels, which are AssemblyScript.
    return path.endsWith(".ts") && !/\.(?:d|as)\.ts$/.test(path) ? [path] : [];
  }).sort();
}
