import { deepStrictEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { readWhole } from "../../../fd/mod.ts";
import { cleanBytes } from "../../../fd/system.ts";
import { anyContent } from "../../../tests/contents.ts";
import { blocksOf } from "../../../tests/outlined_bytes.ts";
import type { Preview } from "../../calls/terms/answers.ts";
import { digestBody } from "../../answers/render/body_text.ts";
import { digestPreview, failingPlaces } from "./digest_preview.ts";

function digestOf(content: Uint8Array | string, budgetChars = 4000, page = 1): Preview {
  const preview = digestPreview(blocksOf(content), { budgetChars, page });
  return preview instanceof Promise ? OUTLINED : preview;
}

/** The text of the digest of content that may be looked at as an outline first. */
async function laterText(content: string, budgetChars = 4000): Promise<string> {
  return textOf(await digestPreview(blocksOf(content), { budgetChars }));
}

/** Represents the outline of content of a known kind. */
const OUTLINED: Preview = { parts: [], lines: "0-0", truncated: false, readOn: {} };

function textOf(preview: Preview): string {
  return new TextDecoder().decode(readWhole(digestBody(preview.parts)));
}

const anyLine = fc.oneof(
  fc.constantFrom(
    "error: cannot open x",
    "   Compiling serde v1.0.219",
    "    at main (a.js:1:2)",
    "",
    "warning: unused",
    "== part",
    "---",
    "\x1b[31mFAILED\x1b[0m tests/a.py",
    "10%\r100%",
    "✗ adds",
    "x".repeat(2000),
    `${"漢字".repeat(300)} error: here ${"é".repeat(500)}`,
  ),
  fc.nat(9999).map((id) => `GET /items/${id} 200 ${id % 90}ms`),
  fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => text.replaceAll("\n", " ")),
);

Deno.test("lines and gaps of a digest cover every line once, in order, each line is the content's own, within the budget", () => {
  const content = fc.array(anyLine, { minLength: 1, maxLength: 400 }).map((lines) => `${lines.join("\n")}\n`);
  fc.assert(
    fc.property(content, fc.integer({ min: 600, max: 6000 }), (written, budget) => {
      const bytes = new TextEncoder().encode(written);
      const lines = new TextDecoder().decode(cleanBytes(bytes)).split("\n");
      lines.pop();
      const preview = digestOf(bytes, budget);
      if (preview === OUTLINED) return;
      let next = 1;
      for (const part of preview.parts) {
        const [first = 0, last = 0] = part.lines.split("-").map(Number);
        equal(first, next);
        ok(last >= first);
        next = last + 1;
        if ("omitted" in part) {
          equal(part.omitted, last - first + 1);
          continue;
        }
        const shown = new TextDecoder().decode(readWhole(part.body)).split("\n");
        equal(shown.length, last - first + 1);
        for (const [at, text] of shown.entries()) {
          const own = lines[first - 1 + at]!;
          const middle = text.replace(/^\[\d+ bytes …\] /, "").replace(/ \[… \d+ bytes\]$/, "");
          ok(own === text || own.includes(middle), `${first + at}: ${text}`);
        }
      }
      equal(next, lines.length + 1);
      const chars = [...textOf(preview)].length;
      ok(chars <= budget, `${chars} > ${budget}`);
      deepStrictEqual(textOf(digestOf(bytes, budget)), textOf(preview));
    }),
    { numRuns: 60 },
  );
});

Deno.test("a digest of any bytes covers them", () => {
  fc.assert(
    fc.property(anyContent.filter((content) => content.length > 0), (content) => {
      const preview = digestOf(content, 600);
      if (preview === OUTLINED) return;
      equal(
        preview.parts.at(-1)?.lines.split("-")[1],
        String(new TextDecoder().decode(content).split("\n").length - (content.at(-1) === 10 ? 1 : 0)),
      );
    }),
    { numRuns: 40 },
  );
});

const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at));

Deno.test("a digest counts the chars that the clean view leaves out of the shown lines only", () => {
  const lines = many(3000, (at) => at % 3 === 0 ? `plain ${at}` : `\x1b[32mok\x1b[0m ${at}\r`);
  lines[1700] = "\x1b[31merror: cents is not defined\x1b[0m";
  const preview = digestOf(lines.join("\n"));
  let leftOut = 0;
  for (const range of preview.lines.split(",")) {
    const [first = 0, last = 0] = range.split("-").map(Number);
    for (const line of lines.slice(first - 1, last)) {
      leftOut += line.length - line.replace(/\p{Cc}(?:\[\d+m)?/gu, "").length;
    }
  }
  ok(preview.lines.split(",").length > 2 && leftOut > 0);
  equal(preview.cleanedChars, leftOut);
});

Deno.test("next, followed to its end, shows or offers every line", () => {
  const content = fc.array(anyLine, { minLength: 1, maxLength: 400 }).map((lines) => `${lines.join("\n")}\n`);
  fc.assert(
    fc.property(content, fc.integer({ min: 600, max: 6000 }), (written, budget) => {
      const shown = new Set<number>();
      for (let page = 1;; page++) {
        const preview = digestOf(written, budget, page);
        if (preview === OUTLINED) return;
        for (const part of preview.parts) {
          if ("omitted" in part) continue;
          const [first = 0, last = 0] = part.lines.split("-").map(Number);
          for (let line = first; line <= last; line++) shown.add(line);
        }
        const { digest, start = Infinity } = preview.readOn ?? {};
        if (digest !== undefined) continue;
        for (let line = 1; line < Math.min(start, written.split("\n").length); line++) {
          ok(shown.has(line), `line ${line} is never offered`);
        }
        return;
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("a gap says how many of its lines are like none of its examples", () => {
  const lines = many(300, (at) => at % 10 === 3 ? `${"ab".repeat(at % 7)} (${at}) = x` : ordinary(at));
  for (const part of digestOf(lines.join("\n")).parts) {
    if (!("omitted" in part) || part.like.length === 0) continue;
    const alike = part.like.reduce((sum, { count }) => sum + count, 0);
    equal(alike + (part.others ?? 0), part.omitted);
  }
});

Deno.test("a short gap of lines that are not alike is shown, and one of lines like many others is not", () => {
  const lines = many(200, (at) => `f+++++++++ tree/part${at}`);
  lines.splice(
    2,
    0,
    "Removed functions:",
    "  [D] 'function int ledger_refund(int)'",
    "Summary: added 220, changed 1",
  );
  ok(textOf(digestOf(lines.join("\n"))).includes("ledger_refund"));
});

Deno.test("a longer gap near a failure is shown if its lines are not alike", async () => {
  const call = (at: number) =>
    `warning: old call\n  called from\n    pay at line ${at}\n    book at line ${at}:\n  (seen)\n    tax of ${at}\n` +
    `    rate = ${at}\n  in all: ${at}\n  and on\n    ${at % 8 === 0 ? "tried again at noon" : "twice"}\n\n`;
  const calls = many(30, (at) => call(at % 70 + 10)).join("");
  const text = await laterText(
    `${calls}error: no rate for zone 7\n\n${call(88)}error: gave up on zone 7\n\n${calls}`,
  );
  ok(text.includes("pay at line 88"), text);
});

Deno.test("what is reported again and again ends with its last state", async () => {
  const state = (at: number) =>
    `${"=".repeat(60)}\n${at * 5} s have passed\n-- Requests\n> Home (OK=${at * 40} KO=0)\n> Refund (OK=${
      at * 50
    } KO=${at})\n\n-- Shop\n  waiting: 0, active: 50\n${"=".repeat(60)}\n\n`;
  const text = await laterText(many(90, state).join(""));
  ok(text.includes("> Refund (OK=4450 KO=89)"), text);
});

Deno.test("the room of a digest is counted in chars, of which some take several bytes", () => {
  const passing = many(200, (at) => `test receipt_${at} ... ok`);
  const framed = many(
    10,
    (at) =>
      `${"\u2500".repeat(80)}\n  ${
        "amber birch cedar delta ember fjord grove hazel inlet jetty".split(" ")[at]
      } is compared`,
  );
  const failed = [
    "test gift ... FAILED: panicked at src/gift.rs:88:9",
    ...framed,
    "  stored 4711, came 4712",
  ];
  const text = textOf(digestOf([...passing, ...failed, ...passing].join("\n")));
  ok(text.includes("came 4712"), text);
});

Deno.test("one error among thousands of file names with that word is shown, and next leads to it", () => {
  const lines = many(3000, (at) => `src/error_${at}/errors.ts ok`);
  lines[1700] = "src/ledger.ts:4:9: error: cents is not defined";
  const preview = digestOf(lines.join("\n"));
  ok(textOf(preview).includes("1701:src/ledger.ts:4:9: error: cents is not defined"));
  ok(textOf(preview).length < 1000);
  equal(preview.readOn?.digest, 2);
  const around = textOf(digestOf(lines.join("\n"), 4000, 2));
  ok(around.includes("\n1690:") && around.includes("\n1740:"));
});

Deno.test("an error is shown among thousands of warnings, with its snippet", () => {
  const lines = many(4000, (at) => `a.c:${at}:1: warning: unused variable 'x${at}' [-Wunused]`);
  lines.splice(
    1000,
    0,
    "b.c:7:2: error: expected ';' before '}' token",
    "    7 |   return 1",
    "      |           ^",
  );
  const shown = textOf(digestOf(lines.join("\n")));
  ok(
    shown.includes("1001:b.c:7:2: error: expected ';'") && shown.includes("1003:      |           ^"),
    shown,
  );
});

Deno.test("a line that says that nothing failed is not a sign of failure", () => {
  const lines = many(2000, (at) => `test case_${at} ... ok`);
  for (
    const [at, line] of [
      "test error_handling ... ok",
      "0 errors, no failures",
      "error_count=0",
      "✓ rejects failed requests (3 ms)",
      '{"error":null,"id":3}',
      "done without errors",
    ].entries()
  ) {
    // Often, so that they are not odd.
    for (let copy = 0; copy < 20; copy++) lines[300 * at + 10 * copy + 50] = line;
  }
  const preview = digestOf(lines.join("\n"));
  const { start } = preview.readOn as { start: number };
  ok(start < 20, textOf(preview));
});

Deno.test("the odd line among thousands of one shape is shown without any sign", () => {
  const lines = many(5000, (at) => `Setting up lib${at} (1.${at}) ...`);
  lines[2500] = "The configuration of x11-common was changed locally; kept.";
  ok(textOf(digestOf(lines.join("\n"))).includes("2501:The configuration"));
});

Deno.test("lines that are alike are folded into one gap with their number and an example", () => {
  const lines = ["start", ...many(1170, (at) => `   Compiling crate-${at} v1.${at}`), "done"];
  ok(textOf(digestOf(lines.join("\n"))).includes(' like "   Compiling crate-'));
});

Deno.test("the one failure in the middle of long content is shown with its line number", () => {
  const line = (at: number) =>
    `2026-01-01T00:00:00Z INFO request ${at} took ${at % 97} ms ${"x".repeat(200)}`;
  const lines = many(40_000, line);
  lines[25_000] = "2026-01-01T00:00:00Z ERROR payment 7 failed: card declined";
  const content = lines.join("\n");
  ok(content.length > 9 * 2 ** 20);
  const shown = textOf(digestOf(content));
  ok(shown.includes("25001:2026-01-01T00:00:00Z ERROR payment 7 failed: card declined"), shown);
});

/** `count` lines that say nothing. */
function ordinary(count: number, from = 1): string {
  return Array.from({ length: count }, (_, at) => `step ${from + at} of the work is done\n`).join("");
}

Deno.test("a long gap names the kinds of findings that it leaves out, with counts, and never an empty line", () => {
  const errors = Array.from(
    { length: 90 },
    (_, at) => `${ordinary(6, at * 6)}error: cannot find symbol "s${at}"\n`,
  );
  const text = textOf(digestOf(errors.join("")));
  const counts = [...text.matchAll(/ (\d+) like "error: cannot find symbol/g)].map(([, count]) =>
    Number(count)
  );
  const shown = text.split("\n").filter((line) => /^\d+:error: cannot find symbol/.test(line)).length;
  equal(counts.reduce((sum, count) => sum + count, shown), 90, text);
  ok(
    !textOf(digestOf(`${ordinary(20)}${"\n".repeat(400)}error: it failed\n${ordinary(20)}`)).includes(
      'like ""',
    ),
  );
});

Deno.test("a trace keeps its first frames and its cause, however many frames are between", () => {
  const frames = Array.from({ length: 80 }, (_, at) => `    at com.example.Deep.call${at}(Deep.java:${at})\n`)
    .join("");
  const trace =
    `java.lang.IllegalStateException: it is closed\n${frames}Caused by: java.io.IOException: disk is gone\n`;
  const text = textOf(digestOf(`${ordinary(200)}${trace}${ordinary(200)}`));
  ok(text.includes("call0(") && text.includes("Caused by: java.io.IOException: disk is gone"), text);
  ok(!text.includes("call40("), text);
});

Deno.test("the heaviest finding brings the line above that names its file, if nothing near it names one", () => {
  const checks = Array.from(
    { length: 60 },
    (_, at) =>
      `check part${at}.html\n\nInfo: read as text\nInfo: no title\n\nno table\n${
        at === 31 ? "error: row is not closed" : "all rows are closed"
      }\n\n`,
  );
  const text = textOf(digestOf(checks.join("")));
  ok(text.includes("error: row is not closed") && text.includes("check part31.html"), text);
});

Deno.test("a finding in a record brings the line that names the record, and a colon what it announces", () => {
  const records = Array.from(
    { length: 200 },
    (_, at) =>
      `- name: pod-${at}\n  image: registry/app:${at}\n  node: n${
        at % 7
      }\n  zone: a\n  state:\n    restarts: 0\n    reason: ${at === 97 ? "CrashLoopBackOff" : "Running"}\n`,
  );
  const text = textOf(digestOf(`pods of the cluster\n${records.join("")}`));
  ok(text.includes("reason: CrashLoopBackOff") && text.includes("- name: pod-97"), text);
  const announced = textOf(
    digestOf(`${ordinary(300)}warning: what is deprecated:\ncolour() of palette\n${ordinary(300)}`),
  );
  ok(announced.includes("colour() of palette"), announced);
});

Deno.test("an odd value in a record brings the line in which the record has another name than the one before", () => {
  const hosts = many(
    30,
    (at) =>
      `host ledger${at}\nuser root\nport ${2200 + at}\nforward no\nalgorithms ${at === 17 ? "old" : "new"}\n`,
  );
  const text = textOf(digestOf(hosts.join("")));
  ok(text.includes("algorithms old") && text.includes("host ledger17"), text);
  const pictures = many(
    120,
    (at) => `======== IMG_${at}.jpg\nMake : Acme\nModel : C1\n${at === 88 ? "Place : 48 N, 11 E\n" : ""}`,
  );
  const place = textOf(digestOf(pictures.join("")));
  ok(place.includes("Place : 48 N") && place.includes("IMG_88.jpg"), place);
});

Deno.test("the digests that next leads to show every kind of finding, and no line twice", () => {
  const word = (at: number) => `${"klmnopqrst"[at % 10]}${"uvwxyz"[at % 6]}${"abcd"[at % 4]}word`;
  const blocks = many(
    40,
    (at) => `${ordinary(30, at * 30)}src/x${at}.c:7: error: ${word(at)} ${word(at * 7)} is wrong here\n`,
  ).join("");
  const digest = (page?: number) => digestOf(blocks, 1200, page);
  const shown = new Set<number>();
  let preview = digest();
  for (let page = 1;; page++) {
    const text = textOf(preview);
    ok(text.length <= 1200, text);
    for (const [, line] of text.matchAll(/^(\d+):/gm)) {
      ok(!shown.has(Number(line)), `line ${line} again on digest ${page}`);
      shown.add(Number(line));
    }
    if (preview.readOn?.digest === undefined) break;
    deepStrictEqual(preview.readOn, { digest: page + 1, max_chars: 1200 });
    preview = digest(page + 1);
  }
  const missing = blocks.split("\n").filter((line, at) => line.includes("error:") && !shown.has(at + 1));
  const kinds = (lines: string[]) => new Set(lines.map((line) => line.replace(/.*error:/, "")));
  const seen = kinds(blocks.split("\n").filter((line, at) => line.includes("error:") && shown.has(at + 1)));
  ok([...kinds(missing)].every((kind) => seen.has(kind)), missing.join("\n"));
});

Deno.test("if too many lines are rare for one to be odd, next shows them", () => {
  const rare = (at: number) =>
    "klmno".slice(0, at % 5 + 1) + " ".repeat(at % 2 + 1) + "-=+*/%^&".slice(at % 8);
  const content = many(40, (at) => `${ordinary(9, at * 9 + 1)}${rare(at)} ${"a.b,c;d:".slice(at / 5)}!\n`)
    .join("");
  const first = digestOf(content);
  equal(first.readOn?.digest, 2);
  const second = textOf(digestOf(content, 4000, 2));
  ok(second.match(/^\d+:.*!$/gm)!.length > 20, second);
});

/** Lines of a Java program: log entries of two lines each, and a chain of causes among them. */
const JAVA_LOG = many(700, (at) => `Rates sync\nINFO: row ${at} loaded: ${at} cents`).join("\n").split("\n");
JAVA_LOG.splice(
  756,
  0,
  "java.lang.IllegalStateException: cannot sync rates",
  "\tat Rates.sync(Rates.java:24)",
  "\tat Rates.main(Rates.java:31)",
  "Caused by: java.lang.IllegalArgumentException: row 377 of rates.csv",
  "\tat Rates.load(Rates.java:15)",
  "\tat Rates.sync(Rates.java:21)",
  "\t... 1 more",
  'Caused by: java.lang.NumberFormatException: For input string: "12,50"',
  "\tat java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)",
  "\tat java.base/java.lang.Integer.parseInt(Integer.java:668)",
  "\tat java.base/java.lang.Integer.parseInt(Integer.java:786)",
  "\tat Rates.cents(Rates.java:8)",
  "\tat Rates.load(Rates.java:13)",
  "\t... 2 more",
);

Deno.test("the same lines are shown when a log puts a time, or a supervisor a name, before each of them", () => {
  const plain = digestOf(JAVA_LOG.join("\n"));
  ok(textOf(plain).includes("\tat Rates.cents(Rates.java:8)"), textOf(plain));
  const times = (at: number) => new Date(Date.UTC(2026, 10, 25) + at * 137).toISOString();
  for (
    const prefix of [
      (at: number) => `${times(at)} `,
      (at: number) => `web_1 | [${times(at).slice(11, 19)}] `,
      (at: number) => `Nov 25 ${times(at).slice(11, 19)} `,
      (at: number) => `${times(at).replace("T", " ").replace(".", ",").slice(0, -1)}+02:00 `,
      () => "web-1  | ",
      (at: number) => `${times(at).slice(11, 19)} web.1  | `,
    ]
  ) {
    const prefixed = digestOf(JAVA_LOG.map((line, at) => `${prefix(at)}${line}`).join("\n"));
    equal(prefixed.lines, plain.lines, `${textOf(plain)}\n\n${textOf(prefixed)}`);
  }
});

/** A test of \`cargo test -- --nocapture\`: what its panic writes, before its verdict. */
const rustTest = (name: string, verdict: string, message: string) =>
  `test tests::${name} ... 
thread 'tests::${name}' (19731) panicked at src/lib.rs:1:42:
${message}
stack backtrace:
   0: core::panicking::panic_fmt
             at library/core/src/panicking.rs:80:14
   1: ledger::tests::${name}
             at ./src/lib.rs:65:43
${verdict}`;

Deno.test("the failure text of tests that passed gives way to that of the one that failed", () => {
  const lines = [
    ...many(3, (at) => rustTest(`refuses_${at}`, "ok", "called `Result::unwrap()` on an `Err` value: Empty")),
    ...many(300, (at) => `test tests::reads_${at} ... ok`),
    rustTest("sums_cents", "FAILED", "the ledger does not add up"),
    ...many(300, (at) => `test tests::writes_${at} ... ok`),
    "test result: FAILED. 603 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.24s",
  ];
  const text = textOf(digestOf(lines.join("\n")));
  ok(text.includes("the ledger does not add up"), text);
  // Among the first lines of the content only.
  ok(!/^\d+:thread 'tests::refuses_2/m.test(text), text);
});

Deno.test("the first try of a test that passed when it was tried again gives way to what failed in the end", async () => {
  const tries = (title: string, second: string) => [
    ...many(40, (at) => `  ✓ ${at} [chromium] › shop.spec.ts:${at}:1 › shows item ${at} (${at}ms)`),
    `  ✘ 41 [chromium] › shop.spec.ts:9:1 › ${title} (12ms)`,
    `  ${second} 42 [chromium] › shop.spec.ts:9:1 › ${title} (retry #1) (11ms)`,
  ];
  const names = ["opens the cart", "pays by card", "sends a parcel", "prints a label"];
  const output = [
    ...names.flatMap((name) => tries(name, "✓")),
    ...tries("rounds cents", "✘"),
    ...tries("x", "✓"),
  ];
  const text = await laterText(output.join("\n"), 900);
  ok(text.includes("rounds cents (retry #1)") && !text.includes("sends a parcel (12ms)"), text);
});

/** Whether the line, among a hundred others, is a sign of failure. */
function isSign(line: string): boolean {
  const lines = many(100, (at) => `checked row ${at} of the ledger`);
  lines[50] = line;
  const { findings } = failingPlaces(blocksOf(lines.join("\n")));
  return findings.some(({ line }) => line === 51);
}

Deno.test("signs of failure are found within Chinese, Japanese and Korean, and not where they are denied or spoken of", () => {
  for (
    const line of [
      "用户张三支付失败：银行没有回应",
      "错误: 不兼容的类型",
      "作成に失敗しました",
      "倉庫に接続できません",
      "오류: 파일",
    ]
  ) {
    ok(isSign(line), line);
  }
  for (
    const line of [
      "校验完成，没有错误",
      "エラーはありません",
      "错误：0",
      "0 个错误",
      "出错率为零",
      "用户张三支付成功",
    ]
  ) {
    ok(!isSign(line), line);
  }
});

Deno.test("a line that counts failures and then passes is a sign of failure, and one that passed is not", () => {
  for (const line of ["5 failed, 40 passed", "Tests: 1 failed | 3 skipped", "2 errors, 12 checks passed"]) {
    ok(isSign(line), line);
  }
  for (
    const line of ["test error::failed ... ok", "--- PASS: TestFailed (0.01s)", "✓ failed payments (3 ms)"]
  ) {
    ok(!isSign(line), line);
  }
  ok(isSign("✗ pays by card") && isSign("not ok 4 - pays"));
});

Deno.test("a crash is shown with the last line before it, across its trace and an empty line", () => {
  const frames = many(12, (at) => `  File "sync.py", line ${at}, in load\n    load(${at} + 1)`);
  const text = textOf(digestOf(
    `${ordinary(500)}\nTraceback (most recent call last):\n${frames.join("\n")}\nKeyError: 'rates'\n${
      ordinary(500)
    }`,
  ));
  ok(text.includes("KeyError: 'rates'") && text.includes("500:step 500 of the work is done"), text);
});

Deno.test("a rare value in a first column is shown, however much the other columns differ", () => {
  const kinds = [
    "all",
    "amd64:x",
    "(x)",
    "[x] y",
    "a/b, c",
    "a: b",
    "#4",
    "x=y",
    "<x>",
    "x;y",
    "{x}",
    "x!",
    "'x'",
    "~x",
  ];
  const lines = many(
    1150,
    (at) => `ii  lib${"abcdefghij"[at % 10]}pkg${kinds[at % 14]} ${kinds[(at * 3) % 13]} of it`,
  );
  // Shapes that only one line has.
  for (let at = 0; at < 30; at++) {
    lines[at * 30 + 20] += `${"-".repeat(at % 2)} ${"<>!?;:(){}"[at % 10]}${"[]=+&%$#"[at % 8]}`;
  }
  lines[577] = "iF  libmnl0:amd64 1.0.4-3 amd64 of it";
  const text = textOf(digestOf(lines.join("\n")));
  ok(text.includes("578:iF  libmnl0"), text);
});

Deno.test("a trace that is written again is shown once, and counted", () => {
  const trace = "ValueError: no rate for EUR\n    at rates (rates.py:4)\n    at main (main.py:9)\n";
  const text = textOf(digestOf(many(30, (at) => `${ordinary(40, at * 40)}${trace}`).join("")));
  equal(text.split("\n").filter((line) => /^\d+:ValueError/.test(line)).length, 1, text);
  ok(/ (?:28|29) like "ValueError: no rate for EUR"/.test(text), text);
});

Deno.test("long traces never displace an error at a place, nor do lists of what is locked come first", () => {
  const trace = (at: number) =>
    `java.lang.IllegalStateException: ${"abcdefghijklmnopqrst"[at]}x is closed\n${
      many(9, (frame) =>
        `\tat com.example.${"abcdefghijklmnopqrst"[at]}.call${frame}(${"x".repeat(60)}.java:${frame})\n`)
        .join("")
    }`;
  const output = `${many(20, (at) => `${ordinary(20, at * 20)}${trace(at)}`).join("")}${
    ordinary(20)
  }src/pay.c:41:7: error: unknown type name cents_t\n${ordinary(20)}`;
  const text = textOf(digestOf(output, 2000));
  ok(text.includes("src/pay.c:41:7: error: unknown type name cents_t"), text);
});

Deno.test("marks are shown with the line that they are under, and a finding with all heads of its block", async () => {
  const marked = await laterText(
    `${
      ordinary(300)
    }  File "pay.py", line 3, in pay\n    return rates[code]\n           ~~~~~^^^^^^\nKeyError: 'EUR'\n${
      ordinary(300)
    }`,
  );
  ok(marked.includes("return rates[code]") && marked.includes("~~~~~^^^^^^"), marked);
  const block = (at: number) =>
    `job-${at} runs:\n  build:\n    steps:\n      - compile: ${
      at === 60 ? "error: out of memory" : "done"
    }\n      - link: done\n`;
  const text = await laterText(`jobs of the day\n${many(120, block).join("")}`);
  ok(
    text.includes("job-60 runs:") && text.includes("  build:") && text.includes("error: out of memory"),
    text,
  );
});

Deno.test("a gap of up to three short lines is shown", () => {
  const gaps = textOf(digestOf(
    `${
      ordinary(200)
    }error: first one\n\na line that is no longer than the one which says that it is left out\n\nerror: second two\n${
      ordinary(200)
    }`,
  ));
  ok(gaps.includes("203:a line that is no longer than the one which says that it is left out"), gaps);
});

/** Output of installs as their progress writes it: rows that return and are written over or erased, and lines between. */
function installLog(warning: string): string {
  const lines = Array.from(
    { length: 400 },
    (_, at) => `Unpacking libfoo${at} (1.${at % 7}-2ubuntu1) ...\r\n`,
  );
  const bar = (text: string) =>
    Array.from({ length: 90 }, (_, at) => `\r${text} ${at}% [${"#".repeat(at / 9)}]`);
  lines.splice(
    200,
    0,
    ...bar("Progress: resolved 8"),
    warning,
    ...bar("Progress: resolved 9"),
    "\rProgress: done\x1b[K\n",
  );
  return lines.join("");
}

Deno.test("a digest shows a sign of failure that progress wrote over, marked, with its line", () => {
  const peer = "WARN  Issues with peer dependencies found: unmet peer react@^18: found 2.36";
  for (
    const warning of [
      `\r${peer}`, // pnpm, curl
      `\x1b[2K\x1b[1G${peer}\x1b[2K\x1b[1G`, // yarn
      `\x1b[1G\x1b[0K\x1b[33m${peer}\x1b[39m\x1b[1G\x1b[0K\u2839`, // npm
      `\r${peer}${" ".repeat(40)}`, // apt
    ]
  ) {
    const shown = textOf(digestOf(installLog(warning)));
    ok(shown.includes(`201:[overwritten: ${peer}] Progress: done\n`), `${JSON.stringify(warning)}: ${shown}`);
  }
});

Deno.test("a digest leaves out overwritten text without a sign, drawn again, or that a line has as well", () => {
  const shown = (text: string) => textOf(digestOf(text));
  ok(!shown(installLog("\rresolving react")).includes("overwritten"));
  const again = shown(installLog("\rERROR: cannot fetch react".repeat(50)));
  equal(again.split("ERROR: cannot fetch react").length, 2, again);
  const told = shown(`${installLog("\rERROR: cannot fetch react")}ERROR: cannot fetch react\n`);
  equal(told.split("ERROR: cannot fetch react").length, 2, told);
});

Deno.test("content of one line that is too long to be read has a digest", () => {
  equal(digestOf(`ERROR: disk full, 3 failed, 2 passed ${"x".repeat(2 ** 21)}`).lines, "0-0");
});

Deno.test("a long line is cut around its strongest sign, wherever that is", () => {
  const row = (at: number) => `{"id": ${at}, "status": "ok", "failed": 0}, `;
  const rows = Array.from({ length: 600 }, (_, at) => row(at)).join("");
  for (
    const [before, sign] of [
      [`INFO body=[${rows}`, `{"id": 7, "exception": "NullPointerException: x"}`],
      ["no errors here, 0 failed; ".repeat(400), "ERROR: disk full"],
      [`level=info ${"x=1 ".repeat(5000)}`, `level=error msg="disk full"`],
      ["a".repeat(200_000), " FATAL: late"],
    ] as const
  ) {
    const shown = textOf(digestOf(`${before}${sign} ${before}\n${"ordinary\n".repeat(90)}`));
    ok(shown.includes(sign), `${sign}: ${shown}`);
  }
});

Deno.test("a sign of failure far behind in a long line is shown without escape sequences", () => {
  const shown = textOf(
    digestOf(`${"ordinary\n".repeat(90)}${"x".repeat(100_000)}\x1b[31m FATAL: late\x1b[0m\r\n`),
  );
  ok(shown.endsWith("x FATAL: late"), shown);
});

Deno.test("content of any bytes has a bounded digest, the same twice", () => {
  const rows = Array.from({ length: 3000 }, (_, at) => `row ${at} error: ${at}\n`).join("");
  const contents = [
    "\0".repeat(200_000),
    "\0\n".repeat(100_000),
    "\r".repeat(200_000),
    "\x1b[".repeat(50_000),
    "\rERROR 7: broken".repeat(20_000),
    "x\n".repeat(200_000),
    Array.from({ length: 20_000 }, (_, at) => `${at.toString(36)}:${"/=- "[at % 4]}${at * at}\n`).join(""),
    new Uint8Array(Uint16Array.from(rows, (char) => char.charCodeAt(0)).buffer).subarray(0, 50_001),
  ];
  for (const [at, content] of contents.entries()) {
    const shown = textOf(digestOf(content));
    equal(textOf(digestOf(content)), shown, `${at}`);
    ok(shown.length <= 4100, `${at}: ${shown.length}`);
  }
});

/** The decisive line of some content, and the texts of its findings. */
function findingsOf(content: string): { decisive: number | undefined; texts: string[] } {
  const { decisive, findings } = failingPlaces(blocksOf(content), 20);
  return { decisive, texts: findings.map(({ text }) => text) };
}

Deno.test("what a linker lacks matters more than its exit", () => {
  const { decisive } = findingsOf(
    "cc main.o util.o -o app\n/usr/bin/ld: Scrt1.o: in function `_start':\n(.text+0x17): undefined reference to `main'\n" +
      "collect2: error: ld returned 1 exit status\nmake: *** [Makefile:4: app] Error 1\n",
  );
  equal(decisive, 3);
});

Deno.test("of a report of pytest the source that it quotes is left out, and an exception that was handled matters less than the last one", () => {
  const { decisive, texts } = findingsOf(`=================== FAILURES ===================
___________________ test_inner ___________________

    def test_inner():
        """This must fail with an exception."""
>       resolve(1)

test_a.py:4:${" "}
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def resolve(value):
        """
        :raises attrs.exceptions.NotAnAttrsClassError: If *cls* is not an *attrs* class.
        """
        try:
            value()
        except TypeError as e:
            error_msg = "failed: must be callable"
>           raise ValueError(f"error: {error_msg}") from None
E           ValueError: error: failed: must be callable

test_a.py:14: ValueError

During handling of the above exception, another exception occurred:

    def test_inner():
>       with pytest.warns(DeprecationWarning):
E       Failed: DID NOT WARN. No warnings were emitted.

test_a.py:16: Failed
============ 1 failed, 120 passed in 0.07s ============
`);
  equal(decisive, 28);
  ok(!texts.some((text) => /raises|except|error_msg|FAILURES/.test(text)), texts.join("\n"));
});

Deno.test("the decisive line says what failed, not that something did, in what builds and tests print", () => {
  const outputs: Readonly<Record<string, string>> = {
    rustc: "   Compiling app v0.1.0\nwarning: unused import: `std::error::Error`\n --> src/lib.rs:3:5\n\n" +
      "!error[E0308]: mismatched types\n  --> src/store.rs:42:20\n\nerror: could not compile `app` (lib) due to previous error",
    cargo: "test a::fails ... ok\ntest b::renames ... FAILED\n\nfailures:\n\n---- b::renames stdout ----\n" +
      "!thread 'b::renames' panicked at src/b.rs:8:9:\nassertion `left == right` failed\n\nfailures:\n    b::renames\n\n" +
      "test result: FAILED. 2 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
    tsc:
      "!src/a.tsx:14:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound 1 error.\n" +
      "npm ERR! Lifecycle script `build` failed with error:\nnpm ERR! Error: command failed",
    gradle: "> Task :app:compileJava FAILED\n!/x/ErrorCodes.java:12: error: cannot find symbol\n1 error\n\n" +
      "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:compileJava'.\n" +
      "> Compilation failed; see the compiler error output for details.\n\nBUILD FAILED in 3s",
    go: "2026/11/29 08:00:01 ERROR: failed to connect (expected)\n--- FAIL: TestStore (0.02s)\n" +
      '    --- FAIL: TestStore/rename (0.00s)\n!        store_test.go:88: got "a", want "b"\nFAIL\nFAIL\texample.com/store\t0.044s',
    ninja: "[3/9] Building CXX object b.cc.o\nFAILED: b.cc.o \n/usr/bin/c++ -Werror -c ../lib/b.cc\n" +
      "!../include/fail.h:5:10: error: no match for 'operator<<'\nninja: build stopped: subcommand failed.",
    vitest:
      "stderr | a.test.ts > fails after three errors\nError: connect ECONNREFUSED 127.0.0.1:9\n ✓ a.test.ts (2 tests)\n" +
      " FAIL  b.test.ts > sum > adds\n!AssertionError: expected 3 to be 4 // Object.is equality\n\n Test Files  1 failed | 2 passed (3)",
    mocha:
      "  errors\n    ✔ reports an error if it failed\n\n  3 passing (14ms)\n  1 failing\n\n  1) queue\n       pops:\n\n" +
      "!      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n2 !== 1",
    rspec:
      "Failures:\n\n  1) Invoice returns the sum with error margin\n!     Failure/Error: expect(total).to eq(100)\n\n" +
      "18 examples, 1 failure\n\nFailed examples:",
    phpunit:
      "There was 1 error:\n\n1) Tests\\ErrorTest::testHandlesFailure\n!TypeError: App::handle(): Argument #1 must be of type int\n\n" +
      "ERRORS!\nTests: 18, Assertions: 30, Errors: 1, Failures: 1.",
    collecting:
      "collected 0 items / 1 error\n\nImportError while importing test module '/a/test_m.py'.\nTraceback:\n" +
      "!E   ImportError: cannot import name 'Uzer' from 'app.models'\nERROR tests/test_m.py\n" +
      "!!!! Interrupted: 1 error during collection !!!!\n==== 1 error in 0.21s ====",
    unittest: "ERROR: test_load (tests.SumTest.test_load)\n-----\nTraceback (most recent call last):\n" +
      "!KeyError: 'x'\n\n-----\nRan 4 tests in 0.001s\n\nFAILED (errors=1)",
    maven: "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! - in com.x.SumTest\n" +
      "[ERROR] com.x.SumTest.adds  Time elapsed: 0.01 s  <<< FAILURE!\n!org.opentest4j.AssertionFailedError: expected: <4> but was: <3>\n" +
      "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal surefire:test on project app: There are test failures.",
    dotnet: "/a/P.cs(12,13): warning CS0168: The variable 'error' is declared but never used\n" +
      "!/a/Store.cs(40,20): error CS1061: 'Store' does not contain a definition for 'Sav'\n\nBuild FAILED.\n    1 Warning(s)\n    1 Error(s)",
    eslint:
      "/a/errors.js\n   3:10  warning  'fail' is defined but never used  no-unused-vars\n\n/a/app.js\n" +
      "!  12:5   error    'x' is not defined   no-undef\n  40:1   error    Unexpected console statement      no-console\n\n✖ 3 problems (2 errors, 1 warning)",
  };
  for (const [tool, marked] of Object.entries(outputs)) {
    const lines = marked.split("\n");
    const at = lines.findIndex((line) => /^!(?!!)/.test(line));
    lines[at] = lines[at]!.slice(1);
    equal(`${tool}: ${lines[(findingsOf(lines.join("\n")).decisive ?? 0) - 1]}`, `${tool}: ${lines[at]}`);
  }
  // Alone, a line that says no more is all that there is.
  equal(findingsOf("working\nBuild FAILED.\n").decisive, 2);
});

Deno.test("of a trace of calls the one that failed and was not a search is shown", async () => {
  const probe = (at: number) =>
    `[pid 57] openat(AT_FDCWD, "/usr/share/locale/${at}/libc.mo", O_RDONLY) = -1 ENOENT (No such file or directory)`;
  const lines = [`execve("/usr/bin/sh", 0x7ffe) = 0`, ...many(400, probe)];
  lines[250] = `[pid 57] mkdir("/proc/x", 0777)  = -1 ENOENT (No such file or directory)`;
  // Whether its start is lost, or a supervisor puts a name before each line.
  for (const written of [lines, lines.slice(1), lines.map((line) => `web-1  | ${line}`)]) {
    const shown = await laterText(written.join("\n"));
    ok(shown.includes('[pid 57] mkdir("/proc/x"'), shown);
  }
});

Deno.test("of many failures alike, the one whose path is in a place of its own is shown", async () => {
  const search = (at: number) =>
    `openat(AT_FDCWD, "/usr/${"lib.share.bin".split(".")[at % 3]}/${
      "a-b/".repeat(at % 7)
    }part.so", O_RDONLY) = -1 ENOENT (No such file or directory)`;
  const calls = many(200, (at) => [search(at), `read(${at % 9}, "", ${at}) = 0`].join("\n"));
  const settings =
    'openat(AT_FDCWD, "/etc/shop/payout.toml", O_RDONLY) = -1 ENOENT (No such file or directory)';
  const shown = await laterText([...calls, settings, ...calls].join("\n"));
  ok(shown.includes(settings), shown);
});

Deno.test("a long line that is cut shows the reason at its end", async () => {
  const lines = many(100, (at) => `copied file ${at}`);
  lines[50] = `error: cannot stat '${"n".repeat(600)}': File name too long`;
  const text = await laterText(lines.join("\n"));
  ok(/^51:error: cannot stat 'n+ \[… \d+ bytes\]: File name too long$/m.test(text), text);
  lines[50] = `level=error thread=81 ${
    "k=v ".repeat(50)
  } checkpoint of the collection file: write of 4096 bytes to the segment: No space left`;
  const near = await laterText(lines.join("\n"));
  ok(near.includes("No space left"), near);
});

Deno.test("an odd record brings the line that names it", async () => {
  const row = (name: string, nullable: string) => ` ${name} | integer |           | ${nullable} | \n`;
  const table = (at: number) =>
    `             Table "public.ledger_${at}"
 Column |  Type   | Collation | Nullable | Default
--------+---------+-----------+----------+---------
${row("id    ", at === 17 ? "        " : "not null")}${row("cents ", "not null")}${
      at === 17 ? "" : `Indexes:\n    "ledger_${at}_pkey" PRIMARY KEY, btree (id)\n`
    }
${
      at === 17 ? "" : `    Index "public.ledger_${at}_pkey"
 Column |  Type   | Key? | Definition
--------+---------+------+------------
 id     | integer | yes  | id
primary key, btree, for table "public.ledger_${at}"

`
    }`;
  const text = await laterText(`list of tables\n\n${many(40, table).join("")}`);
  ok(text.includes('Table "public.ledger_17"'), text);
});

Deno.test("what a log puts before each line changes neither the decisive line nor what is shown", async () => {
  const lines = many(200, (at) => `ok ${at + 1} - adds row ${at} of the ledger`);
  lines.splice(120, 1, "not ok 121 - adds fees", "  ---", "  expected: 4711", "  actual: 4712", "  ...");
  const shownIn = async (prefix: (at: number) => string) => {
    const content = lines.map((line, at) => prefix(at) + line).join("\n");
    const { lines: shown } = await digestPreview(blocksOf(content), { budgetChars: 4000 });
    return { decisive: failingPlaces(blocksOf(content)).decisive, shown };
  };
  const plain = await shownIn(() => "");
  equal(plain.decisive, 121);
  for (
    const prefix of [
      () => "[billing] ",
      () => "web  | ",
      () => "shop:test: ",
      () => "[pod/web-7d9f8c6b54-x2x4z/app] ",
      () => "[1/4] ",
      (at: number) => `2026-03-02T10:00:${10 + at % 50}Z INFO `,
      (at: number) => `build\ttest\t2026-03-02T10:00:${10 + at % 50}Z `,
      (at: number) => `Nov 25 10:00:${10 + at % 50} build7 app[812]: `,
      (at: number) => `#12 ${(at * 0.127).toFixed(3)} `,
    ]
  ) {
    deepStrictEqual(await shownIn(prefix), plain, prefix(1));
  }
});
