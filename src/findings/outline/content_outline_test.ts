import { assert, assertEquals } from "@std/assert";
import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { blocksOf } from "../../../tests/outlined_bytes.ts";
import { outlineContent } from "./content_outline.ts";
import type { ContentOutline } from "./outlined_content.ts";

async function outlined(content: string | Uint8Array): Promise<ContentOutline | undefined> {
  return await outlineContent(blocksOf(content), 4000);
}

async function textOf(content: string | Uint8Array): Promise<string> {
  return (await outlined(content))?.lines.join("\n") ?? "";
}

const anyFile = fc.array(fc.constantFrom("a", "b", "-- c", "++ d", "@@ -1 +1 @@", "commit 1234567", ""), {
  maxLength: 30,
})
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

Deno.test("a diff's files have their line numbers and counts of changed lines", async () => {
  const anyChange = fc.tuple(anyFile, anyFile).filter(([before, after]) => before !== after);
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 5 }), async (changes) => {
      let text = "";
      const expected: string[] = [];
      for (const [at, [before, after]] of changes.entries()) {
        const patch = createTwoFilesPatch(`a/dir/${at}.ts`, `b/dir/${at}.ts`, before, after).replace(
          /^=+\n/,
          "",
        );
        const hunks = patch.split("\n").slice(2);
        const count = (sign: string) => hunks.filter((line) => line.startsWith(sign)).length;
        expected.push(` line ${text.split("\n").length}: dir/${at}.ts +${count("+")} -${count("-")}`);
        text += `diff --git a/dir/${at}.ts b/dir/${at}.ts\nindex 1..2 100644\n${patch.replaceAll("\t", "")}`;
      }
      assertEquals((await outlined(text))?.lines.slice(1), expected);
    }),
    { numRuns: 60 },
  );
});

/** A diff of `count` files that makes the change of `lineOf` in each. */
function diffOf(count: number, lineOf: (at: number) => readonly [before: string, after: string]): string {
  return Array.from({ length: count }, (_, at) => {
    const [before, after] = lineOf(at);
    return `diff -ru a/f${at} b/f${at}\n--- a/f${at}\n+++ b/f${at}\n@@ -1,2 +1,2 @@\n one\n-${before}\n+${after}\n`;
  }).join("");
}

Deno.test("the one hunk that differs among many alike is shown, and next reads it", async () => {
  const contents: [string, readonly string[]][] = [
    [diffOf(91, (at) => ["timeout = 10", at === 36 ? "timeout = 3" : "timeout = 30"]), [
      "90 of 91",
      "+timeout = 3",
    ]],
    [
      diffOf(
        40,
        (
          at,
        ) => [
          `  call(${"x".repeat(at % 5)}, old, ${at});`,
          `  call(${"x".repeat(at % 5)}, ${at === 36 ? "od" : "new"}, ${at});`,
        ],
      ),
      ["39 of 40", "+  call(x, od, 36);"],
    ],
    [diffOf(60, (at) => [`version = 1.${at}`, at === 36 ? "version = latest" : `version = 2.${at}`]), [
      "59 of 60",
      "+version = latest",
    ]],
  ];
  for (const [text, facts] of contents) {
    const { lines, readOn } = (await outlined(text))!;
    for (const fact of [...facts, "line 256: f36"]) {
      assert(
        lines.slice(0, 12).some((line) => line.trim() === fact || line.startsWith(fact)),
        `${fact}\n${lines.join("\n")}`,
      );
    }
    assertEquals(readOn, { mode: "line", start: 256, count: 4 });
  }
  const differing = (await outlined(diffOf(91, (at) => [`${at % 7}`, `name${"x".repeat(at)}`])))!;
  assert(!differing.lines.includes("others:"));
});

Deno.test("a log of commits has each commit's line, subject and counts; other lines are shown", async () => {
  const commit = (hash: string, subject: string) =>
    `commit ${hash}\nAuthor: A <a@b>\nDate:   Mon\n\n    ${subject}\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n`;
  const text = await textOf(
    `${commit("0123456789abcdef", "Add x")}${
      commit("fedcba9876543210", "Drop y")
    }fatal: unable to read tree\n`,
  );
  assertEquals(
    text,
    `git log: 2 commits, 2 files, +2 -2
authors: A 2
from Mon to Mon
 line 1: 0123456789 Add x (1 file, +1 -1)
 line 14: fedcba9876 Drop y (1 file, +1 -1)
neither file nor hunk: line 27: fatal: unable to read tree`,
  );
});

const rows = Array.from(
  { length: 300 },
  (_, at) => `${at},"Main ""Street"" ${at}, x",${at % 3 === 0 ? "Oslo" : "Bergen"},${at % 7}`,
);

Deno.test("a table has its columns, the rows that do not fit, and odd cells", async () => {
  const changed = [...rows];
  changed[50] = '50,"Main, x",Oslo';
  changed[100] = '100,"two\nlines",Oslo,3';
  changed[200] = '200,"Main",Oslo,n/a';
  changed[250] = '250,"Main",,3';
  const text = await textOf(`\ufeffid,street,city,count\r\n${changed.join("\r\n")}\r\n`);
  assert(text.startsWith("CSV: 300 rows of 4 columns"), text);
  assert(text.includes("\n.id: integer 0–299\n.street: string"), text);
  assert(text.includes("does not fit: line 52 (3 cells)"), text);
  assert(text.includes("line 203: .count is"), text);
  assert(text.includes("line 253: .city is empty (1 of 299)"), text);
  assert((await textOf(`a\tb\tc\n${"1\t2\tx\n".repeat(20)}`)).startsWith("TSV: 20 rows of 3 columns"));
});

Deno.test("a table is one behind the prefix of a log, too, and ids in hexadecimal digits are no numbers", async () => {
  const pods = Array.from(
    { length: 80 },
    (_, at) => `8474${at + 10}e51546  web-${at}   ${at === 52 ? "99.8" : `${at % 40 + 10}.5`}%   running`,
  );
  const table = ["CONTAINER ID  NAME     CPU %   STATUS", ...pods];
  const prefixes = [
    "",
    "2026-03-02T10:00:07Z ",
    "10:00:07.118 INFO  ",
    "[billing] ",
    "web-1  | ",
    "web-1 |   ",
  ];
  for (const prefix of prefixes) {
    const text = await textOf(table.map((line) => `${prefix}${line}\n`).join(""));
    assert(text.startsWith("table: 80 rows of 4 columns"), prefix + text);
    assert(/"CPU %" 99.8%|CPU % 99.8% \(line 54\)/.test(text) && !text.includes("Infinity"), prefix + text);
  }
});

Deno.test("binary content is said to be binary, with its type, and no byte of it is shown", async () => {
  const noise = Uint8Array.from({ length: 20_000 }, (_, at) => at * 7919 % 251);
  const of = (start: string) =>
    textOf(Uint8Array.from([...Array.from(start, (char) => char.charCodeAt(0)), ...noise]));
  const png = await of("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0");
  assert(png.startsWith("binary: PNG image, 640 × 480 pixels, 20,024 bytes"), png);
  assert((await of("\x1f\x8b\x08\0")).startsWith("binary: gzip-compressed data"));
  assert((await of("")).startsWith("binary: unknown type, 20,000 bytes\nstarts with: 00 8a"), await of(""));
  assert(!/[^\x20-\x7e\n×]/.test(png));
});

Deno.test("other text is left to the digest", async () => {
  const texts = [
    "commit to the plan\n".repeat(1000),
    "--- setup\nok\n".repeat(1000),
    "diff -- not really\nwhat\n".repeat(500),
    "2026-01-01 10:00:00,123 INFO a, b, c\n".repeat(500),
    "Compiling a, b, c\nerror, at 5, of 6\n".repeat(500),
    "one, two, three\nfour, five, six\n".repeat(500),
    "/usr/bin/x\0/usr/bin/y\0".repeat(500),
    "[INFO] a\n[WARN] b\n".repeat(500),
    "{\n  int x;\n}\n".repeat(500),
    Array.from(
      { length: 500 },
      (_, at) =>
        `1a2b3c${at % 7} src/auth.py (Ben Oda 2025-03-${at % 18 + 10} 10:10:0${at % 9} +0000 ${
          at + 1
        }) limit = ${at}\n`,
    ).join(""),
    Array.from({ length: 500 }, (_, at) => `cc -O2 -c src/unit_${at}.c\n`).join(""),
    Array.from({ length: 500 }, (_, at) => `10:00:${at % 50 + 10} CC src/unit_${at}.c\n`).join(""),
    `${"[881.25] oom-kill: gfp=0x14\n[881.26] [  811]  1000 811 4812 [a]\n".repeat(300)}`,
  ];
  for (const text of texts) assertEquals(await outlined(text), undefined, text.slice(0, 40));
});

Deno.test("a document is outlined as well after other lines, behind the prefix of a log, and in colours", async () => {
  const pods = Array.from(
    { length: 300 },
    (_, at) => ({ name: `pod-${at}`, phase: at === 117 ? "Lost" : "Running" }),
  );
  const json = JSON.stringify(pods, undefined, 2);
  const each = (change: (line: string, at: number) => string) => json.split("\n").map(change).join("\n");
  const changed = [
    `Warning: the flag is deprecated\n${json}`,
    each((line, at) => `2026-03-02T10:00:${at % 60 + 10}.5Z ${line}`),
    each((line) => line.replace(/"\w+":/, "\x1b[34m$&\x1b[0m")),
    `\x1b[33mnpm warn\x1b[0m using\n${each((line) => line.replace(/"\w+":/, "\x1b[34m$&\x1b[0m"))}`,
  ];
  for (const text of changed) {
    const shown = await textOf(text);
    assert(shown.startsWith("JSON: one array") && shown.includes('.phase is "Lost" (1 of 300)'), shown);
  }
  // Braces in a log do not make it JSON.
  const log = `{\n${"took 3 ms\n".repeat(900)}}\n`;
  assertEquals(await textOf(`started\n${log}`), "");
});

/** A part of a file, as each language writes them. */
const SOURCES: Readonly<Record<string, (at: number) => string>> = {
  TypeScript: (at) =>
    `export function part${at}(x: number): number {\n  const y = x + ${at};\n  return y * 2;\n}\n\n`,
  Python: (at) => `def part${at}(x):\n    """Adds\nand doubles."""\n    return (x + ${at}) * 2\n\n`,
  C: (at) => `static int part${at}(int x, int y) {\n    if (x < y) return ${at};\n    return x;\n}\n\n`,
  Rust: (at) => `pub fn part${at}(x: i32) -> i32 {\n    let y = x + ${at};\n    y * 2\n}\n\n`,
  Go: (at) => `func part${at}(x int) int {\n\ty := x + ${at}\n\treturn y * 2\n}\n\n`,
  Markdown: (at) =>
    `${at === 0 ? "" : "\n"}## part${at}\n\nSome words on it.\n\n\`\`\`sh\n# no heading\n\`\`\`\n`,
};

for (const [language, partOf] of Object.entries(SOURCES)) {
  Deno.test(`source: each definition or heading of ${language} has its line, also behind line numbers`, async () => {
    const text = Array.from({ length: 24 }, (_, at) => partOf(at)).join("");
    const lines = text.split("\n");
    const wanted = lines.flatMap((line, at) => line.includes("part") ? [` line ${at + 1}: ${line}`] : []);
    assertEquals((await outlined(text))?.lines.slice(1), wanted);
    const numbered = lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join("\n");
    if (language !== "Markdown") assertEquals((await outlined(numbered))?.lines.slice(1), wanted);
  });
}

Deno.test("source: code with something else below it, or about which something is reported, is not outlined", async () => {
  const code = Array.from({ length: 30 }, (_, at) => SOURCES["TypeScript"]!(at)).join("");
  const log = "started the server and waits for a request from anywhere\n".repeat(60);
  assertEquals(await outlined(code + log), undefined);
  const report = Array.from(
    { length: 60 },
    (_, at) => `src/a.ts:${at}:7: unused name (no-unused)\n${SOURCES["C"]!(at)}`,
  );
  assertEquals(await outlined(report.join("")), undefined);
});

Deno.test("a commit whose hash has letters only is one of the log", async () => {
  const log = Array.from(
    { length: 400 },
    (_, at) => `${at === 77 ? "deadbee" : 1_234_567 + at} Fix the rate of zone ${at}`,
  );
  assertEquals((await outlined(log.join("\n")))?.lines[0]?.slice(0, 12), "commits: 400");
});
