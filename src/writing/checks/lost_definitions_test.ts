// Promise: a write says which functions, classes and headings it removes.

import { assertEquals } from "@std/assert";
import { lostDefinitions } from "./lost_definitions.ts";

const content = (text: string) => ({ chunks: () => [new TextEncoder().encode(text)] });
const lost = (path: string, before: string, after: string) =>
  lostDefinitions(path, content(before), content(after))
    .map((sentence) => sentence.replace(`No longer in ${path}: `, "").replace(/\.$/, "")).join();

Deno.test("what a file defines is named in many languages, and nothing that only looks like a definition", () => {
  const cases: [path: string, text: string, names: string][] = [
    [
      "a.js",
      "export async function load(a) {\n  if (a) {\n}\n}\nclass B extends C {\n  run(x) {\n  }\n  get size() {\n  }\n}\nconst f = (a, b) => a;\nlet n = 1;\n",
      "load, B, run, size, f",
    ],
    [
      "a.ts",
      "export interface A {\ntype B = string;\n  private async go(a: string): Promise<void> {\n",
      "A, B, go",
    ],
    [
      "a.py",
      "class A(B):\n    def run(self):\n        return call(\n    async def go(self):\n",
      "A, run, go",
    ],
    [
      "a.go",
      "func main() {\nfunc (s *Site) Build(a int) error {\ntype Site struct {\n\tif x := f(); x {\n",
      "main, Build, Site",
    ],
    [
      "a.rs",
      "pub fn new() -> Self {\nimpl Drop for A {\npub(crate) struct B;\n    if let Some(x) = y {\n",
      "new, Drop, B",
    ],
    [
      "A.java",
      "public class A {\n  public static <T> List<T> of(T... all) throws E {\n    } else if (x) {\n    for (int i : all) {\n",
      "A, of",
    ],
    ["a.c", "static int run(char *a)\n{\nint main(void) {\n  while (f(x)) {\n", "main"],
    ["a.rb", "module A\n  class B < C\n    def run\n    def go(x)\n", "A, B, run, go"],
    ["a.php", "final class A\n{\n    public function run(): int\n", "A, run"],
    ["a.ex", "defmodule A do\n  def run(x) do\n  defp go, do: 1\n", "A, run"],
    ["a.md", "# One\ntext\n## Two\n", "# One, ## Two"],
    ["a.txt", "class A {\nfunction f() {\n", ""],
    ["b.js", "// the function can be used\n * class of its own\n  foo(a);\n  return function () {\n", ""],
  ];
  for (const [path, text, names] of cases) assertEquals(lost(path, text, "\n"), names, path);
});

Deno.test("a definition that moves, stays or is renamed is not named, and a list is bounded", () => {
  const [f, g, h] = ["f", "g", "h"].map((name) => `function ${name}() {\n}\n`);
  assertEquals(lost("a.js", `${f}${g}`, `${g}${f}`), "");
  assertEquals(lost("a.js", `${f}${g}`, `${f}${h}`), "");
  assertEquals(lost("a.js", `${f}${g}`, `${h}`), "f, g");
  assertEquals(lost("a.js", "", `${f}`), "");
  assertEquals(lost("a.js", `${f}`, `\r\n${f!.replaceAll("\n", "\r\n")}`), "");
  const many = Array.from({ length: 20 }, (_, at) => `function f${at}() {\n}\n`).join("");
  assertEquals(lost("a.js", many, ""), "f0, f1, f2, f3, f4, f5, f6, f7 and 12 more");
});
