/** Faults among things that look like faults: passing tests that log errors, handled exceptions, names that hold "error". */

import { LINK_TOOLS, makefileOfC, manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

const title = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

export const NOISY_CASES: readonly WrittenCase[] = [
  {
    name: "jest-console-errors-of-passing-tests",
    facts: [
      "● meter › bills the last day of February",
      "Expected: 29",
      "Received: 28",
      "tests/meter.test.js:6:85",
    ],
    files: () => ({
      "package.json": `{ "name": "shop" }\n`,
      ...manyFiles(
        60,
        "tests/*.test.js",
        (called) =>
          `const call = (name) => { try { throw new Error(name + ": connection refused"); } catch (thrown) { console.error("request failed", thrown); return null; } };\n` +
          `describe("${called}", () => {\n` +
          repeat(
            3,
            (part) => `  it("survives a refused ${part}", () => expect(call("${part}")).toBe(null));`,
          ) +
          (called === "meter"
            ? `\n  it("bills the last day of February", () => expect(new Date(2026, 2, 0).getDate()).toBe(29));`
            : "") +
          `\n});\n`,
      ),
    }),
    command: `${LINK_TOOLS} FORCE_COLOR=1 jest --no-cache -w 2`,
  },
  {
    name: "pytest-live-log-errors-of-passing-tests",
    facts: ["E       AssertionError: assert 'EUR' == 'CHF'", "tests/test_fee.py:39: AssertionError"],
    files: () => ({
      "pytest.ini": `[pytest]\nlog_cli = true\nlog_cli_level = INFO\n`,
      ...manyFiles(
        40,
        "tests/test_*.py",
        (called) =>
          `import logging\n\nimport pytest\n\nlog = logging.getLogger("shop.${called}")\n\n\ndef load(name):\n    log.error("cannot load %s: timeout after 30 s", name)\n    log.warning("using the cached %s", name)\n    return "EUR"\n\n\n` +
          repeat(6, (part) => `def test_${part}_falls_back():\n    assert load("${part}") == "EUR"\n\n`) +
          (called === "fee" ? `\ndef test_swiss_fee():\n    assert load("fee") == "CHF"\n` : ""),
      ),
    }),
    command: "python -m pytest -p no:cacheprovider --color=yes",
  },
  {
    name: "go-test-logs-errors-and-passes-but-one",
    facts: ["--- FAIL: TestQuota", "got 11 parcels, want 12"],
    files: () => ({
      "go.mod": "module example.com/shop\n\ngo 1.21\n",
      ...manyFiles(30, "*/*_test.go", (name) =>
        `package ${name}\n\nimport (\n\t"log"\n\t"testing"\n)\n\n` +
        repeat(
          12,
          (part, at) =>
            `func Test${
              title(part)
            }Refused(t *testing.T) {\n\tlog.Printf("error: dial tcp 10.0.0.${at}:443: connection refused")\n\tlog.Printf("error: giving up on ${part}: panic recovered")\n}\n`,
        ) +
        (name === "carrier"
          ? `func TestQuota(t *testing.T) {\n\tgot, want := 11, 12\n\tif got != want {\n\t\tt.Fatalf("got %d parcels, want %d", got, want)\n\t}\n}\n`
          : "")),
    }),
    command: "go test -v ./...",
  },
  {
    name: "cargo-test-names-hold-error-and-panic",
    facts: ["thread 'error_tests::panic_message_keeps_the_path'", 'right: "cannot open /srv/rates.csv"'],
    files: () => ({
      "Cargo.toml": `[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n`,
      "src/lib.rs": `#[cfg(test)]\nmod error_tests {\n` +
        repeat(
          500,
          (part) =>
            `    #[test]\n    fn fails_with_error_${part}_and_panics() {\n        assert!(std::panic::catch_unwind(|| ()).is_ok());\n    }`,
        ) +
        `\n    #[test]\n    fn panic_message_keeps_the_path() {\n        let shown = format!("cannot open {}", "rates.csv");\n        assert_eq!(shown, "cannot open /srv/rates.csv");\n    }\n}\n`,
    }),
    command: "cargo test --color always",
  },
  {
    name: "make-werror-flags-and-error-files",
    facts: ["src/error_limit.c:4:12: error: ‘max_errors’ undeclared"],
    files: () => ({
      ...manyFiles(
        110,
        "src/error_*.c",
        (name) => `int error_${name}(int failed)\n{\n    return failed;\n}\n`,
      ),
      "src/error_limit.c":
        `int error_limit(int failed)\n{\n    if (failed)\n    return max_errors;\n    return 0;\n}\n`,
      Makefile: makefileOfC(
        "gcc -Wall -Werror -Werror=return-type -fmax-errors=50 -fno-exceptions -DFATAL_ERRORS=1",
      ),
    }),
    command: "make -k",
  },
  {
    name: "maven-stack-traces-of-passing-tests",
    facts: ["expected: <2026-02-28> but was: <2026-03-01>", "DueTest.java:"],
    files: () => ({
      "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>shop</artifactId><version>1.0</version>
  <properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
  <dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version><scope>test</scope></dependency></dependencies>
  <build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build>
</project>
`,
      ...manyFiles(
        25,
        (name) => `src/test/java/shop/${title(name)}Test.java`,
        (name) =>
          `package shop;\n\nimport org.junit.jupiter.api.Test;\n\nclass ${title(name)}Test {\n` +
          repeat(
            3,
            (part) =>
              `    @Test void refuses${
                title(part)
              }() {\n        new IllegalStateException("${part} refused", new java.io.IOException("Connection reset")).printStackTrace();\n    }`,
          ) +
          `\n}\n`,
      ),
      "src/test/java/shop/DueTest.java":
        `package shop;\n\nimport static org.junit.jupiter.api.Assertions.*;\nimport java.time.LocalDate;\nimport org.junit.jupiter.api.Test;\n\nclass DueTest {\n    @Test void lastDayOfFebruary() {\n        assertEquals(LocalDate.parse("2026-02-28"), LocalDate.parse("2026-01-29").plusDays(31));\n    }\n}\n`,
    }),
    command: "mvn -B -Dsurefire.runOrder=alphabetical test",
  },
  {
    name: "prove-names-hold-dies-and-fails",
    facts: ["not ok 23 - dies with error of basket", "#   at t/dies_fee.t line 24."],
    files: () =>
      manyFiles(40, "t/dies_*.t", (name) =>
        `use Test::More;\n` +
        repeat(40, (part, at) =>
          `is(eval { die "error: ${part} failed\\n" } // $@, ${
            name === "fee" && at === 22 ? `"error: basket failed"` : `"error: ${part} failed\\n"`
          }, "dies with error of ${at === 22 ? "basket" : part}");`) +
        `\ndone_testing();\n`),
    command: "prove -v t 2>&1",
  },
  {
    name: "ls-one-setuid-file-among-error-files",
    facts: ["-rwsr-xr-x"],
    files: () => manyFiles(900, "errors/failed-*.log", () => "x\n"),
    command: "chmod 4755 errors/failed-fee_audit.log; ls -l --time-style=+%F errors",
  },
];
