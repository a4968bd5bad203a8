import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dump } from "js-yaml";
import { bytesOf, contentOf } from "../../../tests/outlined_bytes.ts";
import { type ContentOutline, eachLine, latin1Of } from "./outlined_content.ts";
import { JsonPaths } from "./json_paths.ts";
import { looksLikeTable, looksLikeYaml, XML_START } from "./known_starts.ts";
import { outlineTable } from "./outline_table.ts";
import { outlineXml } from "./outline_xml.ts";
import { outlineYaml, YamlScan } from "./outline_yaml.ts";
import type { PathNode } from "./path_node.ts";
import { JsonScan } from "./scan_json.ts";
import { textPaths } from "./text_paths.ts";

function outlined(text: string, pieceBytes?: number): ContentOutline | undefined {
  const bytes = bytesOf(text);
  const content = contentOf(bytes, pieceBytes);
  const first = latin1Of(bytes).slice(0, 4096);
  if (XML_START.test(first)) return outlineXml(content, 4000);
  if (looksLikeYaml(first)) return outlineYaml(content, 4000);
  return looksLikeTable(first) ? outlineTable(content, 4000) : undefined;
}

/** The text of the outline of `text`, and what `next` reads. */
function shownOf(text: string): { shown: string; next: string } {
  const { lines, readOn, below, shownLines = [] } = outlined(text)!;
  const written = text.split("\n");
  const ownLines = below === undefined ? [] : shownLines.map((line) => written[line - 1]);
  const { mode, start = 0, count = 0 } = { count: 0, ...readOn } as {
    mode?: string;
    start?: number;
    count?: number;
  };
  const next = mode === "char"
    ? text.slice(start, start + count)
    : written.slice(start - 1, start - 1 + count).join("\n");
  return { shown: [...lines, ...ownLines].join("\n"), next };
}

/** An output that a tool really wrote. */
function written(name: string): string {
  return Deno.readTextFileSync(new URL(`../../../tests/outlines/${name}`, import.meta.url));
}

Deno.test("a report of a test runner shows each failed case with its message, and next reads the one", () => {
  const reports: [string, readonly string[], string][] = [
    ["pytest.xml", ['"test_parts[17]"', "refund of 17 was not booked", '"test_all"', '"test_db"'], "test_db"],
    [
      "surefire.xml",
      ['"closes": .error (1 of 23): message="cart 7 is locked"', '"totals"', "<12.50>"],
      "closes",
    ],
    ["gotestsum.xml", ['"TestSum/n33"', "sum(33) = 67, want 66", "nil map"], "TestSum/n33"],
    ["jest.xml", ['"module 4 adds 9"', "Expected: 99", "Received: 13"], "module 4 adds 9"],
  ];
  for (const [name, facts, first] of reports) {
    const { shown, next } = shownOf(written(name));
    for (const fact of facts) assert(shown.includes(fact), `${name}: ${fact}\n${shown}`);
    assert(shown.length < 3000, `${name}: ${shown.length}`);
    assert(next.includes("<testcase") && next.includes(first), `${name}: ${next}`);
    assert(next.includes("</testcase>") && next.length < 3000, next);
  }
});

Deno.test("text in XML keeps its signs, and long rules are shortened", () => {
  const failure = `<failure message="a"><![CDATA[${
    "\u2500".repeat(90)
  }\n() => { a < b && b > c; }]]></failure>`;
  const cases = '<testcase name="x" time="1"/>'.repeat(30);
  const { shown } = shownOf(
    `<testsuite>${cases}<testcase name="y" time="1">${failure}</testcase></testsuite>`,
  );
  assert(
    shown.includes(
      'of "y": .failure (1 of 31): message="a" \u2500\u2500\u2500\u2026 () => { a < b && b > c; }',
    ),
    shown,
  );
});

Deno.test("a report without line ends is read by its chars", () => {
  const text = written("pytest.xml").replaceAll("\n", " ");
  assert(shownOf(text).next.startsWith('<testcase classname="test_pay" name="test_db"'));
});

Deno.test("a dump of pods names the one that is not ready, and next reads its container", () => {
  const { shown, next } = shownOf(written("pods.txt"));
  assert(shown.startsWith("YAML: one object, 15,630 bytes"), shown);
  const where = '.items[3].status.containerStatuses[0] (line 432) of "search-7c9d8f6b5d-e889x", "app"';
  assert(shown.includes(`${where}: .lastState.terminated.reason is "OOMKilled" (1 of 5)`), shown);
  assert(next.includes("containerID:") && next.includes("reason: CrashLoopBackOff"), next);
  assert(!next.includes("hostIP"), next);
});

/** How many values of each kind are at each path. */
function countsOf(node: PathNode, path = ""): Record<string, number[]> {
  let counts: Record<string, number[]> = { [path]: node.counts };
  for (const child of node.children) counts = { ...counts, ...countsOf(child, `${path}.${child.key}`) };
  return node.element === undefined ? counts : { ...counts, ...countsOf(node.element, `${path}[]`) };
}

const TEXT = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."ab :#-'\"\\\n{}[],&*!|>é%@`?0".split("")), maxLength: 120 }),
  fc.constantFrom("", "null", "~", "true", "12", "1.5", "- a", "a: b", "# c", "x\n\n  y\n", "---"),
);
const KEYS = fc.oneof(
  fc.constantFrom("a", "b", "error", "k8s.io/name", "- x", "é", '"q"', "it's", "#h", "1"),
);
const VALUES = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    fc.integer(),
    TEXT,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(KEYS, tie("value"), { maxKeys: 4 }),
  ),
})).value;

Deno.test("YAML has the paths and kinds of values that it has as JSON", () => {
  const anyRoot = fc.oneof(fc.array(VALUES, { minLength: 1 }), fc.dictionary(KEYS, VALUES, { minKeys: 1 }));
  fc.assert(
    fc.property(anyRoot, fc.boolean(), fc.integer({ min: 1, max: 99 }), (root, isFlush, pieceBytes) => {
      const text = dump(root, { seqNoIndent: isFlush, noRefs: true });
      const table = textPaths();
      const scan = new YamlScan(table, false);
      eachLine(contentOf(bytesOf(text), pieceBytes), (line) => scan.take(line));
      scan.end();
      const paths = new JsonPaths();
      new JsonScan(paths, 0, false).take(bytesOf(JSON.stringify(root)));
      assertEquals([scan.badCount, countsOf(table.paths.root)], [0, countsOf(paths.root)], text);
    }),
    { numRuns: 200 },
  );
});

Deno.test("records of keys and values show the one with another value", () => {
  const record = (at: number) =>
    `Package: lib${at}\nStatus: install ok ${
      at === 31 ? "half-configured" : "installed"
    }\nDepends: libc6 (>= 2.3${at})\n` +
    `Description: library ${at}\n It fails: never.\n .\n "Quotes\n`;
  const text = Array.from({ length: 80 }, (_, at) => record(at)).join("\n");
  const { shown, next } = shownOf(text);
  assert(shown.includes('Status is "install ok half-configured" (1 of 80)'), shown);
  assertEquals(next, record(31).trimEnd());
  const answers = Array.from(
    { length: 60 },
    (_, at) =>
      `HTTP/1.1 ${
        at === 41 ? "502 Bad Gateway" : "200 OK"
      }\r\nServer: x\r\nX-Id: ${at}\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n`,
  );
  const { shown: statuses, next: answer } = shownOf(answers.join(""));
  assert(statuses.includes(".status is 502 (1 of 60)"), statuses);
  assert(answer.startsWith("HTTP/1.1 502 Bad Gateway\r\n") && answer.includes("X-Id: 41\r"), answer);
});

Deno.test("a table may have comments before its heading, or a heading that is one", () => {
  const rows = Array.from({ length: 200 }, (_, at) => `${at},${at === 77 ? "timeout" : "ok"},h${at % 5}\n`)
    .join("");
  for (const head of ["# exported, by meter, today\n# 3 sites\n", "# 3 sites\n#", "# "]) {
    const { shown, next } = shownOf(`${head}id,state,host\n${rows}`);
    assert(shown.startsWith("CSV: 200 rows of 3 columns"), head + shown);
    assert(shown.includes('.state is "timeout" (1 of 200)') && next.includes("77,timeout,h2"), head + shown);
  }
});

Deno.test("the outline of XML does not depend on the pieces in which it comes", () => {
  for (const name of ["pytest.xml", "surefire.xml"]) {
    const text = `${written(name)}<!-- - -- > --><![CDATA[ ]>]]]>`.replace("]]]>", " ]]>").replace(
      /<!\[CDATA.*$/,
      "",
    );
    const whole = outlined(text);
    for (const pieceBytes of [1, 7, 64, 4096]) assertEquals(outlined(text, pieceBytes), whole);
  }
});

Deno.test("bombs, very deep and very long parts are outlined or left alone, but not expanded", () => {
  const entities = Array.from({ length: 20 }, (_, at) => `<!ENTITY e${at + 1} "&e${at};&e${at};">`).join(
    "\n",
  );
  const bomb = outlined(
    `<?xml version="1.0"?>\n<!DOCTYPE e [\n${entities}\n]>\n<e>${"<a>&e20;</a>".repeat(900)}</e>`,
  );
  assert(bomb!.lines.join("\n").includes('.a: always "&e20;"'));
  const anchors = Array.from({ length: 30 }, (_, at) => `  b${at}: &b${at} [*a${at}, *a${at}, *a${at}]\n`)
    .join("");
  assert(outlined(`a:\n${anchors}c:\n${anchors}`)!.lines.join("\n").length < 1000);
  assert(outlined("<a>".repeat(4000) + "</a>".repeat(4000)) !== undefined);
  assertEquals(outlined("<a>".repeat(5000) + "</a>".repeat(5000)), undefined);
  assertEquals(
    outlined(Array.from({ length: 3000 }, (_, at) => `${" ".repeat(at)}k:\n`).join("")),
    undefined,
  );
  const long = outlined(
    `<a n="1"><out><![CDATA[${"x > ]] ".repeat(100_000)}]]></out><failure>m one</failure></a>`,
  );
  assert(long!.lines.includes(" .a: .failure: m one"), long!.lines.join("\n"));
  assertEquals(outlined(`<a b="${"x".repeat(400_000)}"/>`), undefined);
});

Deno.test("XML that is cut says so; what is not XML or YAML is left to the digest", () => {
  const report = written("surefire.xml");
  const cut = outlined(report.slice(0, -200))!.lines[0]!;
  assert(
    cut.endsWith("; the content ends inside <system-out>") || cut.includes("; the content ends inside <"),
    cut,
  );
  const yaml = written("pods.txt");
  const texts = [
    report.replace("</testcase>", "</testcse>"),
    report.replace("<testcase", "a < b"),
    `${report}FAILED (errors=1)\n`,
    `<html>${"<p>a</p>".repeat(200)}</html>`,
    "<6>kernel: up\n<6>kernel: down\n".repeat(200),
    `${yaml.slice(0, 3000)}\nerror: connection lost\n`.repeat(2),
    "# Title\n\n- Item: one\n- Item: two\n\nText of a page: with a colon.\n".repeat(100),
    "INFO: started\nWARN: slow\n  at line: 1\nINFO: ended\n".repeat(200),
    "time=10:00 level=info msg=started\n".repeat(300),
    "class A:\n    x: int\n    def f(self):\n        return 1\n".repeat(100),
    "all: build\n\tgo build ./...\nbuild: all\n\tgo vet\n".repeat(100),
    "else:\n  pass\ntry:\n  x = 1\n".repeat(100),
    "a.c:1:2: warning: unused\na.c:3:4: warning: unused\n".repeat(200),
    "Step 1: fetch\n\nStep 2: build\n\nStep 3: test\n\n".repeat(100),
  ];
  for (const text of texts) assertEquals(outlined(text), undefined, text.slice(0, 60));
});
