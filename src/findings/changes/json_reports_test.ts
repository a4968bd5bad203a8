// Promise: a report in JSON is read as the findings that it lists, whatever its layout, each at the line of its message.

import { assertEquals } from "@std/assert";
import { reportLines } from "./json_reports.ts";

/** Reports of one finding in the layouts of several tools, and that finding as a line. */
const REPORTS: readonly (readonly [report: unknown, line: string])[] = [
  [
    [{
      filePath: "src/mod17.js",
      messages: [{ ruleId: "no-undef", message: "'b' is not defined", line: 3 }],
    }],
    "src/mod17.js:3: 'b' is not defined (no-undef)",
  ],
  [
    [{
      kind: "error",
      children: [{ kind: "note", message: "declared here" }],
      locations: [{ caret: { line: 1, file: "src/mod17.cc" } }],
      message: "'x' was not declared",
    }],
    "src/mod17.cc:1: error: 'x' was not declared",
  ],
  [
    {
      runs: [{
        tool: { driver: { rules: [{ id: "R1", shortDescription: { text: "Do not." } }] } },
        results: [{
          ruleId: "R1",
          level: "note",
          message: { text: "Unsafe copy" },
          locations: [{
            physicalLocation: { artifactLocation: { uri: "src/mod17.c" }, region: { startLine: 9 } },
          }],
        }],
      }],
    },
    "src/mod17.c:9: note: Unsafe copy (R1)",
  ],
  [
    { Issues: [{ FromLinter: "vet", Text: "result unused", Pos: { Filename: "p17/a.go", Line: 4 } }] },
    "p17/a.go:4: result unused",
  ],
  [
    [{
      Severity: "warning",
      Failure: "drop this else",
      RuleName: "else",
      Position: { Start: { Filename: "a17.go", Line: 5 } },
    }],
    "a17.go:5: warning: drop this else (else)",
  ],
  [
    {
      testResults: [{
        name: "rate.test.js",
        status: "failed",
        assertionResults: [
          { fullName: "zone 16", status: "passed", failureMessages: [] },
          { fullName: "zone 17", status: "failed", failureMessages: ["sum is 2\n    at x"] },
        ],
      }],
    },
    "failed: sum is 2 (rate.test.js, zone 17)",
  ],
  [
    { vulnerabilities: { leftpad: { severity: "high", via: [{ title: "Overflow", severity: "high" }] } } },
    "high: Overflow",
  ],
];

const linesOf = (content: string) => {
  const found = reportLines(new TextEncoder().encode(content));
  return found === undefined ? undefined : {
    texts: new TextDecoder().decode(found.bytes).split("\n"),
    lines: found.origins.map(({ line }) => line),
  };
};

Deno.test("JSON reports: findings of all layouts, in one line and in many", () => {
  for (const [report, text] of REPORTS) {
    const message = text.replace(/^.*: | \(.*$/g, "");
    for (const layout of [JSON.stringify(report), JSON.stringify(report, undefined, 2)]) {
      const found = linesOf(`start\n${layout}\nend`);
      assertEquals(found?.texts, ["start", text, "end"]);
      const origin = layout.split("\n").findIndex((line) => line.includes(message));
      assertEquals(found?.lines, [1, origin + 2, layout.split("\n").length + 2]);
    }
  }
});

Deno.test("JSON reports: a log in JSON lines, and JSON that is broken, stay as they are", () => {
  assertEquals(
    linesOf('{"level":"error","msg":"no"}\n{"level":"error","err":{"message":"no"}}\n'),
    undefined,
  );
  assertEquals(linesOf('[{"file":"a.c","line":1,"message":"no"\n'), undefined);
  // A line of many objects without findings is not one finding.
  assertEquals(linesOf('[{"error":1},{"error":2}]\nend\n')?.texts, ["end"]);
});
