import { assertEquals, assertGreater } from "@std/assert";
import packageFile from "../package.json" with { type: "json" };
import { readImportGraph, type SourceFile } from "./import_graph.ts";
import { LAYER_RULES } from "./layer_rules.ts";
import { MAX_FILES, MODULES } from "./modules.ts";

const dependencies = Object.keys(packageFile.dependencies);
const project = readImportGraph();

for (const rule of LAYER_RULES) {
  Deno.test(`layers: ${rule.name}`, () => {
    assertEquals(rule.violations(project, dependencies), []);
  });
}

Deno.test("layers: the graph that is checked is the whole project, dynamic imports included", () => {
  assertGreater(project.length, 20);
  const edges = project.flatMap(({ path, imports }) => imports.map(({ file }) => `${path} ${file}`));
  assertEquals(edges.includes("main.ts src/cli.ts"), true);
  assertEquals(edges.includes("tests/layers_test.ts tests/layer_rules.ts"), true);
});

Deno.test("layers: every public file of a module exists", () => {
  const paths = new Set(project.map(({ path }) => path));
  const publicFiles = MODULES.flatMap(({ path, publicFiles }) =>
    publicFiles === "all" ? [] : publicFiles.map((publicFile) => `${path}/${publicFile}.ts`)
  );
  assertEquals(publicFiles.filter((publicFile) => !paths.has(publicFile)), []);
});

/** A file that imports `imports`: project files by path, anything else as a specifier. */
function file(path: string, imports: readonly string[] = [], text = ""): SourceFile {
  return {
    path,
    text,
    imports: imports.map((
      to,
    ) => (to.endsWith(".ts") ? { specifier: `./${to}`, file: to } : { specifier: to })),
  };
}

/** A small valid project, whose files the broken ones below replace. */
const SOUND: readonly SourceFile[] = [
  file("main.ts", ["node:process", "src/cli.ts"]),
  file("fd/mod.ts", ["fd/bytes/page_rule.ts"], 'export { ONE, type Page, pageOf } from "./page_rule.ts";'),
  file(
    "fd/bytes/page_rule.ts",
    [],
    "export function pageOf() {}\nexport type Page = number;\nexport const ONE = 1;",
  ),
  file(
    "fd/bytes/page_rule_test.ts",
    ["fd/bytes/page_rule.ts", "@std/assert"],
    'import { ALONE, ONE } from "./page_rule.ts";',
  ),
  file("src/cli.ts", [
    "src/commands/read.ts",
    "src/commands/ls.ts",
    "src/commands/call.ts",
    "src/answers/render/xml.ts",
    "valibot",
  ]),
  file("src/commands/read.ts", ["fd/mod.ts", "node:fs"], "/** `Deno.test` in a comment. */"),
  file("src/commands/ls.ts", ["fd/mod.ts"]),
  file("src/commands/call.ts", ["src/agents/tool_table.ts"]),
  file("src/agents/tool_table.ts", ["src/reading/read_fd.ts"]),
  file("src/reading/read_fd.ts", ["src/calls/requests/read_request.ts"]),
  file("src/calls/requests/read_request.ts", ["fd/mod.ts"]),
  file("src/commands/read_test.ts", ["src/commands/read.ts"], "Deno.test"),
  file("src/answers/render/xml.ts", ["node:buffer"]),
  file("tests/world.ts"),
  file("tests/read_test.ts", ["tests/world.ts"]),
  file("scripts/build.ts"),
];

/** A broken project for each rule: its name, and the file that breaks the valid project. */
const BROKEN: readonly (readonly [string, SourceFile])[] = [
  ["fd/ never imports src/", file("fd/bytes/page_rule.ts", ["src/answers/render/xml.ts"])],
  [
    "src/ enters fd/ by fd/mod.ts and fd/system.ts only",
    file("src/commands/ls.ts", ["fd/bytes/page_rule.ts"]),
  ],
  [
    "main.ts enters the tool by src/cli.ts only",
    file("main.ts", ["src/cli.ts", "src/answers/render/xml.ts"]),
  ],
  ["core code never imports tests or scripts", file("src/commands/ls.ts", ["tests/world.ts"])],
  ["operations never import operations", file("src/commands/ls.ts", ["src/commands/read.ts"])],
  ["operations never import renderers", file("src/commands/ls.ts", ["src/answers/render/xml.ts"])],
  ["agents never import operations", file("src/agents/tool_table.ts", ["src/commands/read.ts"])],
  ["renderers do no I/O", file("src/answers/render/xml.ts", ["node:fs"])],
  [
    "findings know no fd: of fd/ they import failures and rules over bytes only",
    file("src/findings/digest/choose_lines.ts", ["fd/mod.ts"]),
  ],
  [
    "the store loads node:crypto and node:zlib when it needs them",
    file("fd/bytes/page_rule.ts", [], 'import { createHash } from "node:crypto";'),
  ],
  ["renderers print nothing themselves", file("src/answers/render/xml.ts", [], "process.stdout.write(text)")],
  [
    "core code imports node: built-ins, its own files and pinned dependencies only",
    file("src/commands/ls.ts", ["fast-check"]),
  ],
  [
    "core code runs on any runtime: no Bun.*, no Deno.*",
    file("fd/bytes/page_rule.ts", [], "const x = Deno.args;"),
  ],
  [
    "core code runs on any runtime: no Bun.*, no Deno.*",
    file("fd/bytes/page_rule.ts", [], 'Bun["write"](1)'),
  ],
  [
    "core code opens no connection, and only `ui` accepts any",
    file("src/commands/ls.ts", [], 'import { get } from "node:https";'),
  ],
  [
    "core code calls nothing that opens a connection, except the client of object stores",
    file("src/commands/ls.ts", [], "await fetch(url)"),
  ],
  [
    "every dynamic import names its file",
    file("src/cli.ts", ["src/answers/render/xml.ts"], "await import(name)"),
  ],
  ["a module imports only modules listed before it", file("fd/bytes/page_rule.ts", ["fd/put/put_bytes.ts"])],
  ["a module is entered by its public files", file("fd/mod.ts", ["fd/index/cut_pages.ts"])],
  ["every file of fd/ and src/ is in a module", file("fd/attic/old.ts")],
  ["no cycles", file("fd/bytes/page_rule.ts", ["fd/mod.ts"])],
  ["no file that nothing imports", file("src/answers/render/json.ts")],
  ["no file that nothing imports", file("tests/left_over.ts")],
  ["no export that no other file imports", file("fd/bytes/page_rule.ts", [], "export const LEFT_OVER = 1;")],
  ["no export that no other file imports", file("src/cli.ts", [], "export async function* rest() {}")],
  [
    "no export that no other file imports",
    file("src/answers/render/xml.ts", [], 'export { a } from "./b.ts";'),
  ],
  [
    "no export that only tests import, but for parts that are tested by themselves",
    file(
      "fd/bytes/page_rule.ts",
      [],
      "export function pageOf() {}\nexport type Page = number;\nexport const ONE = 1;\nexport const ALONE = 2;",
    ),
  ],
  ["no file called util, helper, common, misc, index or types", file("fd/utils.ts")],
  ["no file called util, helper, common, misc, index or types", file("src/answers/render/xml_types.ts")],
];

Deno.test("layers: a valid project breaks no rule", () => {
  for (const rule of LAYER_RULES) assertEquals(rule.violations(SOUND, dependencies), [], rule.name);
});

Deno.test("layers: a file that only its test imports counts as imported by nothing", () => {
  const rule = LAYER_RULES.find(({ name }) => name === "no file that nothing imports");
  const files = [...SOUND, file("fd/dead.ts"), file("fd/dead_test.ts", ["fd/dead.ts"])];
  assertEquals(rule?.violations(files, dependencies), ["fd/dead.ts"]);
});

Deno.test("layers: a module with too many files breaks a rule", () => {
  const rule = LAYER_RULES.find(({ name }) => name === "no module has more files than a reader can take in");
  const many = (count: number) => Array.from({ length: count }, (_, at) => file(`fd/put/file_${at}.ts`));
  assertEquals(rule?.violations(many(MAX_FILES), dependencies), []);
  assertEquals(rule?.violations(many(MAX_FILES + 1), dependencies), ["fd/put"]);
});

for (const [name, broken] of BROKEN) {
  Deno.test(`layers: "${name}" can fail, on ${broken.path} with ${broken.imports.at(-1)?.specifier ?? broken.text}`, () => {
    const rule = LAYER_RULES.find((candidate) => candidate.name === name);
    const files = [...SOUND.filter(({ path }) => path !== broken.path), broken];
    assertEquals(rule?.violations(files, dependencies).length, 1);
  });
}

Deno.test("layers: every rule has a project that breaks it", () => {
  const proven = new Set([
    ...BROKEN.map(([name]) => name),
    "no module has more files than a reader can take in",
  ]);
  assertEquals(LAYER_RULES.map(({ name }) => name).filter((name) => !proven.has(name)), []);
});
