/**
 * Outputs of tools in which names are numbered throughout (`test_rate[17]`, `mod17.c`), in the formats of the real tools: what
 * changed between two runs is known, because each run is made from the numbers that fail in it.
 */

/** One run: which of the numbers fail, and what differs from run to run without meaning anything. */
export interface NumberedRun {
  failing: readonly number[];
  /** Decides times, durations, process ids and addresses. */
  seed: number;
  /** Lines that were added above in each file. */
  shift: number;
  /** Whether the order is another. */
  isShuffled: boolean;
}

const COUNT = 60;

/** The numbers of a run, and ways to write them. */
interface Parts {
  run: NumberedRun;
  failing: readonly number[];
  isBad(number: number): boolean;
  /** A text for each number, or for each that fails. */
  each(textOf: (number: number, at: number) => string): string;
  bad(textOf: (number: number, at: number) => string): string;
  /** A duration in milliseconds, with a fraction. */
  ms(): string;
  s(): string;
  pid: number;
  clock(): string;
  line(number: number): number;
  fails: number;
  passes: number;
}

function partsOf(run: NumberedRun): Parts {
  let state = run.seed * 7919 + 17;
  const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const all = Array.from({ length: COUNT }, (_, at) => at + 1);
  if (run.isShuffled) {
    all.sort((one, other) => (one * 37 + run.seed) % COUNT - (other * 37 + run.seed) % COUNT);
  }
  const failing = all.filter((number) => run.failing.includes(number));
  const isBad = (number: number) => failing.includes(number);
  return {
    run,
    failing,
    isBad,
    each: (textOf) => all.map(textOf).join("\n"),
    bad: (textOf) => failing.map(textOf).join("\n"),
    ms: () => `${random(90)}.${100 + random(900)}`,
    s: () => `${random(3)}.${10 + random(90)}`,
    pid: 1000 + random(50_000),
    clock: () => `1${random(10)}:${10 + random(50)}:${10 + random(50)}.${100 + random(900)}`,
    line: (number) => 3 * number + run.shift,
    fails: failing.length,
    passes: COUNT - failing.length,
  };
}

const plural = (count: number) => count === 1 ? "" : "s";
const three = (number: number) => String(number).padStart(3, "0");

type Format = (parts: Parts) => string;

/** Each ends like the real tool where nothing fails. */
const FORMATS: Record<string, Format> = {
  "pytest": ({ bad, fails, passes, s, line }) =>
    `============================= test session starts ==============================
collected 60 items

test_rate.py ${".".repeat(60)}                  [100%]
${
      fails === 0 ? "" : `=================================== FAILURES ===================================
${
        bad((n) =>
          `_________________________________ test_rate[${n}] _________________________________

zone = ${n}

    @pytest.mark.parametrize('zone', range(1, 61))
    def test_rate(zone):
>       assert 3 == (4 if zone in BAD else 3)
E       assert 3 == 4

test_rate.py:${line(1)}: AssertionError`
        )
      }
=========================== short test summary info ============================
${bad((n) => `FAILED test_rate.py::test_rate[${n}] - assert 3 == 4`)}
`
    }=================== ${
      fails > 0 ? `${fails} failed, ` : ""
    }${passes} passed in ${s()}s ===================`,
  "pytest -v": ({ each, bad, isBad, fails, passes, s }) =>
    `${each((n) => `test_rate.py::test_error_page[${n}] ${isBad(n) ? "FAILED" : "PASSED"}   [ ${n % 100}%]`)}
${bad((n) => `FAILED test_rate.py::test_error_page[${n}] - KeyError: 'fee'`)}
========= ${fails > 0 ? `${fails} failed, ` : ""}${passes} passed in ${s()}s =========`,
  "unittest -v": ({ each, bad, isBad, fails, s, line }) =>
    `${
      each((n) =>
        `test_error_zone_${n} (test_rate.RateTest.test_error_zone_${n}) ... ${isBad(n) ? "FAIL" : "ok"}`
      )
    }

${
      bad((n) =>
        `======================================================================
FAIL: test_error_zone_${n} (test_rate.RateTest.test_error_zone_${n})
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/src/test_rate.py", line ${line(n)}, in test_error_zone_${n}
    self.assertEqual(3, 4)
AssertionError: 3 != 4
`
      )
    }
----------------------------------------------------------------------
Ran 60 tests in ${s()}s

${fails > 0 ? `FAILED (failures=${fails})` : "OK"}`,
  "ward": ({ each, bad, isBad, fails, passes, s, line }) =>
    `${
      each((n) =>
        ` ${isBad(n) ? "FAIL" : "PASS"}  test_rate:${line(n)} error page of zone ${n}          ${n}%`
      )
    }

${
      bad((n) =>
        `──────────────────────────── error page of zone ${n} ─────────────────────────────

  Failed at test_rate.py:${line(n)}

    ❱ ${line(n)}     assert 3==4`
      )
    }
╭──────────── Results ─────────────╮
│  60  Tests Encountered           │
│  ${passes}  Passes             (${(passes / 0.6).toFixed(1)}%)  │
${
      fails > 0
        ? `│  ${String(fails).padStart(2)}  Failures           (${(fails / 0.6).toFixed(1)}%)   │\n`
        : ""
    }╰──────────────────────────────────╯
─────────────── ${fails > 0 ? "FAILED" : "SUCCESS"} in ${s()} seconds ───────────────`,
  "node --test": ({ each, bad, isBad, fails, passes, ms, line }) =>
    `${each((n) => `${isBad(n) ? "✖" : "✔"} error page of zone ${n} (${ms()}ms)`)}
ℹ tests 60
ℹ suites 0
ℹ pass ${passes}
ℹ fail ${fails}
ℹ cancelled 0
ℹ duration_ms ${ms()}
${
      bad((n, at) =>
        `${at === 0 ? "\n✖ failing tests:\n" : ""}
test at rate.test.js:${line(n)}:1
✖ error page of zone ${n} (${ms()}ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  3 !== 4

      at TestContext.<anonymous> (/src/rate.test.js:${line(n)}:44)`
      )
    }`,
  "node --test, TAP": ({ each, isBad, fails, passes, ms, line }) =>
    `TAP version 13
${
      each((n) =>
        `# Subtest: error page of zone ${n}
${isBad(n) ? "not ok" : "ok"} ${n} - error page of zone ${n}
  ---
  duration_ms: ${ms()}${
          isBad(n) ? `\n  location: '/src/rate.test.js:${line(n)}:1'\n  failureType: 'testCodeFailure'` : ""
        }
  ...`
      )
    }
1..60
# tests 60
# pass ${passes}
# fail ${fails}
# duration_ms ${ms()}`,
  "mocha": ({ each, bad, isBad, fails, passes, failing, ms, line }) => `
  vat
${
    each((n) =>
      isBad(n) ? `    ${failing.indexOf(n) + 1}) error page of zone ${n}` : `    ✔ error page of zone ${n}`
    )
  }


  ${passes} passing (${ms()}ms)
${fails > 0 ? `  ${fails} failing\n` : ""}
${
    bad((n, at) =>
      `  ${at + 1}) vat
       error page of zone ${n}:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

3 !== 4

      at Context.<anonymous> (rate.js:${line(n)}:36)
`
    )
  }`,
  "vitest": ({ each, bad, isBad, fails, passes, ms, clock, line }) =>
    `${
      each((n) =>
        isBad(n)
          ? ` × rate.test.js > error page of zone ${n} ${
            n % 7
          }ms\n   → expected 3 to be 4 // Object.is equality`
          : ` ✓ rate.test.js > error page of zone ${n} ${n % 5}ms`
      )
    }
${fails > 0 ? `\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests ${fails} ⎯⎯⎯⎯⎯⎯⎯` : ""}
${
      bad((n, at) => `
 FAIL  rate.test.js > error page of zone ${n}
AssertionError: expected 3 to be 4 // Object.is equality

 ❯ rate.test.js:${line(n)}:44
     ${line(n) - 1}| test('error page of zone ${n - 1}',()=>expect(3).toBe(3));
     ${line(n)}| test('error page of zone ${n}',()=>expect(3).toBe(4));
       |                                            ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[${at + 1}/${fails}]⎯`)
    }

 Test Files  1 ${fails > 0 ? "failed" : "passed"} (1)
      Tests  ${fails > 0 ? `${fails} failed | ` : ""}${passes} passed (60)
   Start at  ${clock().slice(0, 8)}
   Duration  ${ms()}ms (transform 47ms, setup 0ms)`,
  "jest": ({ each, bad, isBad, fails, passes, s, line }) =>
    `${fails > 0 ? "FAIL" : "PASS"} ./rate.test.js
${each((n) => `  ${isBad(n) ? "✕" : "✓"} error page of zone ${n}${n % 3 === 0 ? ` (${n % 4 + 1} ms)` : ""}`)}
${
      bad((n) => `
  ● error page of zone ${n}

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

    > ${line(n)} | test('error page of zone ${n}',()=>expect(3).toBe(4));
         |                                            ^
`)
    }
Test Suites: 1 ${fails > 0 ? "failed" : "passed"}, 1 total
Tests:       ${fails > 0 ? `${fails} failed, ` : ""}${passes} passed, 60 total
Time:        ${s()} s`,
  "ava": ({ each, bad, isBad, fails, line, ms }) =>
    `${
      each((n) =>
        `  ${isBad(n) ? "✘ [fail]:" : "✔"} error page of zone ${n}${n % 4 === 0 ? ` (${ms()}ms)` : ""}${
          isBad(n) ? " Difference (- actual, + expected)" : ""
        }`
      )
    }
  ─
${
      bad((n) => `
  error page of zone ${n}

  rate.test.js:${line(n)}

   ${line(n) - 1}: test('error page of zone ${n - 1}',t=>t.is(3,3));
   ${line(n)}: test('error page of zone ${n}',t=>t.is(3,4));

  Difference (- actual, + expected):

  - 3
  + 4
`)
    }
  ─

  ${fails > 0 ? `${fails} test${plural(fails)} failed` : "60 tests passed"}`,
  "bun test": ({ each, isBad, fails, passes, ms, line, run }) =>
    `bun test v1.2.0 (b0)

rate.test.js:
${
      each((n) => {
        const time = (n * run.seed) % 3 === 0 ? ` [${ms()}ms]` : "";
        if (!isBad(n)) return `(pass) error page of zone ${n}${time}`;
        return `${line(n)} | test('error page of zone ${n}',()=>expect(3).toBe(4));
                                                    ^
error: expect(received).toBe(expected)

Expected: 4
Received: 3

      at <anonymous> (/src/rate.test.js:${line(n)}:56)
(fail) error page of zone ${n}${time}`;
      })
    }

 ${passes} pass
 ${fails} fail
 60 expect() calls
Ran 60 tests across 1 file. [${ms()}ms]`,
  "deno test": ({ each, bad, isBad, fails, passes, ms, line }) =>
    `running 60 tests from ./rate_test.js
${each((n) => `failed login of zone ${n} ... ${isBad(n) ? "FAILED" : "ok"} (${ms()}ms)`)}

${
      bad((n, at) =>
        `${at === 0 ? " ERRORS \n\n" : ""}failed login of zone ${n} => ./rate_test.js:${line(n)}:6
error: AssertionError: Expected values to be strictly equal: 3 !== 4
    at file:///src/rate_test.js:${line(n)}:44
`
      )
    }
${
      fails > 0
        ? ` FAILURES \n\n${bad((n) => `failed login of zone ${n} => ./rate_test.js:${line(n)}:6`)}\n\n`
        : ""
    }${fails > 0 ? "FAILED" : "ok"} | ${passes} passed | ${fails} failed (${ms()}ms)
${fails > 0 ? "\nerror: Test failed" : ""}`,
  "go test -v": ({ each, isBad, fails, s, line }) =>
    `=== RUN   TestErrorRate
${
      each((n) =>
        `=== RUN   TestErrorRate/zone${n}${isBad(n) ? `\n    rate_test.go:${line(1)}: got 4, want 3` : ""}`
      )
    }
--- ${fails > 0 ? "FAIL" : "PASS"}: TestErrorRate (${s()}s)
${each((n) => `    --- ${isBad(n) ? "FAIL" : "PASS"}: TestErrorRate/zone${n} (${s()}s)`)}
${fails > 0 ? `FAIL\nFAIL\tvat\t${s()}s\nFAIL` : `PASS\nok  \tvat\t${s()}s`}`,
  "cargo test": ({ each, bad, isBad, fails, passes, s, line, pid }) =>
    `   Compiling vat v0.1.0 (/src)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in ${s()}s
     Running unittests src/lib.rs (target/debug/deps/vat-0f1e2d3c4b5a6978)

running 60 tests
${each((n) => `test tests::error_of_zone_${n} ... ${isBad(n) ? "FAILED" : "ok"}`)}
${
      fails === 0 ? "" : `
failures:

${
        bad((n) =>
          `---- tests::error_of_zone_${n} stdout ----

thread 'tests::error_of_zone_${n}' (${pid + n}) panicked at src/lib.rs:${line(n)}:9:
assertion \`left == right\` failed
  left: 3
 right: 4
`
        )
      }

failures:
${bad((n) => `    tests::error_of_zone_${n}`)}
`
    }
test result: ${
      fails > 0 ? "FAILED" : "ok"
    }. ${passes} passed; ${fails} failed; 0 ignored; 0 measured; 0 filtered out; finished in ${s()}s
${fails > 0 ? "\nerror: test failed, to rerun pass `--lib`" : ""}`,
  "cargo nextest": ({ each, bad, isBad, fails, passes, s }) =>
    `${
      each((n, at) =>
        `        ${isBad(n) ? "FAIL" : "PASS"} [   ${s()}s] (${at + 1}/60) vat tests::error_of_zone_${n}`
      )
    }
────────────
     Summary [   ${s()}s] 60 tests run: ${passes} passed, ${fails > 0 ? `${fails} failed, ` : ""}0 skipped
${bad((n) => `        FAIL [   ${s()}s] vat tests::error_of_zone_${n}`)}
${fails > 0 ? "error: test run failed" : ""}`,
  "gcc and make": ({ each, isBad, fails, line }) =>
    `${
      each((n) =>
        `gcc -Wall -c mod${n}.c
mod${n}.c: In function ‘rate’:
${
          isBad(n)
            ? `mod${n}.c:${line(1) + 2}:16: error: ‘basse’ undeclared (first use in this function)
    ${line(1) + 2} |     return v + basse;
      |                ^~~~~
make: *** [Makefile:${line(1)}: mod${n}.o] Error 1\n`
            : ""
        }mod${n}.c:${line(1)}:9: warning: unused variable ‘unused’ [-Wunused-variable]
    ${line(1)} |     int unused;
      |         ^~~~~~`
      )
    }
${fails > 0 ? "make: Target 'all' not remade because of errors." : ""}`,
  "rustc": ({ bad, fails, line }) =>
    `   Compiling vat v0.1.0 (/src)
${
      bad((n) =>
        `error[E0308]: mismatched types
 --> src/zone${n}.rs:${line(1)}:5
  |
${line(1)} |     "a"
  |     ^^^ expected \`u32\`, found \`&str\`
`
      )
    }
${
      fails > 0
        ? `For more information about this error, try \`rustc --explain E0308\`.\nerror: could not compile \`vat\` (lib) due to ${fails} previous error${
          plural(fails)
        }`
        : "    Finished"
    }`,
  "tsc": ({ bad, line }) =>
    bad((n) =>
      `src/z${n}.ts(${line(1)},14): error TS2322: Type 'string' is not assignable to type 'number'.`
    ),
  "tsc --pretty": ({ bad, fails, failing, line }) =>
    `${
      bad((n) =>
        `src/z${n}.ts:${line(1)}:14 - error TS2322: Type 'string' is not assignable to type 'number'.

${line(1)} export const rate: number = "a";
               ~~~~
`
      )
    }
${
      fails === 0
        ? ""
        : fails === 1
        ? `Found 1 error in src/z${failing[0]}.ts:${line(1)}`
        : `Found ${fails} errors in ${fails} files.`
    }`,
  "eslint": ({ each, isBad, fails, line }) =>
    `${
      each((n) => `
/src/z${n}.js
  ${line(1)}:7  warning  'rate' is assigned a value but never used  no-unused-vars${
        isBad(n) ? `\n  ${line(2)}:1  error    'foo' is not defined                      no-undef` : ""
      }`)
    }

✖ ${60 + fails} problems (${fails} error${plural(fails)}, 60 warnings)`,
  "mypy": ({ bad, fails, line }) =>
    `${
      bad((n) =>
        `shop/z${n}.py:${
          line(1)
        }: error: Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]`
      )
    }
${
      fails > 0
        ? `Found ${fails} error${plural(fails)} in ${fails} file${plural(fails)} (checked 60 source files)`
        : "Success: no issues found in 60 source files"
    }`,
  "ruff": ({ each, isBad, fails, line }) =>
    `${
      each((n) =>
        `F401 [*] \`os\` imported but unused
 --> shop/z${n}.py:${line(1)}:8
  |
${line(1)} | import os
  |        ^^
  |
${
          isBad(n)
            ? `
F821 Undefined name \`basse\`
 --> shop/z${n}.py:${line(2)}:7
  |
${line(2)} | print(basse)
  |       ^^^^^
  |
`
            : ""
        }`
      )
    }
Found ${60 + fails} errors.
[*] 60 fixable with the \`--fix\` option.`,
  "ty": ({ bad, fails, line }) =>
    `${
      bad((n) =>
        `error[invalid-assignment]: Object of type \`Literal["a"]\` is not assignable to \`int\`
 --> shop/z${n}.py:${line(1)}:7
  |
${line(1)} | rate: int = "a"
  |       ---   ^^^ Incompatible value of type \`Literal["a"]\`
  |
info: rule \`invalid-assignment\` is enabled by default
`
      )
    }
${fails > 0 ? `Found ${fails} diagnostic${plural(fails)}` : "All checks passed!"}`,
  "pylint": ({ bad, line }) =>
    `************* Module shop
${bad((n) => `shop/z${n}.py:${line(1)}:6: E0602: Undefined variable 'basse' (undefined-variable)`)}

------------------------------------------------------------------
Your code has been rated at 9.${line(1)}/10 (previous run: 9.17/10, +0.00)`,
  "shellcheck": ({ bad, line }) =>
    bad((n) => `
In sh/zone${n}.sh line ${line(1)}:
cd /x
^---^ SC2164 (warning): Use 'cd ... || exit' or 'cd ... || return' in case cd fails.

Did you mean:
cd /x || exit
`),
  "hadolint": ({ each, isBad, line }) =>
    each((n) =>
      `Dockerfile.zone${n}:${line(1)} DL3008 warning: Pin versions in apt get install.${
        isBad(n) ? `\nDockerfile.zone${n}:${line(2)} DL3000 error: Use absolute WORKDIR` : ""
      }`
    ),
  "luacheck": ({ each, isBad, fails, line }) =>
    `${
      each((n) =>
        isBad(n)
          ? `Checking src/z${n}.lua                              1 warning

    src/z${n}.lua:${line(1)}:3: accessing undefined variable 'basse'
`
          : `Checking src/z${n}.lua                              OK`
      )
    }

Total: ${fails} warning${plural(fails)} / 0 errors in 60 files`,
  "busted": ({ bad, fails, passes, s, line, each, isBad }) =>
    `${
      each((n) =>
        `[ RUN      ] spec/rate_spec.lua @ ${line(n)}: vat error page of zone ${n}\n${
          isBad(n)
            ? `spec/rate_spec.lua:${line(n)}: Expected objects to be equal.\n[  FAILED  ]`
            : "[       OK ]"
        } spec/rate_spec.lua @ ${line(n)}: vat error page of zone ${n} (${s()} ms)`
      )
    }
[==========] 60 tests from 1 test file ran. (${s()} ms total)
[  PASSED  ] ${passes} tests.
${
      fails > 0
        ? `[  FAILED  ] ${fails} test${plural(fails)}, listed below:\n${
          bad((n) => `[  FAILED  ] spec/rate_spec.lua @ ${line(n)}: vat error page of zone ${n}`)
        }\n\n ${fails} FAILED TEST${plural(fails).toUpperCase()}`
        : ""
    }`,
  "googletest": ({ each, bad, isBad, fails, passes, line }) =>
    `${
      each((n) =>
        `[ RUN      ] VatError.Zone${three(n)}
${
          isBad(n)
            ? `t.cc:${line(n)}: Failure\nExpected equality of these values:\n  3\n  4\n[  FAILED  ]`
            : "[       OK ]"
        } VatError.Zone${three(n)} (0 ms)`
      )
    }
[==========] 60 tests from 1 test suite ran. (${line(1)} ms total)
[  PASSED  ] ${passes} tests.
${
      fails > 0
        ? `[  FAILED  ] ${fails} test${plural(fails)}, listed below:\n${
          bad((n) => `[  FAILED  ] VatError.Zone${three(n)}`)
        }\n\n ${fails} FAILED TEST${fails === 1 ? "" : "S"}`
        : ""
    }`,
  "ctest": ({ each, bad, isBad, fails, passes, s }) =>
    `Test project /src/b
${
      each((n) =>
        `      Start  ${n}: error_zone_${n}
 ${n}/60 Test #${n}: error_zone_${n} ....................${
          isBad(n) ? "***Failed" : "   Passed"
        }    ${s()} sec`
      )
    }

${Math.round(passes / 0.6)}% tests passed, ${fails} tests failed out of 60

Total Test time (real) =   ${s()} sec
${
      fails > 0
        ? `\nThe following tests FAILED:\n${
          bad((n) => `\t ${n} - error_zone_${n} (Failed)`)
        }\nErrors while running CTest`
        : ""
    }`,
  "prove": ({ failing, fails }) =>
    fails === 0
      ? "t/rate.t .. ok\nAll tests successful.\nFiles=1, Tests=60,  0 wallclock secs\nResult: PASS"
      : `t/rate.t ..
Failed ${fails}/60 subtests

Test Summary Report
-------------------
t/rate.t (Wstat: 0 Tests: 60 Failed: ${fails})
  Failed test${plural(fails)}:  ${failing.join(", ")}
Files=1, Tests=60,  0 wallclock secs ( 0.02 usr +  0.01 sys =  0.03 CPU)
Result: FAIL`,
  "bats": ({ each, isBad, line, fails }) =>
    `1..60
${
      each((n) =>
        `${isBad(n) ? "not ok" : "ok"} ${n} error page of zone ${n}${
          isBad(n) ? `\n# (in test file rate.bats, line ${line(n)})\n#   \`[ 3 -eq 4 ]' failed` : ""
        }`
      )
    }
${fails > 0 ? "" : ""}`,
  "minitest -v": ({ each, bad, isBad, fails, s, line, run }) =>
    `Run options: -v --seed ${run.seed * 311}

# Running:

${each((n) => `ErrorTest#test_page_${n} = ${s()} s = ${isBad(n) ? "F" : "."}`)}

Finished in ${s()}s, 311.${run.seed} runs/s, 311.${run.seed} assertions/s.

${
      bad((n, at) =>
        `  ${at + 1}) Failure:
ErrorTest#test_page_${n} [test/rate_test.rb:${line(n)}]:
Expected: 3
  Actual: 4
`
      )
    }
60 runs, 60 assertions, ${fails} failures, 0 errors, 0 skips`,
  "rspec": ({ each, bad, isBad, failing, fails, s, line }) => `
Vat
${each((n) => `  zone ${n} shows an error page${isBad(n) ? ` (FAILED - ${failing.indexOf(n) + 1})` : ""}`)}
${fails > 0 ? "\nFailures:\n" : ""}
${
    bad((n, at) =>
      `  ${at + 1}) Vat zone ${n} shows an error page
     Failure/Error: expect(3).to eq(4)

       expected: 4
            got: 3
     # ./spec/rate_spec.rb:${line(n)}:in \`block (3 levels) in <top (required)>'
`
    )
  }
Finished in ${s()} seconds (files took ${s()} seconds to load)
60 examples, ${fails} failure${plural(fails)}
${
    fails > 0
      ? `\nFailed examples:\n\n${
        bad((n) => `rspec ./spec/rate_spec.rb:${line(n)} # Vat zone ${n} shows an error page`)
      }`
      : ""
  }`,
  "phpunit": ({ bad, fails, line, clock }) =>
    `PHPUnit 10.5.1 by Sebastian Bergmann and contributors.

............................................................      60 / 60 (100%)

Time: ${clock().slice(3)}, Memory: ${line(1)}.00 MB

${
      fails === 0
        ? "OK (60 tests, 60 assertions)"
        : `There ${fails === 1 ? "was 1 failure" : `were ${fails} failures`}:

${
          bad((n, at) =>
            `${at + 1}) RateTest::testError with data set #${n} (${n})
Failed asserting that 4 matches expected 3.

/src/tests/RateTest.php:${line(n)}
`
          )
        }
FAILURES!
Tests: 60, Assertions: 60, Failures: ${fails}.`
    }`,
  "exunit": ({ bad, fails, s, line, run }) =>
    `Running ExUnit with seed: ${run.seed * 977}, max_cases: 8

${
      bad((n, at) => `
  ${at + 1}) test error page of zone ${n} (VatTest)
     test/vat_test.exs:${line(n)}
     Assertion with == failed
     code:  assert 3 == 4
     left:  3
     right: 4
`)
    }
Finished in ${s()} seconds (${s()}s async, 0.00s sync)
60 tests, ${fails} failure${plural(fails)}`,
  "maven surefire": ({ bad, fails, s, line, clock }) =>
    `[INFO] Running shop.RateTest
${
      fails > 0
        ? `[ERROR] Tests run: 60, Failures: ${fails}, Errors: 0, Skipped: 0, Time elapsed: ${s()} s <<< FAILURE! -- in shop.RateTest`
        : `[INFO] Tests run: 60, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: ${s()} s -- in shop.RateTest`
    }
${
      bad((n) =>
        `[ERROR] shop.RateTest.zone${n}Pays -- Time elapsed: ${s()} s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n\tat shop.RateTest.zone${n}Pays(RateTest.java:${
          line(n)
        })`
      )
    }
[INFO] Results:
${
      fails > 0
        ? `[ERROR] Failures:\n${
          bad((n) => `[ERROR]   RateTest.zone${n}Pays:${line(n)} expected: <3> but was: <4>`)
        }\n[ERROR] Tests run: 60, Failures: ${fails}, Errors: 0, Skipped: 0`
        : "[INFO] Tests run: 60, Failures: 0, Errors: 0, Skipped: 0"
    }
[INFO] BUILD ${fails > 0 ? "FAILURE" : "SUCCESS"}
[INFO] Total time:  ${s()} s
[INFO] Finished at: 2026-09-14T${clock().slice(0, 8)}Z`,
  "gradle": ({ each, isBad, fails, line, s }) =>
    `> Task :test${fails > 0 ? " FAILED" : ""}
${
      each((n) =>
        `ErrorTest > zone ${n} pays ${
          isBad(n) ? `FAILED\n    org.opentest4j.AssertionFailedError at RateTest.kt:${line(n)}` : "PASSED"
        }`
      )
    }
${
      fails > 0
        ? `\n60 tests completed, ${fails} failed\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in ${s()}s`
        : `\nBUILD SUCCESSFUL in ${s()}s`
    }`,
  "dotnet test": ({ bad, fails, passes, ms, line }) =>
    `${
      bad((n) =>
        `  Failed Vat.ErrorTests.Rate(zone: ${n}) [${n % 9} ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 3
Actual:   4
  Stack Trace:
     at Vat.ErrorTests.Rate(Int32 zone) in /src/RateTests.cs:line ${line(1)}`
      )
    }
${
      fails > 0
        ? "Failed! "
        : "Passed! "
    } - Failed:     ${fails}, Passed:    ${passes}, Skipped:     0, Total:    60, Duration: ${
      Math.round(Number(ms()))
    } ms - Vat.dll (net8.0)`,
  "swift test": ({ each, isBad, fails, s, line, clock }) =>
    `${
      each((n) =>
        `Test Case '-[VatTests.ErrorTests testZone${n}]' started.\n${
          isBad(n)
            ? `/src/Tests/ErrorTests.swift:${
              line(n)
            }: error: -[VatTests.ErrorTests testZone${n}] : XCTAssertEqual failed: ("3") is not equal to ("4")\nTest Case '-[VatTests.ErrorTests testZone${n}]' failed`
            : `Test Case '-[VatTests.ErrorTests testZone${n}]' passed`
        } (${s()} seconds).`
      )
    }
Test Suite 'ErrorTests' ${fails > 0 ? "failed" : "passed"} at 2026-09-14 ${clock()}.
	 Executed 60 tests, with ${fails} failure${plural(fails)} (0 unexpected) in ${s()} (${s()}) seconds`,
  "cucumber": ({ bad, fails, passes, line, s }) =>
    `${
      bad((n, at) =>
        `${at + 1}) Scenario: error page of zone ${n} # features/rate.feature:${line(n)}
   ✔ Given a zone # steps.js:3
   ✖ Then it pays # steps.js:5
       AssertionError: expected 3 to equal 4
`
      )
    }
60 scenarios (${fails > 0 ? `${fails} failed, ` : ""}${passes} passed)
0m0${s()}s (executing steps: 0m0${s()}s)`,
  "javac": ({ bad, fails, line }) =>
    `${
      bad((n) =>
        `Vat.java:${line(n)}: error: cannot find symbol
  int rate${n}() { return basse${n}; }
                        ^
  symbol:   variable basse${n}
  location: class Vat`
      )
    }
${fails > 0 ? `${fails} error${plural(fails)}` : ""}`,
  "msbuild": ({ bad, fails, clock }) =>
    `${
      bad((n) =>
        `/src/Zone${n}.cs(12,9): error CS0103: The name 'basse' does not exist in the current context [/src/Vat.csproj]`
      )
    }
    0 Warning(s)
    ${fails} Error(s)

Time Elapsed 00:${clock().slice(3, 8)}.13`,
  "ghc": ({ each, isBad, line }) =>
    each((n, at) =>
      `[${at + 1} of 60] Compiling Zone${n}            ( src/Zone${n}.hs, dist/Zone${n}.o )${
        isBad(n)
          ? `\n\nsrc/Zone${n}.hs:${
            line(1)
          }:10: error: [GHC-83865]\n    • Couldn't match expected type ‘Int’ with actual type ‘[Char]’\n`
          : ""
      }`
    ),
  "terraform validate": ({ bad, fails, line }) =>
    `${
      bad((n) =>
        `│ Error: Missing required argument
│ 
│   on zone${n}.tf line ${line(1)}, in resource "vat_zone" "zone_${n}":
│   ${line(1)}: resource "vat_zone" "zone_${n}" {
`
      )
    }${fails > 0 ? "" : "Success! The configuration is valid."}`,
  "catch2": ({ bad, fails, passes, line }) =>
    `${
      bad((n) =>
        `-------------------------------------------------------------------------------
error page of zone ${n}
-------------------------------------------------------------------------------
/src/t.cpp:${line(n)}
...............................................................................

/src/t.cpp:${line(n) + 1}: FAILED:
  CHECK( rate(${n}) == 3 )
with expansion:
  4 == 3
`
      )
    }
===============================================================================
${
      fails > 0
        ? `test cases: 60 | ${passes} passed | ${fails} failed\nassertions: 60 | ${passes} passed | ${fails} failed`
        : "All tests passed (60 assertions in 60 test cases)"
    }`,
  "doctest": ({ bad, fails, passes, line }) =>
    `[doctest] doctest version is "2.4.11"
${
      bad((n) =>
        `===============================================================================
/src/t.cpp:${line(n)}:
TEST CASE:  error page of zone ${n}

/src/t.cpp:${line(n) + 1}: ERROR: CHECK( rate(z) == 3 ) is NOT correct!
  values: CHECK( 4 == 3 )
`
      )
    }
===============================================================================
[doctest] test cases: 60 | ${passes} passed | ${fails} failed | 0 skipped
[doctest] assertions: 60 | ${passes} passed | ${fails} failed |
[doctest] Status: ${fails > 0 ? "FAILURE" : "SUCCESS"}!`,
  "boost test": ({ bad, fails, line }) =>
    `Running 60 test cases...
${bad((n) => `t.cpp(${line(n)}): error: in "vat/zone_${n}": check rate == 3 has failed [4 != 3]`)}

${
      fails > 0
        ? `*** ${fails} failure${plural(fails)} ${
          fails === 1 ? "is" : "are"
        } detected in the test module "vat"`
        : "*** No errors detected"
    }`,
  "meson test": ({ each, bad, isBad, fails, passes, s }) =>
    `${
      each((n) =>
        `${n}/60 vat:error_zone_${n}        ${isBad(n) ? "FAIL           " : "OK             "} ${s()}s${
          isBad(n) ? "   exit status 1" : ""
        }`
      )
    }

${fails > 0 ? "Summary of Failures:\n" : ""}
${bad((n) => `${n}/60 vat:error_zone_${n}        FAIL            ${s()}s   exit status 1`)}

Ok:                 ${passes}
Expected Fail:      0
Fail:               ${fails}
Unexpected Pass:    0
Skipped:            0
Timeout:            0`,
  "bazel test": ({ each, isBad, fails, passes, s }) =>
    `INFO: Elapsed time: ${s()}s, Critical Path: ${s()}s
${
      each((n) =>
        `//vat:error_zone_${n}_test                              ${
          isBad(n)
            ? `FAILED in ${s()}s\n  /root/.cache/bazel/testlogs/vat/error_zone_${n}_test/test.log`
            : `PASSED in ${s()}s`
        }`
      )
    }

Executed 60 out of 60 tests: ${passes} tests pass${
      fails > 0 ? ` and ${fails} fail${fails === 1 ? "s" : ""} locally` : ""
    }.`,
  "zig test": ({ each, isBad, fails, passes, line }) =>
    `${
      each((n, at) =>
        isBad(n)
          ? `${
            at + 1
          }/60 t.test.error page of zone ${n}...expected 3, found 4\nFAIL (TestExpectedEqual)\n/src/t.zig:${
            line(n)
          }:5: 0x10${n}c3a1 in test.error page of zone ${n} (test)`
          : `${at + 1}/60 t.test.error page of zone ${n}...OK`
      )
    }
${
      fails > 0
        ? `${passes} passed; 0 skipped; ${fails} failed.\nerror: the following test command failed with exit code 1:`
        : "All 60 tests passed."
    }`,
  "testthat": ({ bad, fails, passes, line }) =>
    `${fails > 0 ? "✖" : "✔"} | F W  S  OK | Context
${fails > 0 ? "✖" : "✔"} | ${fails}       ${passes} | rate
${
      bad((n) =>
        `────────────────────────────────────────────────────────────────
Failure (test-rate.R:${line(n)}:3): error page of zone ${n}
rate(z) not equal to 3.
1/1 mismatches
[1] 4 - 3 == 1`
      )
    }
══ Results ═════════════════════════════════════════════════════
[ FAIL ${fails} | WARN 0 | SKIP 0 | PASS ${passes} ]`,
  "julia test": ({ bad, fails, passes, line, s }) =>
    `${
      bad((n) =>
        `zone ${n}: Test Failed at /src/runtests.jl:${
          line(n)
        }\n  Expression: rate(z) == 3\n   Evaluated: 4 == 3\n`
      )
    }
Test Summary: | Pass  Fail  Total  Time
vat           |   ${passes}     ${fails}     60  ${s()}s
${
      fails > 0
        ? `ERROR: Some tests did not pass: ${passes} passed, ${fails} failed, 0 errored, 0 broken.`
        : ""
    }`,
  "alcotest": ({ each, bad, isBad, fails, s }) =>
    `Testing \`vat'.
This run has ID \`RUN${fails}QK2X'.

${each((n) => `  ${isBad(n) ? "[FAIL]" : "[OK]"}        rate          ${n}   error page of zone ${n}.`)}

${
      bad((n) =>
        `┌──────────────────────────────────────────────────────────────────────────────┐
│ [FAIL]        rate          ${n}   error page of zone ${n}.                    │
└──────────────────────────────────────────────────────────────────────────────┘
ASSERT rate
FAIL rate

   Expected: \`3'
   Received: \`4'
`
      )
    }
${
      fails > 0
        ? `${fails} failure${plural(fails)}! in ${s()}s. 60 tests run.`
        : `Test Successful in ${s()}s. 60 tests run.`
    }`,
  "hspec": ({ each, bad, isBad, failing, fails, line, s }) => `
Vat
${
    each((n) =>
      `  zone ${n} shows an error page ${isBad(n) ? `[✘] FAILED [${failing.indexOf(n) + 1}]` : "[✔]"}`
    )
  }
${fails > 0 ? "\nFailures:\n" : ""}
${
    bad((n, at) =>
      `  test/RateSpec.hs:${line(n)}:9: \n  ${
        at + 1
      }) Vat zone ${n} shows an error page\n       expected: 3\n        but got: 4\n`
    )
  }
Finished in ${s()} seconds
60 examples, ${fails} failure${plural(fails)}`,
  "tasty": ({ each, isBad, fails, s, line }) =>
    `Vat
${
      each((n) =>
        `  error page of zone ${n}: ${
          isBad(n) ? `FAIL (${s()}s)\n    test/T.hs:${line(n)}:\n    expected: 3\n     but got: 4` : "OK"
        }`
      )
    }

${fails > 0 ? `${fails} out of 60 tests failed (${s()}s)` : `All 60 tests passed (${s()}s)`}`,
  "clojure.test": ({ bad, fails, line }) =>
    `lein test vat.rate-test
${
      bad((n) => `
FAIL in (error-zone-${n}) (rate_test.clj:${line(n)})
expected: (= 3 (rate z))
  actual: (not (= 3 4))`)
    }

Ran 60 tests containing 60 assertions.
${fails} failures, 0 errors.
${fails > 0 ? "Tests failed." : ""}`,
  "scalatest": ({ each, isBad, fails, passes, line, s }) =>
    `[info] RateSpec:
[info] Vat
${
      each((n) =>
        `[info] - should show error page ${n}${
          isBad(n) ? ` *** FAILED ***\n[info]   4 did not equal 3 (RateSpec.scala:${line(n)})` : ""
        }`
      )
    }
[info] Run completed in ${s()} seconds.
[info] Total number of tests run: 60
[info] Suites: completed 1, aborted 0
[info] Tests: succeeded ${passes}, failed ${fails}, canceled 0, ignored 0, pending 0
[info] ${fails > 0 ? `*** ${fails} TEST${fails === 1 ? "" : "S"} FAILED ***` : "All tests passed."}`,
  "playwright": ({ each, bad, isBad, fails, passes, s, line }) => `
Running 60 tests using 4 workers

${
    each((n, at) =>
      `  ${isBad(n) ? "✘" : "✓"}  ${at + 1} [chromium] › pay.spec.ts:${
        line(n)
      }:1 › error page of zone ${n} (${s()}s)`
    )
  }

${
    bad((n, at) => `
  ${at + 1}) [chromium] › pay.spec.ts:${line(n)}:1 › error page of zone ${n} ────────────────────

    Error: expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

    > ${line(n)} | test("error page of zone ${n}", () => expect(3).toBe(4));
         |                                             ^
`)
  }
${
    fails > 0
      ? `  ${fails} failed\n${
        bad((n) => `    [chromium] › pay.spec.ts:${line(n)}:1 › error page of zone ${n} ────────`)
      }\n`
      : ""
  }  ${passes} passed (${s()}s)`,
  "robot": ({ each, isBad, fails, passes }) =>
    `==============================================================================
Vat
==============================================================================
${
      each((n) =>
        `Error Page Of Zone ${n}                                               | ${
          isBad(n) ? "FAIL |\n4 != 3" : "PASS |"
        }\n------------------------------------------------------------------------------`
      )
    }
Vat                                                                   | ${fails > 0 ? "FAIL" : "PASS"} |
60 tests, ${passes} passed, ${fails} failed
==============================================================================`,
  "behave": ({ bad, fails, passes, line, s }) =>
    `${
      bad((n) => `
  Scenario: error page of zone ${n}  # features/rate.feature:${line(n)}
    Then it pays                # features/steps/rate.py:3 ${s()}s
      ASSERT FAILED: 4 != 3
`)
    }
${
      fails > 0
        ? `Failing scenarios:\n${bad((n) => `  features/rate.feature:${line(n)}  error page of zone ${n}`)}\n`
        : ""
    }
${fails > 0 ? 0 : 1} feature passed, ${fails > 0 ? 1 : 0} failed, 0 skipped
${passes} scenarios passed, ${fails} failed, 0 skipped
Took 0m${s()}s`,
  "rubocop": ({ bad, fails, line }) =>
    `Inspecting 60 files

Offenses:

${
      bad((n) =>
        `lib/zone${n}.rb:${line(1)}:3: E: Lint/Syntax: unexpected token kEND
end
^^^`
      )
    }

60 files inspected, ${fails === 0 ? "no offenses detected" : `${fails} offense${plural(fails)} detected`}`,
  "golangci-lint": ({ bad, fails, line }) =>
    `${bad((n) => `zone${n}/rate.go:${line(1)}:2: undefined: basse (typecheck)\n\tbasse()\n\t^`)}
${fails > 0 ? `${fails} issues:\n* typecheck: ${fails}` : "0 issues."}`,
  "clang-tidy": ({ each, isBad, line }) =>
    `${
      each((n) =>
        `[${n}/60] Processing file /src/zone${n}.c.${
          isBad(n)
            ? `\n/src/zone${n}.c:${
              line(1)
            }:5: error: use of undeclared identifier 'basse' [clang-diagnostic-error]\n    ${
              line(1)
            } |     return basse;\n       |            ^`
            : ""
        }`
      )
    }`,
  "cppcheck": ({ each, isBad, line }) =>
    each((n) =>
      `Checking src/zone${n}.c ...${
        isBad(n)
          ? `\nsrc/zone${n}.c:${line(1)}:7: error: Null pointer dereference: p [nullPointer]\n  *p = 1;\n   ^`
          : ""
      }\n${n}/60 files checked ${n}% done`
    ),
  "pyright": ({ bad, fails, line }) =>
    `${
      bad((n) =>
        `/src/shop/z${n}.py\n  /src/shop/z${n}.py:${
          line(1)
        }:7 - error: Type "str" is not assignable to declared type "int"\n    "str" is not assignable to "int" (reportAssignmentType)`
      )
    }
${fails} error${plural(fails)}, 0 warnings, 0 informations`,
  "biome": ({ bad, fails, line, ms }) =>
    `${
      bad((n) =>
        `src/z${n}.ts:${line(1)}:7 lint/suspicious/noDoubleEquals  FIXABLE  ━━━━━━━━━━━━━━━━━━━━

  × Use === instead of ==.

    ${line(1)} │ if (a == b) {}
      │       ^^
`
      )
    }
Checked 60 files in ${ms()}ms. No fixes applied.
${fails > 0 ? `Found ${fails} error${plural(fails)}.` : ""}`,
  "phpstan": ({ bad, fails, line }) =>
    `${
      bad((n) =>
        ` ------ --------------------------------
  Line   src/Zone${n}.php
 ------ --------------------------------
  ${line(1)}     Undefined variable: $basse
 ------ --------------------------------
`
      )
    }
${fails > 0 ? ` [ERROR] Found ${fails} error${plural(fails)}` : " [OK] No errors"}`,
  "ansible": ({ each, isBad, fails }) =>
    `TASK [copy config] *************************************************************
${
      each((n) =>
        isBad(n) ? `fatal: [web-${n}]: FAILED! => {"changed": false, "msg": "disk full"}` : `ok: [web-${n}]`
      )
    }

PLAY RECAP *********************************************************************
${
      each((n) =>
        `web-${n}                      : ok=${isBad(n) ? 1 : 2}    changed=0    unreachable=0    failed=${
          isBad(n) ? 1 : 0
        }    skipped=0    rescued=0    ignored=0`
      )
    }
${fails > 0 ? "" : ""}`,
  "kubectl get": ({ each, isBad, s }) =>
    `NAME        READY   STATUS    RESTARTS   AGE
${
      each((n) =>
        `web-${n}   ${isBad(n) ? "0/1     CrashLoopBackOff   " : "1/1     Running   "}0          ${
          s().slice(0, 1)
        }d3h`
      )
    }`,
  "sqlite script": ({ bad, line }) => bad((n) => `Parse error near line ${line(n)}: no such table: zone${n}`),
  "eunit": ({ each, isBad, fails, passes, line }) =>
    `======================== EUnit ========================
${
      each((n) =>
        `vat_tests:${line(n)}: error_zone_${n}_test...${
          isBad(n)
            ? `*failed*\nin function vat_tests:error_zone_${n}_test/0 (test/vat_tests.erl, line ${
              line(n)
            })\n**error:{assertEqual,[{module,vat_tests},{line,${line(n)}}]}\n`
            : "ok"
        }`
      )
    }
=======================================================
${fails > 0 ? `  Failed: ${fails}.  Skipped: 0.  Passed: ${passes}.` : "  All 60 tests passed."}`,
  "lit": ({ each, bad, isBad, fails, passes, s }) =>
    `${each((n, at) => `${isBad(n) ? "FAIL" : "PASS"}: vat :: error/zone${n}.ll (${at + 1} of 60)`)}
${
      fails > 0
        ? `********************\nFailed Tests (${fails}):\n${bad((n) => `  vat :: error/zone${n}.ll`)}\n`
        : ""
    }
Testing Time: ${s()}s

Total Discovered Tests: 60
  Passed: ${passes} (${(passes / 0.6).toFixed(2)}%)
${fails > 0 ? `  Failed:  ${fails} (${(fails / 0.6).toFixed(2)}%)` : ""}`,
  "own script": ({ each, isBad, fails, passes, clock }) =>
    `${each((n) => `[${clock().slice(0, 8)}] check zone ${n}: ${isBad(n) ? "FAILED (exit 1)" : "ok"}`)}
done: ${passes} ok, ${fails} failed`,
  "junit xml": ({ each, isBad, fails, s }) =>
    `<testsuite name="vat" tests="60" failures="${fails}" time="${s()}">
${
      each((n) =>
        `<testcase classname="vat" name="test_error[zone${n}]" time="${s()}">${
          isBad(n) ? `<failure message="assert 3 == 4">zone${n} failed</failure>` : ""
        }</testcase>`
      )
    }
</testsuite>`,
  "json lines": ({ each, isBad, clock }) =>
    each((n) =>
      `{"ts":"2026-09-14T${clock()}Z","level":"${isBad(n) ? "error" : "info"}","zone":"zone${n}","msg":"${
        isBad(n) ? "write failed" : "written"
      }"}`
    ),
  "jasmine": ({ bad, fails, s, line, run }) =>
    `Randomized with seed ${10000 + run.seed * 7}
Started
${fails > 0 ? "\nFailures:" : ""}
${
      bad((n, at) =>
        `${at + 1}) vat error page of zone ${n}
  Message:
    Expected 4 to be 3.
  Stack:
        at <Jasmine>
        at UserContext.<anonymous> (/src/rate.spec.js:${line(n)}:20)
`
      )
    }
60 specs, ${fails} failure${plural(fails)}
Finished in ${s()} seconds`,
  "dart test": ({ each, isBad, fails, passes, line }) =>
    `${
      each((n, at) =>
        `00:0${at % 7} +${at}: error page of zone ${n}${
          isBad(n)
            ? ` [E]\n  Expected: <3>\n    Actual: <4>\n  test/rate_test.dart ${line(n)}:5  main.<fn>`
            : ""
        }`
      )
    }
00:0${passes % 5} +${passes}${fails > 0 ? ` -${fails}: Some tests failed.` : ": All tests passed!"}`,
  "pester": ({ each, isBad, fails, passes, ms, line }) =>
    `Describing Vat
${
      each((n) =>
        `  [${isBad(n) ? "-" : "+"}] error page of zone ${n} ${ms().replace(/\..*/, "")}ms (${n % 5}ms|${
          n % 3
        }ms)${
          isBad(n) ? `\n   Expected 3, but got 4.\n   at 3 | Should -Be 4, /src/Vat.Tests.ps1:${line(n)}` : ""
        }`
      )
    }
Tests completed in ${ms()}ms
Tests Passed: ${passes}, Failed: ${fails}, Skipped: 0, Inconclusive: 0, NotRun: 0`,
  "phpunit testdox": ({ each, isBad, fails }) =>
    `Rate
${
      each((n) =>
        ` ${isBad(n) ? "✘" : "✔"} Error page with data set #${n}${
          isBad(n) ? "\n   │\n   │ Failed asserting that 4 matches expected 3.\n   │" : ""
        }`
      )
    }

${fails > 0 ? `FAILURES!\nTests: 60, Assertions: 60, Failures: ${fails}.` : "OK (60 tests, 60 assertions)"}`,
  "nunit": ({ bad, fails, passes, s, line }) =>
    `Errors, Failures and Warnings

${
      bad((n, at) =>
        `${at + 1}) Failed : Vat.ErrorTests.Rate(${n})
  Expected: 3
  But was:  4
   at Vat.ErrorTests.Rate(Int32 zone) in /src/RateTests.cs:line ${line(1)}
`
      )
    }
Test Run Summary
  Overall result: ${fails > 0 ? "Failed" : "Passed"}
  Test Count: 60, Passed: ${passes}, Failed: ${fails}, Warnings: 0, Inconclusive: 0, Skipped: 0
    Failed Tests - Failures: ${fails}, Errors: 0, Invalid: 0
  Duration: ${s()} seconds`,
  "elm-test": ({ bad, fails, passes, ms }) =>
    `elm-test 0.19.1
${
      bad((n) =>
        `↓ Vat
✗ error page of zone ${n}

    4
    ╷
    │ Expect.equal
    ╵
    3
`
      )
    }
TEST RUN ${fails > 0 ? "FAILED" : "PASSED"}

Duration: ${ms().replace(/\..*/, "")} ms
Passed:   ${passes}
Failed:   ${fails}`,
  "markdownlint": ({ bad, line }) =>
    bad((n) =>
      `docs/zone${n}.md:${
        line(1)
      }:3 error MD051/link-fragments Link fragments should be valid [Context: "[x](#y)"]`
    ),
  "stylelint": ({ bad, fails, line }) =>
    `${
      bad((n) => `
css/zone${n}.css
  ${line(1)}:3  ✖  Unknown property "colr"  property-no-unknown
`)
    }
${fails > 0 ? `✖ ${fails} problem${plural(fails)} (${fails} error${plural(fails)}, 0 warnings)` : ""}`,
  "actionlint": ({ bad, line }) =>
    bad((n) =>
      `.github/workflows/zone${n}.yml:${line(1)}:9: unexpected key "step" for "job" section [syntax-check]
  |
${line(1)} |         step:
  |         ^~~~~`
    ),
  "helm lint": ({ each, isBad, fails, line }) =>
    `${
      each((n) =>
        `==> Linting charts/zone${n}\n${
          isBad(n)
            ? `[ERROR] templates/: parse error at (zone${n}/templates/web.yaml:${line(1)}): unclosed action\n`
            : "[INFO] Chart.yaml: icon is recommended\n"
        }`
      )
    }
${fails > 0 ? "Error: " : ""}60 chart(s) linted, ${fails} chart(s) failed`,
  "trivy": ({ bad, fails }) =>
    `pkg (npm)
=========
Total: ${fails} (HIGH: ${fails}, CRITICAL: 0)

${
      bad((n) =>
        `│ lib${n} │ CVE-2026-10${n} │ HIGH     │ fixed  │ 1.0.${n}            │ 1.1.0         │ lib${n}: denial of service │`
      )
    }`,
  "postgres log": ({ each, isBad, clock, pid }) =>
    each((n) =>
      `2026-09-14 ${clock()} UTC [${pid + n % 3}] ${
        isBad(n)
          ? `ERROR:  relation "zone${n}" does not exist at character 15`
          : `LOG:  statement: select * from zone${n}`
      }`
    ),
  "nginx error log": ({ bad, clock, pid, line }) =>
    bad((n) =>
      `2026/09/14 ${clock().slice(0, 8)} [error] ${pid}#${pid}: *${
        line(n)
      } open() "/srv/zone${n}/index.html" failed (2: No such file or directory), client: 10.0.0.7, server: shop, request: "GET /zone${n} HTTP/1.1"`
    ),
  "flyway": ({ each, isBad }) =>
    each((n) =>
      isBad(n)
        ? `ERROR: Migration V${n}__zone${n}.sql failed\n----------------\nSQL State  : 42P01\nError Code : 0\nMessage    : ERROR: relation "rates" does not exist\nLocation   : db/V${n}__zone${n}.sql`
        : `Migrating schema "public" to version "${n} - zone${n}"`
    ),
  "dmesg": ({ bad, line }) =>
    bad((n) => `[   ${line(n)}.123456] nvme${n}n1: I/O error, dev nvme${n}n1, sector ${n}2048 op 0x0:(READ)`),
  "systemd list": ({ each, isBad }) =>
    `  UNIT              LOAD   ACTIVE SUB    DESCRIPTION
${
      each((n) =>
        isBad(n)
          ? `● web-${n}.service    loaded failed failed Shop ${n}`
          : `  web-${n}.service    loaded active running Shop ${n}`
      )
    }`,
  "pg_regress": ({ each, isBad, fails, ms }) =>
    `# using postmaster on localhost, port ${55432 + fails}
${
      each((n) =>
        `${isBad(n) ? "not ok" : "ok"} ${n}     - error_zone${n}                    ${
          ms().replace(/\..*/, "")
        } ms`
      )
    }
1..60
${fails > 0 ? `# ${fails} of 60 tests failed.` : "# All 60 tests passed."}`,
  "make recursive": ({ each, isBad, fails }) =>
    `${
      each((n) =>
        `make[1]: Entering directory '/src/zone${n}'\n${
          isBad(n) ? `cc: fatal error: no input files\nmake[1]: *** [Makefile:3: all] Error 1\n` : ""
        }make[1]: Leaving directory '/src/zone${n}'${
          isBad(n) ? `\nmake: *** [Makefile:7: zone${n}] Error 2` : ""
        }`
      )
    }
${fails > 0 ? "make: Target 'all' not remade because of errors." : ""}`,
  "linker": ({ bad, fails }) =>
    `${
      bad((n) =>
        `/usr/bin/ld: mod${n}.o: in function \`main':\nmod${n}.c:(.text+0x${
          (n * 16).toString(16)
        }): undefined reference to \`rate'`
      )
    }
${fails > 0 ? "collect2: error: ld returned 1 exit status" : ""}`,
  "kotlinc": ({ bad, line }) =>
    bad((n) => `e: file:///src/Zone${n}.kt:${line(1)}:9 Unresolved reference 'basse'.`),
  "valgrind": ({ bad, fails, pid }) =>
    `==${pid}== Memcheck, a memory error detector
${
      bad((n) =>
        `==${pid}== Invalid read of size 4
==${pid}==    at 0x${(pid * 16 + n).toString(16)}: rate${n} (mod${n}.c:12)
==${pid}== `
      )
    }
==${pid}== ERROR SUMMARY: ${fails} error${plural(fails)} from ${fails} contexts (suppressed: 0 from 0)`,
  "server log": ({ each, isBad, clock, pid }) =>
    each((n) =>
      `2026-09-14T${clock()}Z [${pid}] ${
        isBad(n) ? `ERROR shard-${n}: write failed: disk full` : `INFO shard-${n}: wrote ${n * 7} rows`
      }`
    ),
  "klog": ({ each, isBad, clock, pid, line }) =>
    each((n) =>
      `${isBad(n) ? "E" : "I"}0914 ${clock()}000   ${pid} pods.go:${line(1)}] ${
        isBad(n) ? `Failed to start pod web-${n}: image not found` : `Started pod web-${n}`
      }`
    ),
  "syslog": ({ each, isBad, clock, pid }) =>
    each((n) =>
      `Sep 14 ${clock().slice(0, 8)} web1 backup[${pid}]: ${
        isBad(n) ? `error: volume vol${n} is missing` : `volume vol${n} saved`
      }`
    ),
};

/** Changes of the failing numbers from one run to the next. */
const SCENARIOS: Record<string, readonly [before: readonly number[], after: readonly number[]]> = {
  "another fails": [[17], [40]],
  "one of three is fixed": [[7, 17, 40], [7, 40]],
  "one more fails": [[17], [17, 7]],
  "all are fixed": [[17, 40], []],
  "the first fails": [[], [17]],
  "only times and lines move": [[17, 40], [17, 40]],
  "all moves, in another order": [[7, 17, 40], [7, 17, 40]],
  "one is fixed, in another order": [[7, 17, 40], [7, 40]],
};

/** Two runs of a tool, and what changed. */
export interface NumberedPair {
  name: string;
  before: string;
  after: string;
  gone: number[];
  fresh: number[];
  left: number[];
}

export const NUMBERED_PAIRS: readonly NumberedPair[] = Object.entries(FORMATS).flatMap(([tool, format]) =>
  Object.entries(SCENARIOS).map(([what, [then, now]], at) => ({
    name: `${tool}: ${what}`,
    before: format(partsOf({ failing: then, seed: 1 + at, shift: 0, isShuffled: false })) + "\n",
    after: format(partsOf({ failing: now, seed: 2 + at, shift: 4, isShuffled: what.endsWith("order") })) +
      "\n",
    gone: then.filter((number) => !now.includes(number)),
    fresh: now.filter((number) => !then.includes(number)),
    left: now.filter((number) => then.includes(number)),
  }))
);
