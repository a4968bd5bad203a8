// Promise: --check-structure finds broken JSON, TOML, YAML and unpaired brackets, and lets correct files pass (the
// contract, Writing files).

import { assertEquals } from "@std/assert";
import { bracketProblems } from "./bracket_balance.ts";
import { checkStructure } from "./structure_check.ts";

const SOUND: readonly (readonly [string, string])[] = [
  ["a.json", '{"a": [1, 2, {"b": "}"}]}'],
  ["a.json", '\uFEFF{"a": 1}'],
  ["a.jsonl", '{"a":1}\n{"b":2}\n\n'],
  ["tsconfig.json", '{\n // c }\n "a": [1,],\n}'],
  ["a.toml", 'a = 1\n[b]\nc = ["x", "]"]\n'],
  ["a.yaml", "a:\n  - b: 1\n---\nc: {d: [1, 2]}\n"],
  ["template.yaml", "a: !Ref x\nb: !Sub [a, {b: c}]\nc: !GetAtt\n  d: e\n? {a: 1}\n: 2\ne: !!set {x}\n"],
  ["a.js", "const r = /[{(]\\/[/}]/g; if (a / b / c) { f(`x ${y ? `}${z}` : '('} )`); } // )\n/* ( */"],
  ["a.js", "const s = \"}\", t = ')'; return /\\)/.test(x);"],
  ["a.ts", "const f = <T,>(a: T): T[] => [a];\nlabel: for (;;) { break label; }\n"],
  ["a.tsx", "const a = <p>Depuis l'année{' '}<b>d'un (an)</b></p>;\n"],
  ["a.js", "function f(){switch(a){case'{':return'}'}}\n"],
  ["a.tsx", "const a = <p>Don't (really) {b}</p>;\nconst c = <br />;\n"],
  ["a.py", 'x = """ ( """\ny = \'\'\' [ \'\'\'  # (\nz = f"{a[\'b\']}"\nprint("it\'s)")\n'],
  [
    "a.c",
    "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n  char c = '{'; char d = '\\''; return 0; }\n",
  ],
  ["a.c", "#define OPEN (\\\n {\nint a;\n"],
  ["a.rs", "fn f<'a>(x: &'a str) -> char { let s = r#\"( \"#; /* a /* ( */ b */ '(' }\n"],
  ["a.rs", 'fn f() { println!("multi (\nline"); }\n'],
  ["a.go", "func f() string { return `{ (` + \"}\" + string('[') }\n"],
  ["a.java", 'String s = """\n  { (\n  """; char c = \'}\';\n'],
  ["a.kt", 'val s = """{ \\"""\nfun f() { /* { /* } */ } */ }\n'],
  ["a.css", '.a { content: "}"; background: url(http://x/y) }\n/* { */\n'],
  ["a.scss", "// {\n.a { background: url(http://x/y); // }\n}\n"],
  ["a.cpp", 'auto s = R"x(( { )x";\n'],
  ["a.unknown", "((((("],
];

const BROKEN: readonly (readonly [string, string, number | undefined])[] = [
  ["a.toml", "a = 1\nb = [1, 2\n", 3],
  ["a.yaml", "a: 1\n  b: 2\n c: [\n", 2],
  ["a.yaml", "a: 1\nb: 2\na: 3\n", 3],
  ["a.yaml", "a: *missing\n", 1],
  ["a.js", "function f() {\n  if (a) {\n  g();\n}\n", 1],
  ["a.ts", "f(a, b;\n}\n", 2],
  ["a.py", "x = [1,\n  2\n", 1],
  ["a.rs", "fn f() {\n  a(];\n}\n", 2],
  ["a.go", "func f() {\n}\n}\n", 3],
  ["a.css", ".a {\n  color: red;\n", 1],
  ["tsconfig.json", '{\n "a": [1,\n}', 3],
];

async function faultIn(...given: Parameters<typeof checkStructure>) {
  const found = await checkStructure(...given);
  return found?.problems.length === 0 ? undefined : found;
}

Deno.test("an unknown language is reported as unknown, not as valid", async () => {
  assertEquals(await checkStructure("((((", "a.unknown", undefined), undefined);
  assertEquals((await checkStructure("f()\n", "a.js", undefined))?.problems, []);
});

Deno.test("valid files pass", async () => {
  for (const [fileName, text] of SOUND) {
    assertEquals(await faultIn(text, fileName, undefined), undefined, `${fileName}: ${text}`);
  }
});

Deno.test("invalid files are reported with the line", async () => {
  for (const [fileName, text, lineNumber] of BROKEN) {
    const fault = await faultIn(text, fileName, undefined);
    assertEquals(fault?.problems[0]?.lineNumber, lineNumber, `${fileName}: ${JSON.stringify(fault)}`);
  }
  assertEquals((await faultIn('{"a": 1,', "a.json", undefined))?.kind, "structure_invalid");
  assertEquals(
    (await faultIn('{"a": 1}\n{"a": \n', "a.jsonl", undefined))?.problems[0]?.lineNumber,
    2,
  );
});

Deno.test("a bracket problem that the old file has too is not reported", async () => {
  assertEquals(await faultIn("f(((\n", "a.js", "g((\n"), undefined);
  assertEquals((await faultIn("f(((\n", "a.js", "g()\n"))?.kind, "structure_invalid");
});

Deno.test("a problem names the bracket and its partner", () => {
  assertEquals(bracketProblems("{\n(\n}\n", "a.js")?.problems, [{
    lineNumber: 3,
    problem: '"}" does not close the "(" of line 2',
  }]);
});
