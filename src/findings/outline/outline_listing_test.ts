import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { bytesOf, contentOf } from "../../../tests/outlined_bytes.ts";
import { latin1Of } from "./outlined_content.ts";
import { looksAligned, looksLikeListing } from "./known_starts.ts";
import { outlineListing } from "./outline_listing.ts";
import { outlineTable } from "./outline_table.ts";

function outlineOf(lines: readonly string[]): string | undefined {
  const bytes = bytesOf(`${lines.join("\n")}\n`);
  const first = latin1Of(bytes).slice(0, 4096);
  const table = looksAligned(first) ? outlineTable(contentOf(bytes), 4000) : undefined;
  return (table ?? (looksLikeListing(first) ? outlineListing(contentOf(bytes), 4000) : undefined))?.lines
    .join("\n");
}

const many = <Item>(count: number, item: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at));
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const path = fc.tuple(
  fc.array(name, { minLength: 1, maxLength: 4 }),
  name,
  fc.constantFrom(".ts", ".md", ".json"),
)
  .map(([directories, file, ending]) => `${directories.join("/")}/${file}${ending}`);

Deno.test("a listing of paths has the counts of its items, of its fullest directory, and of its endings", () => {
  fc.assert(
    fc.property(fc.array(path, { minLength: 20, maxLength: 300 }), (paths) => {
      const outline = outlineOf(paths)!;
      const countBy = (keyOf: (path: string) => string) =>
        [...Map.groupBy(paths, keyOf)].map(([key, all]) => [key, all.length] as const)
          .sort((one, other) => other[1] - one[1]);
      assert(outline.startsWith(`paths: ${paths.length} in `), outline);
      const [, most] = countBy((each) => each.replace(/\/[^/]*$/, ""))[0]!;
      assert(outline.includes(`most in one directory: ${most} in `), outline);
      for (const [ending, count] of countBy((each) => each.replace(/^.*\./, "."))) {
        assert(outline.includes(`${ending} ${count}`), outline);
      }
    }),
    { numRuns: 50 },
  );
});

Deno.test("matches are counted by file, and one of another form is named", () => {
  const lines = many(60, (at) => `tests/part${at % 7}_test.py:${at + 1}:    charge("${at}", ${at})`);
  lines[40] = "src/renew.py:88:    total = charge(customer, retries=3)";
  const outline = outlineOf(lines)!;
  assert(outline.startsWith("matches: 60 in 8 files"), outline);
  assert(outline.includes("line 41: src/renew.py:88:"), outline);
  assert(outline.includes(" 9 tests/part0_test.py, first 1:charge"), outline);
});

Deno.test("states that few items have are named, in colours and in sections, too", () => {
  const status = many(50, (at) => `\t\x1b[31mmodified:   src/a${at}.ts\x1b[m`);
  const outline = outlineOf([
    "On branch main",
    "Changes not staged for commit:",
    ...status,
    "\tdeleted:    docs/old.md",
    "",
    "Untracked files:",
    '  (use "git add <file>..." to include in what will be committed)',
    ...many(30, (at) => `\tout/${at}.log`),
  ])!;
  assert(outline.includes("changes not staged for commit: modified 50"), outline);
  assert(outline.includes("untracked files 30"), outline);
  assert(outline.includes("line 53: docs/old.md"), outline);
});

Deno.test("a package in two versions is named, with its lines", () => {
  const outline = outlineOf([
    "shop v0.1.0",
    ...many(40, (at) => `├── part${at} v1.0.${at}`),
    "│   └── rand v0.7.3",
    "├── rand v0.10.0",
  ])!;
  assert(outline.includes("in several versions: 1\n rand 0.7.3 (line 42), 0.10.0 (line 43)"), outline);
});

Deno.test("columns that stand below each other have their values, and the row with most", () => {
  const row = (pid: number, cpu: string, state: string, command: string) =>
    `root ${String(pid).padStart(6)} ${cpu.padStart(5)} ${state.padEnd(4)} ${command}`;
  const outline = outlineOf([
    "USER    PID  %CPU STAT COMMAND",
    ...many(40, (at) => row(300 + at, `0.${at % 9}`, "S", `/usr/bin/part --number ${at}`)),
    row(900, "97.1", "R", "java -jar ledger.jar"),
  ])!;
  assert(outline.startsWith("table: 41 rows of 5 columns"), outline);
  assert(outline.includes("%CPU 97.1 (line 42)"), outline);
  assert(outline.includes('.STAT: "S" ×40, "R" ×1'), outline);
});

Deno.test("reports of compilers, logs and text are no listings", () => {
  const others = [
    (at: number) => `src/a${at}.c:${at}:7: error: 'x' undeclared`,
    (at: number) => `src/a${at}.py:${at}: error: Incompatible types`,
    (at: number) => `2026-11-23 13:35:14,5${at} DEBUG   order ${at} picked`,
    (at: number) => `12:50:32 web.1 | GET /items/${at} 200`,
    (at: number) => `   Compiling serde v1.0.${at}`,
    (at: number) => `${at + 1} of 400 models built`,
    (at: number) => `The part ${at} of this text says something else, in words.`,
    (at: number) => `INSERT INTO orders VALUES (${at}, 'EUR');`,
  ];
  for (const other of others) assertEquals(outlineOf(many(60, other)), undefined, other(1));
});

Deno.test("a line of any length or form is read in linear time", () => {
  for (
    const text of [" ".repeat(200_000), "│ ".repeat(60_000), `${"a ".repeat(99_999)}|`, "a/".repeat(99_999)]
  ) {
    outlineOf([...many(60, (at) => `├── part${at} v1.0.0`), text, text]);
    outlineOf([...many(60, (at) => `a/b${at}.ts`), text]);
  }
});

Deno.test("of a table that is sorted from its largest row on, the first rows are shown", () => {
  const rows = (sizeOf: (at: number) => number) =>
    Array.from({ length: 60 }, (_, at) => `shop.part_${at + 10}  ${String(sizeOf(at)).padStart(7)}  kB\n`);
  const shown = (sizeOf: (at: number) => number) => {
    const bytes = bytesOf(`NAME             SIZE  UNIT\n${rows(sizeOf).join("")}`);
    return outlineTable(contentOf(bytes), 4000)?.shownLines;
  };
  assertEquals(shown((at) => 84_000 - 1000 * at)?.slice(0, 6), [1, 2, 3, 4, 5, 6]);
  assertEquals(shown((at) => at * 7 % 60)?.filter((line) => line < 7), [1, 2]);
});

Deno.test("paths are found behind the owners of an archive, sums, and modes and hashes of git", () => {
  const hash = "9a3e32b69f2f2d0e4c50d46352dee615f6ea54ee";
  const forms: Record<string, (path: string, at: number) => string> = {
    "tar -tv": (path, at) => `-rw-r--r-- root/staff ${`${at}`.padStart(9)} 2026-11-29 19:04 ${path}`,
    "aws s3 ls": (path, at) => `2026-11-29 19:04:07 ${`${at}`.padStart(10)} ${path}`,
    sha1sum: (path) => `${hash}  ${path}`,
    "git ls-tree -rl": (path, at) => `100644 blob ${hash} ${`${at}`.padStart(7)}\t${path}`,
    "git ls-files -s": (path) => `100644 ${hash} 0\t${path}`,
  };
  for (const [command, lineOf] of Object.entries(forms)) {
    const outline = outlineOf(
      many(60, (at) => lineOf(`src/part${at % 4}/file${at}.ts`, at === 40 ? 9000 : at)),
    )!;
    assert(outline.startsWith("paths: 60 in 5 directories"), `${command}: ${outline}`);
    assert(
      /^(?:tar -tv|git ls-tree|aws)/.test(command) ===
        outline.includes("largest: 9000 src/part0/file40.ts (line 41)"),
      outline,
    );
  }
});

Deno.test("paths behind a size or count are a tree, too", () => {
  const outline = outlineOf(many(60, (at) => `${at * 7919 % 9000 + 1} ./src/part${at % 4}/file${at}.ts`))!;
  assert(outline.startsWith("counts: 60 items") && outline.includes("\n part0/ 15\n"), outline);
});

Deno.test("paths with any chars are counted, and matches in lines of any length", () => {
  const paths = many(60, (at) => `./lib/a${at}.pm`);
  paths.splice(30, 0, "./lib/Exception::Class.3pm", "./notes (1), one; two.txt");
  assert(outlineOf(paths)!.startsWith("paths: 62 in 1 directory"), outlineOf(paths));
  const matches = many(60, (at) => `src/a${at % 3}.ts:${at}: // TODO`);
  matches[20] = `dist/min.js:1:${"x(".repeat(9000)}// TODO`;
  assert(outlineOf(matches)!.startsWith("matches: 60 in 4 files"), outlineOf(matches));
});

Deno.test("commits with their days are counted by author and by the first word behind these", () => {
  const outline = outlineOf(
    many(
      60,
      (at) => `${"1a2b3c4d".repeat(5).slice(at % 20, at % 20 + 9)} Ann Bo 2026-10-${at % 9 + 10} Fix ${at}`,
    ),
  )!;
  assert(
    outline.includes("author: Ann Bo 60\ndays: 2026-10-10 to 2026-10-18, most on 2026-10-10: 7"),
    outline,
  );
  assert(outline.includes("first words: Fix 60"), outline);
  const symbols = many(60, (at) => `00000000000${at + 10}af0 00000000000000${at % 9 + 1}c T call_${at}`);
  assertEquals(outlineOf(symbols), undefined);
});

Deno.test("of a column with many values that repeat, the most frequent ones are listed", () => {
  const rows = many(
    160,
    (at) => `registry.local/${at % 4 ? `part${at % 16 + 10}` : "main--"}   1.${at + 100}   ${at + 200}MB`,
  );
  const outline = outlineOf(["REPOSITORY              TAG     SIZE", ...rows])!;
  assert(outline.includes('.REPOSITORY: "registry.local/main--" ×40, '), outline);
});

Deno.test("the largest row of a table is named by its first cells if it is long", () => {
  const rows = many(
    60,
    (at) => `root   ${at + 100}  ${at === 40 ? 9000 : at % 9 + 10}   run ${"--option ".repeat(40)}`,
  );
  const outline = outlineOf(["USER   PID  RSS  COMMAND", ...rows])!;
  assert(outline.includes("RSS 9000 (line 42: root 140)"), outline);
});
