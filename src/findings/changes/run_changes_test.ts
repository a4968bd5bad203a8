/** Changes between two runs, by what their findings say (docs/contract.md, Capturing). */

import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { changeCounts, changePart } from "./change_text.ts";
import { changedFindings } from "./changed_findings.ts";
import { contentChange } from "./run_changes.ts";

const NAMES = ["basket", "fee", "ledger", "order", "parcel", "quota", "refund", "voucher"];

/** A line of an output: ordinary, or one of some failures. */
const line = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => `compiled ${name}`),
  fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom("x", "y", "z")).map(([file, name]) =>
    `src/${file}.c:LINE: error: '${name}' undeclared`
  ),
  fc.constantFrom(...NAMES).map((name) => `FAILED tests/${name}.py::rounds - TIME`),
);
const lines = fc.array(line, { maxLength: 40 });

/** The output of a run: places and times are drawn for each line. */
function outputOf(texts: readonly string[], seed: number): Uint8Array {
  const number = (at: number) => 1 + (seed * 31 + at * 17) % 900;
  return new TextEncoder().encode(
    texts.map((text, at) =>
      text.replace("LINE", `${number(at)}:${number(at + 1)}`).replace("TIME", `${number(at)}ms`) + "\n"
    ).join(""),
  );
}

/** How many findings changed how, and what they say without places and times. */
function statement(before: Uint8Array, after: Uint8Array) {
  const { gone, fresh, still, recounted } = changedFindings(before, after)!;
  const said = (all: readonly { text: string }[]) => all.map(({ text }) => text.replace(/\d+/g, "")).sort();
  return { gone: said(gone), fresh: said(fresh), still: still.length, recounted: recounted.length };
}

Deno.test("run changes: the order of the second run does not count", () => {
  fc.assert(fc.property(
    lines,
    lines.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
    fc.nat(99),
    (then, [now, shuffled], seed) => {
      const before = outputOf(then, seed);
      assertEquals(statement(before, outputOf(shuffled, seed)), statement(before, outputOf(now, seed)));
    },
  ));
});

Deno.test("run changes: places and durations do not count", () => {
  fc.assert(fc.property(lines, fc.nat(99), fc.nat(99), (all, one, other) => {
    const { gone, fresh, recounted } = statement(outputOf(all, one), outputOf(all, other));
    assertEquals({ gone, fresh, recounted }, { gone: [], fresh: [], recounted: 0 });
  }));
});

Deno.test("run changes: what is gone from one run is new in the other, and all else is left", () => {
  fc.assert(fc.property(lines, lines, (then, now) => {
    const [one, other] = [
      statement(outputOf(then, 1), outputOf(now, 2)),
      statement(outputOf(now, 2), outputOf(then, 1)),
    ];
    assertEquals([one.gone, one.fresh, one.still], [other.fresh, other.gone, other.still]);
    const findings = then.filter((text) => !text.startsWith("compiled")).length;
    assertEquals(one.gone.length + one.still + one.recounted, findings);
  }));
});

/** The texts of what changed between two outputs. */
function changed(before: string, after: string) {
  const { gone, fresh, still, recounted } = changedFindings(
    new TextEncoder().encode(before),
    new TextEncoder().encode(after),
  )!;
  const texts = (all: readonly { text: string }[]) => all.map(({ text }) => text.trim());
  return {
    gone: texts(gone),
    fresh: texts(fresh),
    left: texts(still.map(([, now]) => now)),
    recounted: recounted.map((pair) => texts(pair)),
  };
}

const NOTHING = { gone: [], fresh: [], left: [], recounted: [] };

Deno.test("run changes: a summary is there with other numbers, and one of several alike failures is gone", () => {
  assertEquals(changed("5 failed, 40 passed in 2s\n", "2 failed, 43 passed in 1s\n"), {
    ...NOTHING,
    recounted: [["5 failed, 40 passed in 2s", "2 failed, 43 passed in 1s"]],
  });
  const failure = (number: number) => `error: row ${number} is broken\n`;
  assertEquals(changed(failure(3) + failure(9), failure(9) + failure(4)), {
    ...NOTHING,
    gone: ["error: row 3 is broken"],
    fresh: ["error: row 4 is broken"],
    left: ["error: row 9 is broken"],
  });
});

Deno.test("run changes: as many lines as said the same count", () => {
  const same = "error: row is broken\n";
  assertEquals(changed(same.repeat(3), same.repeat(2)), {
    ...NOTHING,
    gone: [same.trim()],
    left: [same.trim(), same.trim()],
  });
});

Deno.test("run changes: a message is of the file on the line above or below it", () => {
  const above = (file: string) => `${file}\n  3:5  error  'x' is not defined\n`;
  assertEquals(changed(above("a.js"), above("b.js")), {
    ...NOTHING,
    gone: ["a.js: 3:5  error  'x' is not defined"],
    fresh: ["b.js: 3:5  error  'x' is not defined"],
  });
  const below = (file: string) => `error[E1]: mismatched types\n --> ${file}:3:5\n`;
  assertEquals(changed(below("a.rs"), below("b.rs")), {
    ...NOTHING,
    gone: ["a.rs: error[E1]: mismatched types"],
    fresh: ["b.rs: error[E1]: mismatched types"],
  });
});

Deno.test("run changes: source that a report quotes is not a finding", () => {
  const frames = (test: string) => `
    def ${test}():
        """This must fail with an exception."""
>       parse(1)

test_a.py:20:${" "}
_ _ _ _ _ _ _ _ _ _ _ _

    def parse(x):
        """:raises KeyError: when the key is missing"""
        # error: fallback when an exception occurs
>       raise ValueError("bad value")
E       ValueError: bad value

test_a.py:13: ValueError
`;
  assertEquals(changed(`start\n${frames("test_p1")}`, `start\n${frames("test_p1")}${frames("test_ok")}`), {
    ...NOTHING,
    fresh: ["test_a.py:13: ValueError", "E       ValueError: bad value"],
    left: ["test_a.py:13: ValueError", "E       ValueError: bad value"],
  });
});

Deno.test("run changes: process ids and times do not make findings others, but the numbers of a name do", () => {
  const run = (pid: number, clock: string, parts: readonly number[]) =>
    parts.map((part) => `${clock} [${pid}] ERROR part ${part} failed: checksum mismatch\n`).join("");
  const found = changed(run(4711, "10:00:01.5", [7, 12, 31]), run(815, "11:10:12.75", [31, 7, 120]));
  assertEquals(found, {
    ...NOTHING,
    gone: ["10:00:01.5 [4711] ERROR part 12 failed: checksum mismatch"],
    fresh: ["11:10:12.75 [815] ERROR part 120 failed: checksum mismatch"],
    left: [
      "11:10:12.75 [815] ERROR part 31 failed: checksum mismatch",
      "11:10:12.75 [815] ERROR part 7 failed: checksum mismatch",
    ],
  });
});

Deno.test("a failure that the line below names is another one where that line differs, and marks of progress are not findings", () => {
  const run = (zone: number, count: number) =>
    [
      "• • ✘ • •   (147 / 150)".replace("✘ •", zone === 17 ? "✘ •" : "• ✘"),
      "Failed example:",
      `    fee("zone${zone}")`,
      "Expected:",
      "    4",
      `Total errors found: ${count}`,
      `Failed to compile ${count} file${count === 1 ? "" : "s"} with x.`,
      "",
    ].join("\n");
  const { gone, fresh, recounted } = changedFindings(
    new TextEncoder().encode(run(17, 3)),
    new TextEncoder().encode(run(140, 1)),
  )!;
  assertEquals(gone.map(({ text }) => text), [`Failed example: fee("zone17")`]);
  assertEquals(fresh.map(({ text }) => text), [`Failed example: fee("zone140")`]);
  assertEquals(recounted.length, 2);
});

/** Findings of a tool about one of many things, with values drawn by `at`; among them are ordinary lines. */
const VALUED: Record<
  string,
  (name: number, at: (most: number) => number) => [ordinary: string, finding: string]
> = {
  "an annotation of a CI": (name) => [
    `check package pkg-${name}`,
    `::error file=packages/pkg-${name}/main.py,line=LINE,col=4::line too long`,
  ],
  "a message with the id of a flow": (name, at) => [
    `##teamcity[testStarted name='Zone.test${name}' flowId='${at(9999)}']`,
    `##teamcity[testFailed name='Zone.test${name}' message='failed: 1 expected' flowId='${at(9999)}']`,
  ],
  "ages in a table": (name, at) => [
    `web-${name}-x2kq   1/1     Running            0              ${at(9)}h`,
    `web-${name}-x2kq   0/1     CrashLoopBackOff   ${at(90)} (${at(59)}s ago)   ${at(9)}h`,
  ],
  "fields of a log": (name, at) => [
    `level=info msg="sync done" shard=${name} bytes=${at(9999)}`,
    `level=error msg="sync failed" shard=${name} seq=${at(9999)} latency_ms=${at(999)} attempt=${at(5)}`,
  ],
  "JSON with ids of requests": (name, at) => [
    `{"level":30,"pid":${at(9999)},"msg":"loaded tenant-${name}","ms":${at(99)}}`,
    `{"level":50,"pid":${at(9999)},"reqId":"${
      at(9999)
    }e","tenant":"tenant-${name}","err":{"message":"quota exceeded"}}`,
  ],
  "threads of a pool": (name, at) => [
    `10:00:00 INFO  [pool-${at(4)}-thread-${at(16)}] Importer - importing feed-${name}`,
    `10:00:00 ERROR [pool-${at(4)}-thread-${at(16)}] Importer - feed-${name} rejected`,
  ],
  "a hash in the name of a bundle": (name, at) => [
    `dist/chunk.00${name}.${at(9999) + 10000}abc.js   ${at(99)}.5 kB`,
    `(!) dist/chunk.00${name}.${at(9999) + 10000}abc.js: error: too large (${at(99)}.5 kB)`,
  ],
  "a sum of what failed": (name) => [`dist/chunk.00${name}.js: OK`, `dist/chunk.00${name}.js: FAILED`],
  "a name that nearly all lines start with": (name) => [
    `listen tcp 0.0.0.0:80${name}: ok`,
    `listen tcp 0.0.0.0:80${name}: bind: address already in use`,
  ],
  "a cell of a table": (name, at) => [
    `| ${name}   | region   | ready   | ${500 + at(99)} ms |`,
    `| ${name}   | region   | FAILED  | ${500 + at(99)} ms |`,
  ],
};

Deno.test("run changes: values beside a name do not count, and names do", () => {
  const names = Array.from({ length: 80 }, (_, at) => 10 + at);
  for (const [what, linesOf] of Object.entries(VALUED)) {
    const run = (bad: readonly number[], seed: number) => {
      const at = (most: number) => 1 + (seed = (seed * 7919 + 17) % 99_991) % most;
      const text = names.flatMap((name) => {
        const [ordinary, finding] = linesOf(name, at);
        return bad.includes(name) ? [finding.replace("LINE", `${seed}`)] : [ordinary];
      });
      return [...text, `tool: WARNING: ${bad.length} computed checksums did NOT match`, ""].join("\n");
    };
    const lists = { gone: [17, 63], fresh: [70], left: [24, 40] };
    const { gone, fresh, left, recounted } = changed(
      run([...lists.gone, ...lists.left], 3),
      run([...lists.fresh, ...lists.left], 71),
    );
    const named = (texts: readonly string[]) =>
      texts.filter((text) => !text.includes("checksums"))
        .map((text) =>
          Number(/(?:pkg-|test|web-|shard=|tenant-|feed-|part-00|chunk\.00|任务|:80|\| )(\d+)/.exec(text)![1])
        );
    const now = [...left, ...recounted.map(([, text]) => text!)];
    assertEquals({ gone: named(gone), fresh: named(fresh), left: named(now).sort() }, lists, what);
  }
});

Deno.test("run changes: where only numbers differ that may be names, nothing is claimed", () => {
  const lines: Record<string, (zone: number, worker: number) => string> = {
    "a case in a file": (zone) => `mod17.c: case ${zone} failed`,
    "a long number": (zone) => `mod17.c: order ${100_000 + zone} failed`,
    "a version": (zone) => `mod17.c needs core 1.${zone}: ERROR not found`,
    "a worker": (_, worker) => `worker-${worker}: zone=7 failed`,
    "a worker before a name with an id": (_, worker) =>
      `Fork-${worker}] Task shop.rate_zone_7[0db00d40-a674-a5a6-f86b-9cf1472542${worker}0] failed`,
    "an address behind a path": (_, worker) =>
      `E: Failed to fetch http://a.example/mod7_1.2.deb [IP: 10.2.7.12${worker}]`,
    "a try, in Chinese": (_, worker) => `任务7 失败：连接超时，重试 ${worker}/9`,
    "a request behind a path": (_, worker) => `upload failed: out/mod7.gz (request id 4711F3A9${worker}C)`,
    "an attempt behind a number": (_, worker) =>
      `Lost task 7.0 in stage 3.0 (TID 59${worker}) (executor ${worker})`,
  };
  for (const [what, lineOf] of Object.entries(lines)) {
    const [before, after] = [3, 4].map((number) => {
      const texts = Array.from(
        { length: 40 },
        (_, at) =>
          `checking mod${at}.c\nworker-${
            at % 2 + 3
          }: zone=${at} ok\nTask ${at}.0 in stage 3.0 rated\n任务${at} 完成`,
      );
      return new TextEncoder().encode([...texts, lineOf(number, number), ""].join("\n"));
    });
    const found = changedFindings(before!, after!)!;
    assertEquals(
      changeCounts({ changed: found }),
      "lines changed; which findings are gone or new is unclear",
      what,
    );
    assert(/^\+ .*\n- /.test(new TextDecoder().decode(changePart({ changed: found })!.body.bytes)), what);
  }
});

/** The rows about two outputs. */
function rowsOf(before: readonly string[], after: readonly string[]): string[] {
  const [then, now] = [before, after].map((lines) => new TextEncoder().encode(lines.join("\n") + "\n"));
  const part = changePart(contentChange(then!, now!));
  return part === undefined ? [] : new TextDecoder().decode(part.body.bytes).trimEnd().split("\n");
}

Deno.test("run changes: a linter's line below the path of its file is a finding without a word of failure, too", () => {
  const report = (bad: readonly number[], quoted: string) =>
    [3, 7, 17].flatMap((page) => [
      `t/page${page}.html`,
      `H016 2:0 Missing title tag in html. <html> ${bad.includes(page) ? "<img" : quoted}`,
      ...(bad.includes(page) ? [`H013 ${page}:0 Img tag has no alt text. <img`] : []),
      "",
    ]);
  assertEquals(rowsOf(report([17], "<p>"), report([7], "<p>")).filter((row) => /^(?:new|gone)/.test(row)), [
    "new  6:t/page7.html: H013 7:0 Img tag has no alt text. <img",
    "gone 9:t/page17.html: H013 17:0 Img tag has no alt text. <img",
  ]);
});

Deno.test("run changes: lines without findings are shown if they name what no finding names, whatever the order", () => {
  const run = (bad: readonly number[]) => [
    ...[1, 2, 3, 4, 5].map((at) => `checking zone${at}.txt`),
    ...bad.flatMap((zone) => [`zone${zone}.txt:`, "  the value must be a number"]),
    `${bad.length} errors found`,
  ];
  assertEquals(rowsOf(run([2, 4]), run([4, 2])), ["left 10:2 errors found"]);
  assertEquals(rowsOf(run([2]), run([])), [
    "gone 8:1 errors found",
    "@@ -6 +6 @@",
    "-zone2.txt:",
    "-  the value must be a number",
    "+0 errors found",
  ]);
  // What a finding names is not shown again.
  const test = (bad: number) =>
    [1, 2, 3].map((zone) => `${zone === bad ? "not ok" : "ok"} - rate_of_zone${zone}`);
  assertEquals(rowsOf(test(1), test(3)), [
    "new  3:not ok - rate_of_zone3",
    "gone 1:not ok - rate_of_zone1",
  ]);
});

Deno.test("run changes: a failure that only the line of source names is another one", () => {
  const trace = (zone: number) => [
    "Traceback (most recent call last):",
    `  File "t.py", line ${zone}, in run`,
    `    check_zone(${zone})`,
    "    ^^^^^^^^^^",
    "ValueError: no rate",
  ];
  const rows = rowsOf(trace(1), trace(2));
  assertEquals(rows.filter((row) => row.startsWith("now")), []);
});

/** Findings with names and other numbers, which are values that no list of measures knows. */
const FORMS = [
  (name: number, value: number) => `overlays/zone${name}/main.yaml: Error: missing base ../base${value}`,
  (name: number, value: number) => `Zone${name}.kt: error: too complex (level of it is ${value})`,
  (name: number, value: number) => `ERROR lost shard ${name} of run r${value} at node-x${value + 3}y`,
  (name: number, value: number) => `error: zone ${name} is broken near item ${value}`,
];
const forms = fc.constantFrom(...FORMS);
const numbers = fc.uniqueArray(fc.integer({ min: 10, max: 99 }), { minLength: 2, maxLength: 12 });

/** The counts of two runs, as an answer has them. */
function claimed(before: readonly string[], after: readonly string[]): string {
  const [then, now] = [before, after].map((lines) => new TextEncoder().encode(lines.join("\n") + "\n"));
  return changeCounts(contentChange(then!, now!));
}

const CLAIM = /[1-9]\d* of \d+ findings gone|[1-9]\d* new/;

Deno.test("run changes: nothing is claimed to be gone or new where each finding may be there with other values", () => {
  fc.assert(fc.property(forms, numbers, fc.integer({ min: 100, max: 199 }), (form, names, value) => {
    const run = (from: number) => names.map((name, at) => form(name, from + at * at));
    assert(!CLAIM.test(claimed(run(value), run(value + 300))), claimed(run(value), run(value + 300)));
  }));
});

Deno.test("run changes: nothing is claimed to be gone or new where all numbers are shifted alike", () => {
  fc.assert(fc.property(numbers, fc.integer({ min: 100, max: 900 }), (places, shift) => {
    const run = (by: number) => places.map((place) => `error: rate is wrong in item ${place + by}`);
    assert(!CLAIM.test(claimed(run(0), run(shift))));
  }));
});

Deno.test("run changes: no counts are claimed that the tool's own count contradicts", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (then, more) => {
    const run = (count: number, isBroken: boolean) => [
      "ran 40 checks",
      ...(isBroken ? ["error: basket has no price"] : []),
      `40 checks, ${count} failures`,
    ];
    assert(!CLAIM.test(claimed(run(then, true), run(then + more, false))));
    assert(!CLAIM.test(claimed(run(then + more, false), run(then, true))));
  }));
});

Deno.test("run changes: names that differ in a number are claimed as before", () => {
  fc.assert(fc.property(numbers, (names) => {
    const run = (bad: number) =>
      names.map((name) => name === bad ? `not ok rate_of_zone${name}` : `ok rate_of_zone${name}`);
    assert(claimed(run(names[0]!), run(names[1]!)).startsWith("1 of 1 findings gone, 1 new, 0 left"));
  }));
});

Deno.test("run changes: names that pass in one run and fail in the other tell findings with other values apart", () => {
  fc.assert(fc.property(numbers, fc.nat(), (names, seed) => {
    const [first, second, ...others] = names;
    const run = (bad: readonly number[], by: number) =>
      names.concat(100, 101, 102, 103).map((name) =>
        bad.includes(name)
          ? `[job ${4000 + by}] ${by % 7}.5s | step-${name} FAILED in pod rates-${name * by}`
          : `[job ${4000 + by}] ${by % 7}.5s | step-${name} ok`
      );
    const bad = others.slice(0, 2);
    const one = 1 + seed % 99;
    const counts = claimed(run([first!, ...bad], one), run([second!, ...bad], one + 13));
    // With few lines, or names among the other numbers, nothing may be claimed.
    assert(/^1 of \d+ findings gone, 1 new, \d+ left|unclear$|may be others/.test(counts), counts);
  }));
  const run = (bad: readonly number[], by: number) =>
    Array.from(
      { length: 20 },
      (_, at) =>
        `step-${at} ${bad.includes(at) ? `FAILED in pod rates-${at * 31 + by} on worker ${by % 5}` : "ok"}`,
    );
  assert(
    claimed(run([3, 7, 9], 1), run([4, 7, 9], 17)).startsWith("1 of 3 findings gone, 1 new, 2 left, 2 of"),
  );
});

Deno.test("run changes: lines that both runs have are not gone where their surroundings hide them from one", () => {
  const excerpt = (shift: number) => [
    ...Array.from({ length: 3 }, (_, at) => [
      `s/suite${at}.robot:${1 + shift}:1 NAME07 Test case title is wrong`,
      "   |",
      ` ${1 + shift} | *** Test Cases ***`,
      "   | ^^^^^ NAME07",
      "   |",
      "",
    ]).flat(),
  ];
  assert(!CLAIM.test(claimed(excerpt(0), excerpt(7))));
});

Deno.test("run changes: a count of 0 failures is not a finding", () => {
  const run = (bad: number) => [
    ...Array.from(
      { length: 9 },
      (_, at) => `zone${at}.hurl: ${at < bad ? "error: Assert failure" : "Success"}`,
    ),
    `Failed files:      ${bad} (${bad}.0%)`,
  ];
  assert(claimed(run(3), run(0)).startsWith("4 of 4 findings gone, 0 new, 0 left"), claimed(run(3), run(0)));
});

Deno.test("run changes: what passed, how far a run is, and the hash in a path are no findings and no names", () => {
  const zones = Array.from({ length: 40 }, (_, at) => at + 1);
  const unity = (bad: readonly number[]) =>
    zones.map((zone) =>
      `test/rate.c:${100 + zone}:test_zone_${zone}:${bad.includes(zone) ? "FAIL: Expected 5" : "PASS"}`
    );
  assertMatch(claimed(unity([17, 30]), unity([17, 31])), /^1 of 2 findings gone, 1 new, 1 left/);
  const prefixed = (bad: readonly number[]) =>
    zones.map((zone) =>
      `shop:test: ${bad.includes(zone) ? "FAILED" : "PASSED"}: shop.Rate(${zone}) of the table`
    );
  assertMatch(claimed(prefixed([17, 30]), prefixed([17])), /^1 of 2 findings gone, 0 new, 1 left/);
  const karma = (bad: number) => [
    ...zones.map((zone) =>
      `Chrome 131.0.0: Executed ${zone} of 40${zone >= bad ? " (1 FAILED)" : ""} (0.1 secs)`
    ),
    ...(bad <= 40 ? [`Chrome 131.0.0 zone ${bad} pays FAILED`] : []),
  ];
  assertMatch(claimed(karma(99), karma(30)), /^0 of 0 findings gone, 1 new, 0 left/);
  const listed = (bad: readonly number[]) => [
    ...bad.map((zone) => `[ ${zone}%] rates.zone${zone}   [ fail ]`),
    `Failing test(s): ${bad.map((zone) => `rates.zone${zone}`).join(" ")}`,
  ];
  assertMatch(claimed(listed([17, 30, 33]), listed([17, 33])), /^2 of 6 findings gone, 0 new, 4 left/);
  const built = (
    hash: string,
  ) => [`error: builder for '/nix/store/${hash}-zone17-1.0.drv' failed with exit code 2`];
  const hashes = ["xw3078y69gvxb92m946k8g8y9s9rfd7l", "39xxvcmq5pg9xpisd3bckn8i9amcxlkp"];
  assert(!CLAIM.test(claimed(built(hashes[0]!), built(hashes[1]!))));
});

Deno.test("run changes: a UUID that both runs have is a name, and one of each run is not", () => {
  const ids = Array.from({ length: 4 }, (_, at) => `5490c2c${at}-d547-d1c1-fbdc-01e1b22f2be${at}`);
  const run = (of: readonly string[], codes: readonly number[] = []) =>
    of.map((id, at) => `{"level":"error","order":"${id}","error":"card declined: code ${codes[at] ?? 51}"}`);
  const found = (before: string[], after: string[]) => {
    const bytes = [before, after].map((lines) => new TextEncoder().encode(lines.join("\n")));
    const { gone, fresh, recounted } = changedFindings(bytes[0]!, bytes[1]!)!;
    return [gone.map(({ line }) => line), fresh.map(({ line }) => line), recounted.length];
  };
  const [first, second, third, other] = ids as [string, string, string, string];
  assertEquals(found(run([first, second, third]), run([first, third])), [[2], [], 0]);
  assertEquals(found(run([first, second, third]), run([first, other, third])), [[2], [2], 0]);
  assertEquals(found(run([first, second]), run([first, second], [51, 61])), [[], [], 1]);
  assertEquals(found(run([first, second]), run([third, other])), [[], [], 0]);
});

Deno.test("run changes: a duration below a millisecond, the hash of a pod and the heading of a table are left out", () => {
  const timed = (time: string) => [`  Failed Shop.Rate(3) [${time}]`, "  Failed Shop.Rate(4) [3 ms]"];
  assertMatch(claimed(timed("< 1 ms"), timed("16 ms")), /^only times, places, ids and the like differ$/);
  const logged = (
    pod: string,
  ) => [`{"level":"error","pod":"${pod}","msg":"feed-7 rejected"}`, "feed-8 was read"];
  assertMatch(
    claimed(logged("cart-ae4100f7-82f4f"), logged("cart-84d77edc-bd960")),
    /^only times, places, ids /,
  );
  const table = (name: string) => [
    "│ Library │ Vulnerability │ Severity │",
    "├─────────┼───────────────┼──────────┤",
    `│ ${name}    │ CVE-2024-1    │ HIGH     │`,
  ];
  assertMatch(claimed(table("left"), table("righ")), /^no finding recognized in either/);
});

/** The start of a sentence that counts what is gone and new, given the names of each run. */
function countsOf(before: readonly number[], now: readonly number[]): RegExp {
  const gone = before.filter((name) => !now.includes(name)).length;
  const fresh = now.filter((name) => !before.includes(name)).length;
  return new RegExp(`^${gone} of \\d+ findings gone, ${fresh} new, `);
}

/** Lines that report something in words that are not recognized. */
const UNKNOWN = [
  (name: number) => `row ${name} of ledger.csv has 3 fields where 4 are wanted`,
  (name: number) => `zone${name} answers slowly`,
  (name: number) => `/srv/data/part-${name}.bin belongs to another owner`,
];
const subset = (all: readonly number[]) => fc.subarray([...all]);

Deno.test("run changes: nothing is counted while lines changed that may be findings in other words", () => {
  const zones = Array.from({ length: 12 }, (_, at) => 20 + at);
  fc.assert(fc.property(
    fc.constantFrom(...UNKNOWN),
    fc.tuple(subset(zones), subset(zones)),
    fc.tuple(subset(zones), subset(zones)),
    (unknown, [failedThen, failedNow], [oddThen, oddNow]) => {
      const run = (failed: readonly number[], odd: readonly number[]) =>
        zones.flatMap((zone) => [
          ...Array.from({ length: 12 }, (_, at) => `reading block ${at} of zone${zone}.csv`),
          ...(failed.includes(zone) ? [`zone${zone}.csv: error: no rate`] : []),
          ...Array.from({ length: 12 }, (_, at) => `writing block ${at} of zone${zone}.csv`),
          ...(odd.includes(zone) ? [unknown(100 + zone)] : []),
        ]);
      const counts = claimed(run(failedThen, oddThen), run(failedNow, oddNow));
      const [before, now] = [[...failedThen, ...oddThen.map((zone) => -zone)], [
        ...failedNow,
        ...oddNow.map((zone) => -zone),
      ]];
      if (before.join() === now.join()) {
        assertEquals(counts, "only times, places, ids and the like differ");
      } else if (oddThen.join() === oddNow.join() || /^only | findings gone, /.test(counts)) {
        // Where the odd lines changed, too, they were recognized.
        assertMatch(counts, countsOf(before, now));
      }
    },
  ));
});

Deno.test("run changes: a run that ends early, or within a line, calls nothing gone", () => {
  const lines = Array.from({ length: 40 }, (_, at) => at % 9 === 5 ? `zone${at}: FAILED` : `zone${at}: done`);
  const cut = claimed(lines, lines.slice(0, 20));
  assertMatch(
    cut,
    /^this run may have ended early: 2 findings may not have been reached; besides these 0 new, 2 left$/,
  );
  // Lines that are equal to others in between.
  const spaced = lines.flatMap((text, at) => at % 6 === 0 ? [text, ""] : [text]);
  assertMatch(claimed(spaced, spaced.slice(0, 22)), /^this run may have ended early: 2 findings /);
  const errors = [1, 2, 3].map((at) => `src/mod${at}.c:3: error: no rate`);
  const [then, now] = [errors.join("\n") + "\n", `${errors[0]}\n${errors[1]!.slice(0, 22)}`];
  const bytes = [then, now].map((text) => new TextEncoder().encode(text));
  assertMatch(
    changeCounts(contentChange(bytes[0]!, bytes[1]!)),
    /: 2 findings may not have been reached; besides these 0 new, 1 left$/,
  );
});

Deno.test("run changes: a test that fails with another value is neither gone nor new", () => {
  const run = (value: number) =>
    [17, 140].flatMap((rate) => [
      `FAIL ./rate_spec > rate ${rate} of shop`,
      "  the answer is checked",
      `  AssertionError: expected ${rate === 17 ? value : 404} to be 200`,
      "",
    ]);
  assert(!CLAIM.test(claimed(run(3), run(4))), claimed(run(3), run(4)));
  // The line above may have the value, too, or be empty.
  const block = (value: number) => [
    `Failed: rate ${17} of shop`,
    `  assert rate(17) == ${value}`,
    "",
    `  error: where ${value} = get(17)`,
    "",
    "Failed: rate 140 of shop",
    "  assert rate(140) == 404",
    "",
    "  error: where 404 = get(140)",
  ];
  assert(!CLAIM.test(claimed(block(3), block(4))), claimed(block(3), block(4)));
});

Deno.test("run changes: what a new syntax error or a suite that does not load keeps a tool from is not gone", () => {
  const found = (at: number) => `src/mod${at}.py:${at}:1: F821 undefined name 'x${at}'`;
  const stops = [
    "src/mod3.py:9:1: invalid syntax",
    "src/Mod3.java:9: error: ';' expected",
    "ERROR collecting src/mod3.py",
    "FAIL src/mod3 [build failed]",
    "Test suite failed to run",
    "panic: assignment to entry in nil map",
    "Error: The operation was canceled.",
    "not ok 1 setup_file failed",
  ];
  for (const stop of stops) {
    assertMatch(
      claimed([found(3), found(4), found(5)], [stop, found(5)]),
      /^this run may have ended early: 2 findings may not have been reached; besides these [12] new, 1 left$/,
    );
  }
  // Without the count at its end, the run did not get there.
  assertMatch(
    claimed([found(3), found(4), "2 errors found"], ["Error: rule f821 has no such option"]),
    /^this run may have ended early: 3 findings may not have been reached; besides these 1 new, 0 left$/,
  );
  // Both stopped at a failure, the second one earlier.
  const halt = "!!! stopping after 1 failures !!!";
  assertMatch(
    claimed([found(4), halt], [found(3), halt]),
    /^this run may have ended early: 1 finding may not /,
  );
  // After the same in another file, the tool had gone on.
  assertMatch(claimed([stops[0]!, found(4), found(5)], [stops[0]!.replace("3", "7"), found(5)]), /^2 of 3 /);
});

Deno.test("run changes: what is graver or less grave than before is left, whether it was a finding or not", () => {
  const grades = fc.constantFrom("warn", "warning", "error", "critical", "FAIL", "HIGH", "low");
  fc.assert(fc.property(grades, grades, fc.integer({ min: 1, max: 99 }), (then, now, at) => {
    const run = (grade: string) => [
      "checking all zones of the shop",
      `[${grade}] zone_${at} has no replica in region-7`,
      "error: zone_100 has no owner",
    ];
    const counts = claimed(run(then), run(now));
    assert(!CLAIM.test(counts), `${then} to ${now}: ${counts}`);
  }));
});

Deno.test("run changes: lines that moved may be below another heading", () => {
  const run = (bad: string) =>
    ["a1", "a12", "b3"].flatMap((name) => [`-- ${name}`, name === bad ? "dry" : "wet"]);
  assertMatch(claimed(run("a1"), run("a12")), /, in another order: one may be below another heading$/);
  assertEquals(rowsOf(run("a1"), run("a12")).filter((row) => /^[-+]/.test(row)).length, 4);
});

Deno.test("run changes: a verdict that names nothing leaves open which of the measures it is about", () => {
  const run = (missed: readonly number[], verdict: string) => [
    ...missed.map((count, at) => `| mod${at}.py | 10 | ${count} | ${10 - count} |`),
    `RESULT: ${verdict}`,
  ];
  assertMatch(
    claimed(run([0, 6, 1], "FAILED"), run([2, 0, 3], "PASSED")),
    /^3 changed lines may be findings, too; of those recognized 1 of 1 gone, 0 new, 0 left$/,
  );
});

Deno.test("run changes: a place in a file without an ending is one, too", () => {
  const run = (directory: string) => [`${directory}Dockerfile:3 DL3008 Pin versions in apt get install.`];
  assertMatch(claimed(run(""), run("web2/")), /^1 of 1 findings gone, 1 new, 0 left/);
  // A port is not a line.
  const host = (days: number) => [`api4.shop.test:443  expires in ${days} days  good`];
  assert(!CLAIM.test(claimed(host(3), [...host(3), "api8.shop.test:443  expires in 67 days  good"])));
});

Deno.test("run changes: what a failure is followed by, a trace and source are not taken for other findings", () => {
  const test = (at: number) => [
    `FAIL order_${at}.test.js`,
    `  order ${at} has no rate`,
    ...["a", "b", "c", "d"].map((name) => `  value ${name}${at} of order_${at}.csv was read`),
    `  ledger_${at} row 3: no match`,
    `    at check (lib/check_${at}.js:3:9)`,
    `  test at order_${at}.test.js:7:1`,
    `  File "lib/ledger_${at}.py", line 3, in rows`,
    `    return ledger_${at}.rows`,
    "",
  ];
  const run = (all: readonly number[]) => ["Compiling shop_1", ...all.flatMap(test), "Compiling shop_2"];
  assertMatch(claimed(run([3, 4, 5]), run([4])), /^2 of 3 findings gone, 0 new, 1 left/);
  // Without a finding that changed, a frame may be all that tells two apart.
  const leak = (at: number) => ["error: 9 bytes are lost", `   by get_${at} (m_${at}.c:2)`, "error: no rate"];
  assert(!CLAIM.test(claimed(leak(3), leak(4))));
});

Deno.test("run changes: an id that both runs have is a name, though nothing else tells lines apart", () => {
  const run = (bad: number) =>
    [1, 2, 3, 4].map((at) =>
      `{"id":"i-0abc00000000000${at}","system":"${at === bad ? "impaired" : "fine"}"}`
    );
  assertEquals(claimed(run(1), run(3)), "no finding recognized in either");
  assertEquals(rowsOf(run(1), run(3)).filter((row) => /^[-+]/.test(row)).length, 4);
});

Deno.test("run changes: the number of a workspace for one run does not name what is in it", () => {
  const run = (workspace: number, bad: readonly number[]) =>
    bad.map((at) => `[WARN] /home/ci/build-${workspace}/src/a/Dto${at}.java:7:9: Missing a comment.`);
  assert(!CLAIM.test(claimed(run(1, [4]), run(2, [4]))));
  assert(!CLAIM.test(claimed(run(1, [4, 11]), run(2, [4, 11]))));
  assertMatch(claimed(run(1, [4, 11]), run(1, [4, 12])), /^1 of 2 findings gone, 1 new, 1 left/);
});

Deno.test("run changes: a row beside one of its table that changed may be a finding of its own", () => {
  const run = (id: string, grade: string) => [
    "Total: 3 vulnerabilities",
    `| ssl3  | CVE-2024-${id} | HIGH | 3.0.11 |`,
    "| zlib  | CVE-2023-45853 | CRITICAL | 1.2.13 |",
    `| expat | CVE-2024-45490 | ${grade} | 2.5.0 |`,
  ];
  assertMatch(
    claimed(run("0727", "HIGH"), run("4741", "CRITICAL")),
    /^2 changed lines may be findings, too; /,
  );
});
