/**
 * The layers of the project, as rules over its import graph. Core code is what the binary is made of: `main.ts`, `fd/`
 * and `src/` without their tests.
 */

import type { ImportEdge, SourceFile } from "./import_graph.ts";
import { MAX_FILES, moduleOf, MODULES } from "./modules.ts";

/** One rule: its name, and the files that break it, each with a reason. */
export interface LayerRule {
  name: string;
  violations(files: readonly SourceFile[], dependencies: readonly string[]): string[];
}

const isTest = (path: string) => path.endsWith("_test.ts");
/** The tables of operations import them all. */
const isOperation = (path: string) =>
  /^src\/commands\/[^/]+$/.test(path) && !isTest(path) && !/\/(rows|tool_table)\.ts$/.test(path);
const isCore = (path: string) => /^(main\.ts|fd\/|src\/)/.test(path) && !isTest(path);

/** A rule about single imports: `breaks` answers whether this file may not import that. */
function edgeRule(name: string, breaks: (from: string, to: string, edge: ImportEdge) => boolean): LayerRule {
  return {
    name,
    violations: (files) =>
      files.flatMap(({ path, imports }) =>
        imports.filter((edge) => breaks(path, edge.file ?? edge.specifier, edge))
          .map((edge) => `${path} imports ${edge.file ?? edge.specifier}`)
      ),
  };
}

/** The name of the package that a bare specifier names: `a/b.js` is in `a`, `@a/b/c` in `@a/b`. */
function packageOf(specifier: string): string {
  const parts = specifier.replace(/^npm:/, "").split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** The files of fd/ that the tool may import. */
const FD_PUBLIC_FILES: readonly string[] = ["fd/mod.ts", "fd/system.ts"];

export const LAYER_RULES: readonly LayerRule[] = [
  edgeRule("fd/ never imports src/", (from, to) => from.startsWith("fd/") && to.startsWith("src/")),
  edgeRule(
    "src/ enters fd/ by fd/mod.ts and fd/system.ts only",
    (from, to) => from.startsWith("src/") && to.startsWith("fd/") && !FD_PUBLIC_FILES.includes(to),
  ),
  edgeRule(
    "main.ts enters the tool by src/cli.ts only",
    (from, _to, edge) => from === "main.ts" && edge.file !== undefined && edge.file !== "src/cli.ts",
  ),
  edgeRule(
    "core code never imports tests or scripts",
    (from, to) => isCore(from) && (/^(tests|scripts)\//.test(to) || isTest(to)),
  ),
  edgeRule(
    "operations never import operations",
    (from, to) => isOperation(from) && isOperation(to),
  ),
  edgeRule(
    "operations never import renderers",
    (from, to) => isOperation(from) && to.startsWith("src/answers/render/"),
  ),
  edgeRule(
    "agents never import operations",
    (from, to) => from.startsWith("src/agents/") && !isTest(from) && isOperation(to),
  ),
  edgeRule(
    "renderers do no I/O",
    (from, to) =>
      from.startsWith("src/answers/render/") && !isTest(from) &&
      (isOperation(to) ||
        (to.startsWith("node:") && to !== "node:buffer" && to !== "node:path")),
  ),
  edgeRule(
    "findings know no fd: of fd/ they import failures and rules over bytes only",
    (from, to) =>
      from.startsWith("src/findings/") && !isTest(from) && to.startsWith("fd/") && to !== "fd/system.ts",
  ),
  {
    name: "the store loads node:crypto and node:zlib when it needs them",
    violations: (files) =>
      files.filter(({ path, text }) =>
        path.startsWith("fd/") && !isTest(path) && /^import (?!type )[^;]*"node:(crypto|zlib)"/m.test(text)
      ).map(({ path }) => path),
  },
  {
    name: "renderers print nothing themselves",
    violations: (files) =>
      files.filter(({ path, text }) =>
        path.startsWith("src/answers/render/") && !isTest(path) &&
        /\b(process\.(stdout|stderr|env)|console\.|fetch\()/.test(withoutComments(text))
      ).map(({ path }) => path),
  },
  {
    name: "core code imports node: built-ins, its own files and pinned dependencies only",
    violations: (files, dependencies) =>
      files.filter(({ path }) => isCore(path)).flatMap(({ path, imports }) =>
        imports.filter(({ specifier }) =>
          !/^(node:|\.{1,2}\/)/.test(specifier) && !dependencies.includes(packageOf(specifier))
        ).map(({ specifier }) => `${path} imports ${specifier}`)
      ),
  },
  {
    name: "core code runs on any runtime: no Bun.*, no Deno.*",
    violations: (files) =>
      files.filter(({ path, text }) => isCore(path) && /\b(Bun|Deno)\s*[.[]/.test(withoutComments(text)))
        .map(({ path }) => path),
  },
  {
    name: "core code opens no connection, and only `ui` accepts any",
    violations: (files) =>
      files.filter(({ path, text }) => {
        const modules = [...withoutComments(text).matchAll(/"node:(net|tls|dgram|dns|https?|http2)[/"]/g)];
        const isUi = path.startsWith("src/page/") && modules.every(([, name]) => name === "http");
        return isCore(path) && !isUi && modules.length > 0;
      }).map(({ path }) => path),
  },
  {
    name: "core code calls nothing that opens a connection, except the client of object stores",
    violations: (files) =>
      files.filter(({ path, text }) =>
        isCore(path) && !path.startsWith("fd/shared/remote/") &&
        /\bfetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\b/.test(withoutComments(text))
      ).map(({ path }) => path),
  },
  {
    name: "every dynamic import names its file",
    violations: (files) =>
      files.filter(({ path, text }) => isCore(path) && /\bimport\(\s*[^"\s]/.test(withoutComments(text)))
        .map(({ path }) => path),
  },
  edgeRule("a module imports only modules listed before it", (from, to) => {
    const [module, other] = [moduleOf(from), moduleOf(to)];
    return isCore(from) && module !== undefined && other !== undefined &&
      MODULES.indexOf(other) > MODULES.indexOf(module);
  }),
  edgeRule("a module is entered by its public files", (from, to) => {
    const [module, other] = [moduleOf(from), moduleOf(to)];
    if (!isCore(from) || other === undefined || other === module || other.publicFiles === "all") return false;
    return !other.publicFiles.some((publicFile) => to === `${other.path}/${publicFile}.ts`);
  }),
  {
    name: "every file of fd/ and src/ is in a module",
    violations: (files) =>
      files.map(({ path }) => path).filter((path) =>
        /^(fd|src)\//.test(path) && moduleOf(path) === undefined
      ),
  },
  {
    name: "no module has more files than a reader can take in",
    violations: (files) =>
      MODULES.filter((module) =>
        module.isCatalogue !== true &&
        files.filter(({ path }) => isCore(path) && moduleOf(path) === module).length > MAX_FILES
      ).map(({ path }) => path),
  },
  { name: "no cycles", violations: (files) => cycles(files) },
  {
    name: "no file that nothing imports",
    violations: (files) => {
      // A test beside its source does not keep it alive: what only its own test imports is dead.
      const wanted = new Set(
        files.flatMap(({ path, imports }) =>
          imports.flatMap(({ file }) => file !== undefined && !(isTest(path) && isCore(file)) ? [file] : [])
        ),
      );
      return files.map(({ path }) => path).filter((path) =>
        !wanted.has(path) && !isTest(path) && path !== "main.ts" && !PUBLIC_FILES.includes(path) &&
        !path.startsWith("scripts/")
      );
    },
  },
  {
    name: "no export that no other file imports",
    violations: (files) =>
      files.filter(({ path }) => isCore(path) && !PUBLIC_FILES.includes(path)).flatMap((exporter) => {
        const importers = files.filter(({ imports }) => imports.some(({ file }) => file === exporter.path));
        const words = new Set(importers.flatMap(({ text }) => withoutComments(text).match(/[\w$]+/g) ?? []));
        return exportedNames(exporter).filter((name) => !words.has(name)).map((name) =>
          `${exporter.path} exports ${name}`
        ).filter((violation) => !UNIMPORTED.has(violation));
      }),
  },
  {
    name: "no export that only tests import, but for parts that are tested by themselves",
    violations: (files) =>
      files.filter(({ path }) => isCore(path) && !isTest(path) && !PUBLIC_FILES.includes(path)).flatMap(
        (exporter) => {
          const importers = files.filter(({ imports }) => imports.some(({ file }) => file === exporter.path));
          const naming = (name: string) =>
            importers.filter(({ text }) =>
              new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(withoutComments(text))
            );
          return exportedNames(exporter).filter((name) => {
            const by = naming(name);
            return by.length > 0 && by.every(({ path }) => isTest(path)) && !TESTED_ALONE.has(name);
          }).map((name) => `${exporter.path} exports ${name}`);
        },
      ),
  },
  {
    name: "no file called util, helper, common, misc, index or types",
    violations: (files) =>
      files.map(({ path }) => path).filter((path) =>
        /(^|[/_])(utils?|helpers?|common|misc|types)(_test)?\.ts$|(^|\/)index\.ts$/.test(path)
      ),
  },
];

/** Those, and that for other programs; the files of the project need not import all of it. */
const PUBLIC_FILES = [...FD_PUBLIC_FILES, "fd/library/mod.ts"];

/** Exports that may stand though no file of the project imports them. */
const UNIMPORTED: ReadonlySet<string> = new Set([
  // It is in the text of the plugin, for OpenCode.
  "src/harnesses/opencode.ts exports FdtoolPlugin",
  // Its example is its test, and such a test imports what it shows.
  "src/capturing/capture_progress.ts exports progressText",
  "src/answers/screen/work_progress.ts exports workText",
]);

/** Parts that a test calls by themselves, and types that it names. A new one is a decision: most tests go by the way in. */
const TESTED_ALONE: ReadonlySet<string> = new Set(
  `AskedListing ChangedFindings ClaimedId Client ClockNote CountedStrides DefinedOperation EXPORTS Failure FoundProgram FramePlace IMPORTS MAX_BUFFERED_BYTES MAX_COMPARED_BYTES MAX_PART_BYTES MAX_SHAPED_LINES SliceFields SpanView UnsignedRequest ViewLimits changedFindings choice contentParts decodedFrom digestBody findOnWindows ignoredIn isKnownKind lineQueue numberedLines pairLines patient refuseOnWindows refuseUnfitName YamlScan stemOf streamCalls styledRanges`
    .split(/\s+/),
);

/** The names that a file exports. */
function exportedNames({ text }: SourceFile): string[] {
  const code = withoutComments(text);
  const declared = code.matchAll(
    /^export (?:async )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm,
  );
  const listed = [...code.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) =>
    names!.split(",").map((name) => name.trim().split(/\s+as\s+/).at(-1)!)
  );
  return [...[...declared].map(([, name]) => name!), ...listed.filter((name) => /^[\w$]+$/.test(name))];
}

/** Every import cycle once, as the files on it in order. */
function cycles(files: readonly SourceFile[]): string[] {
  const importsOf = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      found.push([...trail.slice(at), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const next of importsOf.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of importsOf.keys()) visit(path, []);
  return found;
}

/** The text with its comments blanked. Strings that look like comments go too, which no rule here minds. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}
