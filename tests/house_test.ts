import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { VERSION } from "../src/calls/arguments/version.ts";
import { CHECKOUT } from "../scripts/checkout.ts";
import { BOTH_FORMS } from "../scripts/test_stages.ts";
import { readImportGraph } from "./import_graph.ts";
import packageFile from "../package.json" with { type: "json" };

Deno.test("the program's version is its package's, for npm and for Deno", () => {
  assertEquals(VERSION, packageFile.version);
  const settings = Deno.readTextFileSync(new URL("../deno.json", import.meta.url));
  assertEquals(/^ +"version": "(.*)",$/m.exec(settings)?.[1], packageFile.version);
});

/** The lines that git prints in the checkout. */
function gitLines(...args: readonly string[]): string[] {
  const { stdout } = new Deno.Command("git", { args: [...args], cwd: CHECKOUT }).outputSync();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

/** A new name here is a decision: everything else has its place in a folder. */
const TOP_LEVEL =
  `.ci .devcontainer .github .gitignore ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md
  deno.json docs fd main.ts package-lock.json package.json scripts src tests`;

Deno.test("no stray file lies at the top level", () => {
  const names = new Set(gitLines("ls-files").map((path) => path.split("/")[0]!));
  assertEquals([...names].sort(), TOP_LEVEL.split(/\s+/).sort());
});

/** The last commit before subjects were checked by a test. */
const UNCHECKED = "845920c0";

Deno.test("commit subjects have at most 72 characters", () => {
  // A shallow clone lacks the older commits, and an archive all. A forge writes subjects of merges with both hashes.
  const isKnown = gitLines("cat-file", "-t", UNCHECKED)[0] === "commit";
  const subjects = isKnown
    ? gitLines("log", "--no-merges", "--format=%s", `${UNCHECKED}..HEAD`)
    : gitLines("log", "--no-merges", "--format=%s", "-1");
  assertEquals(subjects.filter((subject) => subject.length > 72), []);
});

for (const document of ["SECURITY.md", "docs/limits.md"]) {
  Deno.test(`${document} names tests that are there`, () => {
    const text = Deno.readTextFileSync(new URL(`../${document}`, import.meta.url));
    const named = [...text.matchAll(/`((?:tests|fd|src|scripts)\/[\w/]+\.ts)`/g)].map(([, path]) => path);
    assert(named.length > 5);
    assertEquals(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url))), []);
  });
}

Deno.test("scripts/test_stages.ts names tests that are there", () => {
  const files = [...Deno.readDirSync(import.meta.dirname!)].map(({ name }) => name);
  assertEquals(Object.keys(BOTH_FORMS).filter((name) => !files.includes(`${name}_test.ts`)), []);
});

Deno.test("tables in documents are at most 100 characters wide", () => {
  const documents = gitLines("ls-files", "*.md", ":!scripts");
  assert(documents.length > 8);
  const wide = documents.flatMap((path) =>
    Deno.readTextFileSync(new URL(`../${path}`, import.meta.url)).split("\n")
      .flatMap((line, index) =>
        line.startsWith("|") && [...line].length > 100 ? [`${path}:${index + 1}`] : []
      )
  );
  assertEquals(wide, []);
});

Deno.test("no file contains conflict markers", () => {
  assertEquals(gitLines("grep", "-lE", "^(<{7}|>{7}) "), []);
});

Deno.test("code refers to the contract by its headings or law numbers", () => {
  const contract = Deno.readTextFileSync(new URL("../docs/contract.md", import.meta.url));
  const headings = new Set([...contract.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!));
  const laws = [...contract.matchAll(/^(\d+)\. \*\*/gm)].length;
  assert(headings.size > 5 && laws > 5);
  const references = readImportGraph().flatMap(({ path, text }) =>
    // A reference may go on in the next line of a comment.
    [...text.replace(/\n\s*(?:\*|\/\/)\s?/g, " ").matchAll(/\bcontract, ([^).:;`"\n]+)/g)]
      .flatMap(([, named]) =>
        named!.split(/, | and /).filter((name) => name !== "").map((name) => ({ path, name }))
      )
  );
  assert(references.length > 50);
  const isKnown = (name: string) => {
    const law = /^laws? (\d+)$|^(\d+)$/.exec(name);
    if (law !== null) return Number(law[1] ?? law[2]) <= laws;
    return headings.has(name);
  };
  assertEquals(references.filter(({ name }) => !isKnown(name)), []);
});
