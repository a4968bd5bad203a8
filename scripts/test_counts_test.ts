import { assertEquals } from "@std/assert";
import { countsOfDenoTest, countsOfLastLine, failedTests } from "./test_counts.ts";

Deno.test("the summary is counted, steps and ignored tests apart", () => {
  assertEquals(countsOfDenoTest("a ... ok\n\nok | 12 passed (3 steps) | 0 failed | 2 ignored (4s)\n", true), {
    passed: 12,
    failed: 0,
    skipped: 2,
  });
  assertEquals(countsOfDenoTest("FAILED | 3 passed | 2 failed (1 step) (4s)\n", false), {
    passed: 3,
    failed: 2,
    skipped: 0,
  });
});

Deno.test("a run that fails without a failed test is a failure", () => {
  assertEquals(countsOfDenoTest("error: Type checking failed.\n", false).failed, 1);
  assertEquals(countsOfDenoTest("ok | 3 passed | 0 failed (1s)\n", false).failed, 1);
});

Deno.test("a run without a test is a failure", () => {
  assertEquals(countsOfDenoTest("ok | 0 passed | 0 failed (0ms)\n", true).failed, 1);
});

Deno.test("counts of a last line: as it says, and a failure more where the run failed or says nothing", () => {
  const counts = (text: string, succeeded = true) => {
    const { passed, failed, skipped } = countsOfLastLine(text, succeeded);
    return [passed, failed, skipped];
  };
  assertEquals(counts("a\n1 passed, 1 failed\nmore\n31 passed, 0 failed\n"), [31, 0, 0]);
  assertEquals(counts("0 passed, 0 failed, 4 skipped (no program in /cache)\n"), [0, 0, 4]);
  assertEquals(counts("3 passed, 2 failed\n", false), [3, 2, 0]);
  assertEquals(counts("3 passed, 0 failed\n", false), [3, 1, 0]);
  assertEquals(counts("3 passed, 0 failed\nand then it broke", false), [0, 1, 0]);
  assertEquals(counts(""), [0, 1, 0]);
});

Deno.test("failed tests are named with their place, whatever their output says", () => {
  const output = `a => b.ts:1:1 ... FAILED (2ms)

 ERRORS

a => b.ts:1:1
error: AssertionError

 FAILURES

a => ./x/b_test.ts:1:6
a step of it ... of c => ./x/c_test.ts:20:6

FAILED | 3 passed | 2 failed (4s)
`;
  assertEquals(failedTests(output), [
    "a => ./x/b_test.ts:1:6",
    "a step of it ... of c => ./x/c_test.ts:20:6",
  ]);
  assertEquals(failedTests("ok | 3 passed | 0 failed (1s)\n"), []);
});
