/** gcc, g++, make, cmake, ninja, ctest, javac, Maven, go, cargo. */

import { pascal, pom } from "../cases/java_cases.ts";
import { word } from "../corpus_case.ts";
import { counts, NONE_LEFT, NOTHING_ELSE, numbered, numberedFiles, type RunCase } from "./run_case.ts";

function untidyC(number: number, count: number): string {
  const each = (at: number) =>
    `int ${word(number)}_${word(at)}(int first, unsigned second, int spare)\n{\n    int left;\n` +
    `    if (first < second) return 1;\n    return 0;\n}\n`;
  return numbered(count, each);
}

function makefile(flags: string): string {
  return "SRC=$(sort $(wildcard src/*.c))\nall: $(SRC:.c=.o)\n%.o: %.c shop.h\n" +
    `\tgcc ${flags} -include shop.h -c -o $@ $<\n`;
}

/** Files of warnings, and for each of `names` one that uses what nothing declares. */
function undeclared(names: readonly string[], tidy: number, flags = "-Wall -Wextra"): Record<string, string> {
  return {
    ...numberedFiles(tidy, (number) => [`src/${word(number)}.c`, untidyC(number, 4)]),
    ...Object.fromEntries(
      names.map((
        name,
      ) => [`src/${name}.c`, `int sum_${name}(int a)\n{\n    return a + missing_${name};\n}\n`]),
    ),
    "shop.h": "struct item { int price; int weight; };\n",
    Makefile: makefile(flags),
  };
}

function cargoWorkspace(sources: Record<string, string>): Record<string, string> {
  const files: Record<string, string> = {
    "Cargo.toml": `[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n`,
  };
  for (const [name, source] of Object.entries(sources)) {
    files[`crates/${name}/src/lib.rs`] = source;
    files[`crates/${name}/Cargo.toml`] = `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n`;
  }
  return files;
}

function untidyRust(number: number): string {
  const each = (at: number) =>
    `fn helper_${
      word(number)
    }_${at}(first: u32, second: u32) -> u32 {\n    let spare = first;\n    second\n}\n`;
  return numbered(3, each) + "\npub fn total(values: &[u32]) -> u32 {\n    values.iter().sum()\n}\n";
}

function untidyCrates(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [word(at), untidyRust(at)]));
}

function goTests(number: number, count: number, wrong: readonly number[] = []): string {
  const each = (at: number) => `\t{"${word(at)}", ${at}, ${wrong.includes(at) ? at * 2 + 1 : at * 2}},`;
  return `package ${word(number)}\n\nimport "testing"\n\nfunc Twice(n int) int { return n * 2 }\n\n` +
    `func TestTwice(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tname string\n\t\tin, want int\n\t}{\n` +
    numbered(count, each) +
    `\n\t} {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif got := Twice(c.in); got != c.want {\n` +
    `\t\t\t\tt.Errorf("Twice(%d) = %d, want %d", c.in, got, c.want)\n\t\t\t}\n\t\t})\n\t}\n}\n`;
}

function goModule(wrong: Record<number, readonly number[]>): Record<string, string> {
  return {
    "go.mod": "module shop\n\ngo 1.21\n",
    ...numberedFiles(8, (at) => [`${word(at)}/twice_test.go`, goTests(at, 20, wrong[at])]),
  };
}

function junit(number: number): [string, string] {
  const name = pascal(word(number));
  const each = (at: number) =>
    `    @Test void twice${pascal(word(at))}() {\n        assertEquals(${
      number % 4 === 3 && at === 2 ? at * 2 + 100 : at * 2
    }, ${at} * 2, "${word(number)} ${word(at)}");\n    }`;
  return [
    `src/test/java/shop/${name}Test.java`,
    `package shop;\n\nimport static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.Test;\n\n` +
    `class ${name}Test {\n${numbered(4, each)}\n}\n`,
  ];
}

const FIVE = ["fee", "filter", "freight", "gateway", "grant"];

export const COMPILED_RUNS: readonly RunCase[] = [
  {
    name: "make-parallel-three-of-five-errors-fixed",
    tools: "gcc, make",
    files: () => undeclared(FIVE, 25),
    command: "make -k -B -j4",
    reruns: [{
      edit: "for name in fee filter grant; do sed -i 's/missing_.*;/1;/' src/$name.c; done",
      gone: [/src\/fee\.c.*missing_fee/, /src\/filter\.c.*missing_filter/, /src\/grant\.c.*missing_grant/],
      left: [/src\/freight\.c.*missing_freight/, /src\/gateway\.c.*missing_gateway/],
      count: counts(2, 5),
    }],
  },
  {
    name: "make-header-edit-breaks-three-files",
    tools: "gcc, make",
    files: () => ({
      ...undeclared(["fee"], 20),
      ...Object.fromEntries(["ledger", "limit", "loan"].map((name) => [
        `src/${name}.c`,
        `int ${name}_weight(struct item *it)\n{\n    return it->weight;\n}\n`,
      ])),
    }),
    command: "make -k -j2",
    reruns: [{
      edit: "sed -i 's/missing_fee/2/' src/fee.c; sed -i 's/int weight;/int grams;/' shop.h",
      gone: [/src\/fee\.c.*missing_fee/],
      fresh: [
        /src\/ledger\.c.*no member named ‘weight’/,
        /src\/limit\.c.*no member named ‘weight’/,
        /src\/loan\.c.*no member named ‘weight’/,
      ],
      count: /3 new|\bnone left|0 of 1\b/,
    }],
  },
  {
    name: "gcc-coloured-errors-moved-by-lines-above",
    tools: "gcc, make",
    files: () => undeclared(["market", "member", "meter"], 20, "-Wall -Wextra -fdiagnostics-color=always"),
    command: "make -k -B -j3",
    reruns: [
      {
        edit: "for f in src/*.c; do sed -i '1i /* (c) Shop */\\n/* do not edit */' $f; done",
        left: [/src\/market\.c.*missing_market/, /src\/meter\.c.*missing_meter/],
        count: NOTHING_ELSE,
      },
      {
        edit: "sed -i 's/missing_meter/4/' src/meter.c",
        gone: [/src\/meter\.c.*missing_meter/],
        left: [/src\/market\.c.*missing_market/, /src\/member\.c.*missing_member/],
        count: counts(2, 3),
      },
    ],
  },
  {
    name: "gcc-warnings-of-one-file-removed",
    tools: "gcc, make",
    files: () => undeclared([], 25),
    command: "make -B",
    reruns: [{
      edit: "sed -i -e 's/    int left;//' src/basket.c",
      gone: [/src\/basket\.c.*unused variable ‘left’/],
      count: /\b4 (?:of \d+ )?(?:\w+ )?gone|\b\d+ of \d+ .*left/,
    }],
  },
  {
    name: "gxx-template-errors-one-of-three-left",
    tools: "g++, make",
    files: () => ({
      ...Object.fromEntries(["offer", "order", "outlet"].map((name) => [
        `${name}.cpp`,
        `#include <map>\n#include <string>\n#include <algorithm>\n#include <vector>\n\nstruct ${name} { std::string id; };\n\n` +
        `int main()\n{\n    std::vector<${name}> all(3);\n    std::sort(all.begin(), all.end());\n    return 0;\n}\n`,
      ])),
      Makefile: "all: offer order outlet\n%: %.cpp\n\tg++ -std=c++17 -fdiagnostics-color=never -o $@ $<\n",
    }),
    command: "make -k -j2",
    reruns: [{
      edit:
        "for n in offer outlet; do sed -i 's/std::string id; };/std::string id; bool operator<(const '$n' \\&o) const { return id < o.id; } };/' $n.cpp; done",
      gone: [/no match for ‘operator<’.*‘offer’/, /no match for ‘operator<’.*‘outlet’/],
      left: [/no match for ‘operator<’.*‘order’/],
      count: counts(1, 3),
    }],
  },
  {
    name: "ctest-parallel-two-of-six-left",
    tools: "cmake, ctest",
    files: () => ({
      "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(shop NONE)\nenable_testing()\n" +
        numbered(
          110,
          (at) =>
            `add_test(NAME ${word(at)} COMMAND sh -c "test ! -e \${CMAKE_SOURCE_DIR}/bad_${
              word(at)
            } || { echo ${word(at)}: totals differ; exit 1; }")`,
        ) + "\n",
      ...Object.fromEntries(
        ["filter", "label", "order", "quota", "refund", "tax"].map((name) => [`bad_${name}`, ""]),
      ),
    }),
    command: "cmake -S . -B build >/dev/null; ctest --test-dir build -j4 --output-on-failure",
    reruns: [{
      edit: "rm bad_filter bad_order bad_quota bad_tax",
      gone: [/filter.*Failed/, /order.*Failed/, /quota.*Failed/, /tax.*Failed/],
      left: [/label.*Failed|Failed.*label/, /refund.*Failed|Failed.*refund/],
      count: counts(2, 6, "6 tests failed out of 110", "2 tests failed out of 110"),
    }],
  },
  {
    name: "ninja-undefined-references-one-fixed-one-new",
    tools: "cmake, ninja, gcc",
    files: () => ({
      "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\n" +
        numbered(30, (at) => `add_executable(${word(at)} src/${word(at)}.c)`) + "\n",
      ...numberedFiles(30, (at) => [
        `src/${word(at)}.c`,
        at % 10 === 4
          ? `int audit_${word(at)}(int);\nint main(void) { return audit_${word(at)}(1); }\n`
          : "int main(void) { return 0; }\n",
      ]),
    }),
    command:
      "cmake -G Ninja -S . -B build >/dev/null; ninja -C build clean >/dev/null; ninja -C build -k 0 -j 4 -v",
    reruns: [{
      edit:
        "echo 'int main(void) { return 0; }' >src/batch.c; echo 'int late_fee(void); int main(void) { return late_fee(); }' >src/billing.c",
      gone: [/undefined reference to `audit_batch'/],
      fresh: [/undefined reference to `late_fee'/],
      left: [/undefined reference to `audit_coupon'/, /undefined reference to `audit_document'/],
      count: /1 new/,
    }],
  },
  {
    name: "cmake-makefiles-percent-two-of-four-left",
    tools: "cmake, make, gcc",
    files: () => ({
      "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\n" +
        numbered(60, (at) => `add_library(${word(at)} STATIC src/${word(at)}.c)`) + "\n",
      ...numberedFiles(60, (at) => [
        `src/${word(at)}.c`,
        [7, 19, 33, 51].includes(at)
          ? `int ${word(at)}(void) { return lost_${word(at)}; }\n`
          : `int ${word(at)}(void) { return 0; }\n`,
      ]),
    }),
    command: "cmake -S . -B build >/dev/null; make -C build clean; make -C build -k -j4",
    reruns: [{
      edit: `for n in ${word(7)} ${word(51)}; do sed -i 's/lost_[a-z]*/0/' src/$n.c; done`,
      gone: [new RegExp(`lost_${word(7)}’ undeclared`), new RegExp(`lost_${word(51)}’ undeclared`)],
      left: [new RegExp(`lost_${word(19)}’ undeclared`), new RegExp(`lost_${word(33)}’ undeclared`)],
      count: counts(2, 4),
    }],
  },
  {
    name: "asan-report-with-other-addresses",
    tools: "gcc, AddressSanitizer",
    files: () => ({
      "server.c":
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(void)\n{\n    for (int i = 0; i < 200; i++)\n" +
        '        printf("[%d] request %d served from %p\\n", getpid(), i, (void *)&i);\n    fflush(stdout);\n' +
        "    char *row = malloc(10);\n    row[10] = 1;\n    free(row);\n    return 0;\n}\n",
    }),
    command: "gcc -g -fsanitize=address -o server server.c && ./server",
    reruns: [
      { edit: "true", left: [/heap-buffer-overflow/], count: NOTHING_ELSE },
      {
        edit: "sed -i 's/row.10. = 1;/free(row);/' server.c",
        gone: [/heap-buffer-overflow/],
        fresh: [/attempting double-free/],
        count: NONE_LEFT,
      },
    ],
  },
  {
    name: "javac-three-of-six-errors-left",
    tools: "javac",
    files: () => ({
      ...numberedFiles(30, (at) => [
        `src/${pascal(word(at))}.java`,
        `import java.util.*;\n\nclass ${pascal(word(at))} {\n    List rows = new ArrayList();\n` +
        `    void add() {\n        rows.add("${word(at)}");\n    }\n` +
        (at % 5 === 2 ? `    int price() {\n        return wrong${pascal(word(at))}();\n    }\n` : "") +
        "}\n",
      ]),
    }),
    command: "mkdir -p out; javac -Xlint:all -Xmaxerrs 900 -Xmaxwarns 900 -d out src/*.java",
    reruns: [{
      edit: `for n in ${
        [2, 12, 27].map((at) => pascal(word(at))).join(" ")
      }; do sed -i 's/wrong[A-Za-z]*()/1/' src/$n.java; done`,
      gone: [2, 12, 27].map((at) => new RegExp(`${pascal(word(at))}(\\.java.*cannot find symbol|\\(\\))`)),
      left: [7, 17].map((at) => new RegExp(`${pascal(word(at))}(\\.java.*cannot find symbol|\\(\\))`)),
      count: counts(3, 6, "6 errors", "3 errors"),
    }],
  },
  {
    name: "maven-surefire-failures-two-of-five-left",
    tools: "Maven, JUnit 5",
    files: () => ({ "pom.xml": pom(), ...numberedFiles(20, junit) }),
    command: "mvn -B -Dsurefire.runOrder=random test",
    reruns: [{
      edit: `for n in ${
        [3, 7, 19].map((at) => pascal(word(at))).join(" ")
      }; do sed -i 's/(104, /(4, /' src/test/java/shop/$n''Test.java; done`,
      gone: [3, 7, 19].map((at) => new RegExp(`${pascal(word(at))}Test.*|${word(at)} audit ==> expected`)),
      left: [11, 15].map((at) => new RegExp(`${pascal(word(at))}Test.*|${word(at)} audit ==> expected`)),
      count: counts(2, 5, "Failures: 5", "Failures: 2"),
    }],
  },
  {
    name: "go-test-shuffled-one-of-three-left",
    tools: "go test",
    files: () => goModule({ 1: [4], 3: [7], 6: [11] }),
    command: "go test -v -shuffle=on ./...",
    reruns: [{
      edit: `sed -i 's/${word(4)}", 4, 9/${word(4)}", 4, 8/' ${word(1)}/*.go; sed -i 's/${
        word(11)
      }", 11, 23/${word(11)}", 11, 22/' ${word(6)}/*.go`,
      gone: [
        /Twice\(4\) = 8, want 9|FAIL: TestTwice\/batch/,
        /Twice\(11\) = 22, want 23|FAIL: TestTwice\/charge/,
      ],
      left: [/Twice\(7\) = 14, want 15/],
      count: counts(1, 3),
    }],
  },
  {
    name: "go-test-all-fixed",
    tools: "go test",
    files: () => goModule({ 2: [5], 5: [9, 13] }),
    command: "go test -v ./...",
    reruns: [
      {
        edit: `sed -i 's/", 5, 11/", 5, 10/' ${word(2)}/*.go`,
        gone: [/Twice\(5\) = 10, want 11/],
        left: [/Twice\(9\) = 18, want 19/, /Twice\(13\) = 26, want 27/],
        count: counts(2, 3),
      },
      {
        edit: `sed -i -e 's/", 9, 19/", 9, 18/' -e 's/", 13, 27/", 13, 26/' ${word(5)}/*.go`,
        gone: [/Twice\(9\) = 18, want 19/, /Twice\(13\) = 26, want 27/],
        count: NONE_LEFT,
      },
    ],
  },
  {
    name: "go-test-json-one-of-two-left",
    tools: "go test",
    files: () => goModule({ 0: [3], 7: [12] }),
    command: "go test -json ./...",
    reruns: [{
      edit: `sed -i 's/", 12, 25/", 12, 24/' ${word(7)}/*.go`,
      gone: [/Twice\(12\) = 24, want 25|TestTwice\/client/],
      left: [/Twice\(3\) = 6, want 7/],
      count: counts(1, 2),
    }],
  },
  {
    name: "go-vet-two-of-four-left-one-new",
    tools: "go vet",
    files: () => ({
      "go.mod": "module shop\n\ngo 1.21\n",
      ...numberedFiles(40, (at) => [
        `${word(at)}/${word(at)}.go`,
        `package ${word(at)}\n\nimport "fmt"\n\nfunc Say(n int) {\n\tfmt.Printf("%d ${word(at)}\\n", n)\n` +
        (at % 2 === 1 ? `\tn = n\n\tfmt.Println("${word(at)}\\n")\n` : "") +
        (at % 10 === 6 ? `\tfmt.Printf("%s rows of ${word(at)}\\n", n)\n` : "") + "}\n",
      ]),
    }),
    command: "go vet -v ./...",
    reruns: [{
      edit: `for n in ${word(6)} ${
        word(26)
      }; do sed -i 's/%s rows/%d rows/' $n/$n.go; done; sed -i 's/^}/\\tfmt.Println("%d", n)\\n}/' ${
        word(9)
      }/*.go`,
      gone: [new RegExp(`${word(6)}.go`), new RegExp(`${word(26)}.go`)],
      fresh: [new RegExp(`${word(9)}.go.*Println`)],
      left: [new RegExp(`${word(16)}.go`), new RegExp(`${word(36)}.go`)],
      count: counts(2, 4),
    }],
  },
  {
    name: "go-panic-fixed-then-assertions",
    tools: "go test",
    files: () => ({
      ...goModule({ 4: [2, 6] }),
      [`${word(4)}/rows_test.go`]: `package ${
        word(4)
      }\n\nimport "testing"\n\nvar rows []int\n\nfunc TestRows(t *testing.T) {\n\tif rows[3] != 0 {\n\t\tt.Fail()\n\t}\n}\n`,
    }),
    command: "go test -v ./...",
    reruns: [{
      edit: `sed -i 's/var rows .*/var rows [9]int/' ${word(4)}/rows_test.go`,
      gone: [/index out of range \[3\] with length 0/],
      fresh: [/Twice\(2\) = 4, want 5/, /Twice\(6\) = 12, want 13/],
      count: /\b\d+ (?:of \d+ )?(?:\w+ )?gone|\b\d+ of \d+ /,
    }],
  },
  {
    name: "cargo-build-two-of-five-left",
    tools: "cargo, rustc",
    files: () =>
      cargoWorkspace({
        ...untidyCrates(14),
        ...Object.fromEntries(
          FIVE.map((name) => [name, `pub fn ${name}(base: u32) -> u32 {\n    base * rate_of_${name}\n}\n`]),
        ),
      }),
    command: "cargo build --keep-going",
    reruns: [{
      edit: "for n in fee freight grant; do sed -i 's/rate_of_.*/2/' crates/$n/src/lib.rs; done",
      gone: [
        /cannot find value `rate_of_fee`/,
        /cannot find value `rate_of_freight`/,
        /cannot find value `rate_of_grant`/,
      ],
      left: [/cannot find value `rate_of_filter`/, /cannot find value `rate_of_gateway`/],
      count: counts(2, 5),
    }],
  },
  {
    name: "rustc-same-message-in-three-files-one-fixed",
    tools: "cargo, rustc",
    files: () =>
      cargoWorkspace({
        ...untidyCrates(12),
        ...Object.fromEntries(["parcel", "picker", "plan"].map((name) => [
          name,
          `pub fn count(order: String) -> usize {\n    let taken = order;\n    taken.len() + order.len()\n}\n`,
        ])),
      }),
    command: "cargo check --keep-going --color always",
    reruns: [{
      edit: "sed -i 's/let taken = order;/let taken = order.clone();/' crates/picker/src/lib.rs",
      gone: [/crates\/picker\/src\/lib\.rs|could not compile `picker`/],
      left: [/crates\/parcel\/src\/lib\.rs|could not compile `parcel`/, /borrow of moved value: `order`/],
      count: counts(2, 3),
    }],
  },
  {
    name: "cargo-test-threads-two-of-four-left",
    tools: "cargo test",
    files: () =>
      cargoWorkspace(Object.fromEntries(
        Array.from({ length: 6 }, (_, number) => [
          word(number),
          "pub fn rounded(value: u32, by: u32) -> u32 {\n    (value + by / 2) / by\n}\n\n#[cfg(test)]\nmod tests {\n" +
          numbered(
            40,
            (at) =>
              `    #[test]\n    fn ${word(number)}_keeps_${
                word(at)
              }() {\n        assert_eq!(super::rounded(${at}00, 100), ${
                at === 17 && number % 3 !== 2 ? 99 : at
              }, "${word(number)} rows");\n    }`,
          ) + "\n}\n",
        ]),
      )),
    command: "cargo test --no-fail-fast",
    reruns: [{
      edit: `for n in ${word(0)} ${word(3)}; do sed -i 's/, 99, /, 17, /' crates/$n/src/lib.rs; done`,
      gone: [new RegExp(`${word(0)}_keeps`), new RegExp(`${word(3)}_keeps`)],
      left: [new RegExp(`${word(1)}_keeps|${word(1)} rows`), new RegExp(`${word(4)}_keeps|${word(4)} rows`)],
      count: counts(2, 4),
    }],
  },
  {
    name: "clippy-one-error-fixed-warnings-left",
    tools: "cargo clippy",
    files: () =>
      cargoWorkspace({
        ...untidyCrates(10),
        offer:
          "pub fn wait(flag: bool) {\n    while flag {\n    }\n    let half = 7 / 2 == 7 / 2;\n    assert!(half);\n}\n",
        order: "pub fn part(value: u32) -> u32 {\n    let zero = value & 0;\n    zero\n}\n",
      }),
    command: "cargo clippy --keep-going",
    reruns: [{
      edit: "sed -i 's/value & 0/value \\& 1/' crates/order/src/lib.rs",
      gone: [/this operation will always return zero/],
      left: [/equal expressions as operands to `==`/],
      count: /\b[1-4] (?:of \d+ )?(?:\w+ )?gone|\d+ of \d+ .*left/,
    }],
  },

  {
    name: "gxx-missing-members-two-of-four-left",
    tools: "g++, make",
    files: () => ({
      ...numberedFiles(24, (at) => [
        `src/${word(at)}.cpp`,
        `struct Row { int id; };\n\nstatic int spare_${word(at)}(int unused) { return 1; }\n\nint ${
          word(at)
        }(const Row &row)\n{\n` +
        `    return row.${at % 6 === 4 ? `missing_${word(at)}` : "id"};\n}\n`,
      ]),
      Makefile:
        "SRC=$(sort $(wildcard src/*.cpp))\nall: $(SRC:.cpp=.o)\n%.o: %.cpp\n\tg++ -Wall -Wextra -c -o $@ $<\n",
    }),
    command: "make -k -B -j3",
    reruns: [{
      edit: `for n in ${word(4)} ${word(16)}; do sed -i 's/row.missing_.*;/row.id;/' src/$n.cpp; done`,
      gone: [4, 16].map((at) => new RegExp(`src/${word(at)}\\.cpp.*missing_${word(at)}`)),
      left: [10, 22].map((at) => new RegExp(`src/${word(at)}\\.cpp.*missing_${word(at)}`)),
      count: counts(2, 4),
    }],
  },
  {
    name: "make-linker-two-of-four-left",
    tools: "gcc, make",
    files: () => ({
      ...numberedFiles(40, (at) => [
        `src/${word(at)}.c`,
        at % 10 === 3
          ? `int audit_${word(at)}(int);\nint main(void) { return audit_${word(at)}(1); }\n`
          : "int main(void) { return 0; }\n",
      ]),
      Makefile: "SRC=$(sort $(wildcard src/*.c))\nall: $(SRC:src/%.c=bin/%)\n\nbin/%: src/%.c\n" +
        "\tgcc -O2 -g -fPIC -DNDEBUG -D_GNU_SOURCE -I/usr/include/x86_64-linux-gnu -Iinclude -o $@ $< -lm -lpthread\n",
    }),
    command: "mkdir -p bin include; make -B -k -j4",
    reruns: [{
      edit: `for n in ${word(3)} ${
        word(33)
      }; do echo 'int main(void) { return 0; }' >src/$n.c; done; echo 'int late(void); int main(void) { return late(); }' >src/${
        word(1)
      }.c`,
      gone: [3, 33].map((at) => new RegExp(`undefined reference to \`audit_${word(at)}'`)),
      fresh: [/undefined reference to `late'/],
      left: [13, 23].map((at) => new RegExp(`undefined reference to \`audit_${word(at)}'`)),
      count: counts(2, 4),
    }],
  },
  {
    name: "gcc-werror-two-of-five-left",
    tools: "gcc, make",
    files: () => ({
      ...numberedFiles(40, (at) => [
        `src/${word(at)}.c`,
        `int ${word(at)}(int value)\n{\n${
          at % 8 === 5 ? `    int spare_${word(at)};\n` : ""
        }    return value;\n}\n`,
      ]),
      Makefile: "SRC=$(sort $(wildcard src/*.c))\nall: $(SRC:.c=.o)\n%.o: %.c\n" +
        "\tgcc -Wall -Wextra -Werror -Werror=unused-variable -D_GNU_SOURCE -I/usr/include/error -c -o $@ $<\n",
    }),
    command: "make -k -B -j3",
    reruns: [{
      edit: `for n in ${[5, 21, 37].map(word).join(" ")}; do sed -i '/spare_/d' src/$n.c; done`,
      gone: [5, 21, 37].map((at) => new RegExp(`spare_${word(at)}`)),
      left: [13, 29].map((at) => new RegExp(`spare_${word(at)}`)),
      count: counts(2, 5),
    }],
  },
  {
    name: "javac-moved-lines-only",
    tools: "javac",
    files: () =>
      numberedFiles(30, (at) => [
        `src/${pascal(word(at))}.java`,
        `import java.util.*;\n\nclass ${
          pascal(word(at))
        } {\n    List rows = new ArrayList();\n    void add() {\n` +
        `        rows.add("${word(at)}");\n    }\n` +
        (at % 10 === 6 ? `    int price() {\n        return "${word(at)}";\n    }\n` : "") + "}\n",
      ]),
    command: "mkdir -p out; javac -Xlint:all -Xmaxerrs 900 -Xmaxwarns 900 -d out src/*.java",
    reruns: [{
      edit: "for f in src/*.java; do sed -i '1i /* (c) Shop */\\n' $f; done",
      left: [6, 16].map((at) => new RegExp(`src/${pascal(word(at))}\\.java.*incompatible types`)),
      count: NOTHING_ELSE,
    }],
  },
];
