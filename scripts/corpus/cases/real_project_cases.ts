/** Public projects with one planted fault, or with none: their own suites, compilers and linters over their sources. */

import type { WrittenCase } from "../corpus_case.ts";

/** Copies the sources of a public project; TOOLS.md says how they are downloaded. */
function source(name: string): string {
  return `cp -r $TOOLS/src/${name}/. .;`;
}

/** Replaces text in a file; fails loudly, so that no case is recorded without its fault. */
function plant(path: string, from: string, to: string): string {
  return `grep -q '${from}' ${path} || exit 1; sed -i 's/${from}/${to}/' ${path};`;
}

const CRATES = `[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n` +
  `clap = { version = "=4.5.20", features = ["derive"] }\nregex = "=1.11.1"\nserde = { version = "=1.0.214", features = ["derive"] }\n` +
  `serde_json = "=1.0.132"\ntokio = { version = "=1.41.0", features = ["full"] }\ntracing-subscriber = "=0.3.18"\n`;

export const REAL_PROJECT_CASES: readonly WrittenCase[] = [
  {
    name: "attrs-suite-one-validator-wrong",
    facts: ["ValueError: Length of 'value' must be >= 2: 2", "tests/test_validators.py:985:"],
    command: `${source("attrs-24.2.0")} ${
      plant(
        "src/attr/validators.py",
        "if len(value) < self.min_length:",
        "if len(value) <= self.min_length:",
      )
    } ` +
      `PYTHONPATH=src python -m pytest -p no:cacheprovider -v --color=yes tests/test_validators.py tests/test_make.py tests/test_funcs.py`,
  },
  {
    name: "attrs-suite-passes",
    sound: true,
    command: `${
      source("attrs-24.2.0")
    } PYTHONPATH=src python -m pytest -p no:cacheprovider -v tests/test_validators.py tests/test_funcs.py tests/test_filters.py`,
  },
  {
    name: "more-itertools-unittest-one-wrong",
    facts: [
      "AssertionError: Lists differ: [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10]] != [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]",
      'tests/test_more.py", line 2216, in test_basic',
    ],
    command: `${source("more-itertools-10.5.0")} ${
      plant("more_itertools/more.py", "q, r = divmod(len(seq), n)", "q, r = divmod(len(seq) + 1, n)")
    } python -m unittest -v tests.test_more`,
  },
  {
    name: "sqlglot-suite-one-dialect-wrong",
    facts: ["LIST_FILTR(arr, x -> pred)", "tests/dialects/test_dialect.py:71: AssertionError"],
    command: `${source("sqlglot-25.20.0")} ${
      plant(
        "sqlglot/dialects/duckdb.py",
        'exp.ArrayFilter: rename_func("LIST_FILTER")',
        'exp.ArrayFilter: rename_func("LIST_FILTR")',
      )
    } ` +
      `python -m pytest -p no:cacheprovider -v tests/dialects`,
  },
  {
    name: "markdown-unittest-one-extension-wrong",
    facts: ["FAIL: testAlternateTOCMarker", 'test_toc.py", line 89, in testAlternateTOCMarker'],
    command: `${source("markdown-3.7")} ${
      plant("markdown/extensions/toc.py", "text.strip() == self.marker", "text.strip() != self.marker")
    } python -m unittest -v tests.test_syntax.extensions.test_toc tests.test_apis`,
  },
  {
    name: "mypy-strict-one-wrong-operand",
    facts: ['Unsupported operand types for + ("int" and "str")'],
    command: `${
      source("markdown-3.7")
    } printf '\\n\\ndef _depth(level: int) -> int:\\n    return level + "1"\\n' >>markdown/inlinepatterns.py; mypy --strict --ignore-missing-imports --cache-dir=/dev/null markdown`,
  },
  {
    name: "ruff-all-rules-one-undefined-name",
    facts: ["F821 Undefined name `dilect`"],
    command: `${
      source("sqlglot-25.20.0")
    } printf '\\n\\ndef _named(dialect):\\n    return dilect\\n' >>sqlglot/dialects/hive.py; ruff check --no-cache --isolated --select ALL --ignore T20 --output-format concise sqlglot`,
  },
  {
    name: "pylint-markdown-one-no-member",
    facts: ["E1101: Instance of 'Blank' has no 'lenght' member"],
    command: `${
      source("markdown-3.7")
    } printf '\\n\\nclass Blank:\\n    length = 0\\n\\n\\ndef measure():\\n    return Blank().lenght\\n' >>markdown/preprocessors.py; pylint --persistent=n -j1 markdown`,
  },
  {
    name: "go-cmp-suite-one-wrong",
    facts: [
      "util_test.go:1134: Equal = false, want true",
      "equal because EquateApprox(0, 0) is equivalent to ==",
    ],
    command: `${source("go-cmp@v0.6.0")} ${
      plant(
        "cmp/cmpopts/equate.go",
        "math.Abs(x-y) <= math.Max(a.marg, relMarg)",
        "math.Abs(x-y) < math.Max(a.marg, relMarg)",
      )
    } go test -v ./...`,
  },
  {
    name: "cobra-suite-one-suggestion-wrong",
    facts: ["command_test.go:1368: Unexpected response.", "--- FAIL: TestSuggestions"],
    command: `${source("cobra@v1.8.1")} ${
      plant("command.go", "c.SuggestionsMinimumDistance = 2", "c.SuggestionsMinimumDistance = 1")
    } go test -v .`,
  },
  {
    name: "cobra-suite-passes",
    sound: true,
    command: `${source("cobra@v1.8.1")} go test -v .`,
  },
  {
    name: "semver-crate-one-comparison-wrong",
    facts: ["panicked at tests/test_version_req.rs:102:5", "did not match 2.1.0-alpha2"],
    command: `${source("semver-1.0.23")} ${
      plant("src/eval.rs", "Op::LessEq => matches_exact(cmp, ver) ||", "Op::LessEq =>")
    } RUST_BACKTRACE=full cargo test --no-fail-fast`,
  },
  {
    name: "cargo-build-of-90-crates-one-error",
    facts: ["error[E0277]: the trait bound `Order: Deserialize<'_>` is not satisfied", "--> src/main.rs:"],
    command: "cargo fetch 2>/dev/null; cargo build -v --color always",
  },
  {
    name: "cargo-build-of-90-crates-succeeds",
    sound: true,
    facts: ["Finished `dev` profile"],
    files: () => ({ "Cargo.toml": CRATES, "src/main.rs": "fn main() {}\n" }),
    command: "cargo fetch 2>/dev/null; cargo build -v",
  },
  {
    name: "lua-build-one-error-among-conversions",
    facts: ["lgc.c:1316:6: error: ‘global_State’ has no member named ‘gckinds’"],
    command: `${source("lua-5.4.4")} ${
      plant("src/lgc.c", "g->gckind = KGC_INC;", "g->gckinds = KGC_INC;")
    } make -k -C src liblua.a MYCFLAGS="-Wall -Wextra -Wconversion -Wsign-conversion -Wcast-qual"`,
  },
  {
    name: "lua-build-in-order",
    sound: true,
    command: `${source("lua-5.4.4")} make -C src linux MYCFLAGS="-Wall -Wextra -Wsign-conversion"`,
  },
  {
    name: "jansson-ctest-one-suite-fails",
    facts: ["88 - valid__three-byte-utf-8 (SEGFAULT)"],
    command: `${source("jansson-2.14")} ${
      plant("src/utf.c", "codepoint < 0x800", "codepoint < 0x900")
    } cmake -S . -B build -DJANSSON_BUILD_DOCS=OFF; make -C build VERBOSE=1; cd build; ctest --output-on-failure`,
  },
  {
    name: "eslint-all-rules-one-parse-error",
    facts: ["Parsing error: Unexpected token"],
    command:
      `ln -s $TOOLS/npm/node_modules node_modules; cp -r node_modules/express/lib lib; cp -r node_modules/mocha/lib mocha-lib; echo 'exports.ship = (order => ;' >lib/shipping.js; eslint lib mocha-lib/reporters --color`,
  },
  {
    name: "npm-install-http-log-succeeds",
    sound: true,
    facts: ["added "],
    command: "npm install --loglevel http --ignore-scripts --cache ./cache",
  },
  {
    name: "pip-install-verbose-succeeds",
    sound: true,
    facts: ["Successfully installed"],
    command: `${source("markdown-3.7")} python -m venv env >/dev/null; env/bin/pip install -v .`,
  },
  {
    name: "kubectl-kustomize-manifests",
    sound: true,
    files: () => ({
      "kustomization.yaml": "resources:\n" +
        Array.from({ length: 40 }, (_, number) => `- part-${number}.yaml\n`).join("") +
        "namePrefix: shop-\ncommonLabels:\n  team: orders\n",
      ...Object.fromEntries(Array.from({ length: 40 }, (_, number) => [
        `part-${number}.yaml`,
        `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: part-${number}\nspec:\n  replicas: ${
          number % 4 + 1
        }\n  selector:\n    matchLabels: { app: part-${number} }\n  template:\n    metadata:\n      labels: { app: part-${number} }\n    spec:\n      containers:\n      - name: main\n        image: registry.example.com/part-${number}:1.${number}\n`,
      ])),
    }),
    command: "kubectl kustomize .",
  },
];
