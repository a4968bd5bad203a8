/** TypeScript, ESLint, Jest, Vitest, Mocha, Node's and Deno's test runners, bundlers, linters. */

import { LINK_TOOLS, word } from "../corpus_case.ts";
import { counts, NONE_LEFT, NOTHING_ELSE, numbered, numberedFiles, type RunCase } from "./run_case.ts";

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    noUnusedLocals: true,
    types: [],
    target: "es2022",
    module: "esnext",
  },
  include: ["src"],
});

/** Modules with unused locals; those numbered in `wrong` return a string as a number. */
function typedModules(count: number, wrong: readonly number[]): Record<string, string> {
  return numberedFiles(count, (number) => [
    `src/${word(number)}.ts`,
    `export function ${word(number)}(value: number): number {\n  const spare_${word(number)} = value;\n` +
    `  return ${wrong.includes(number) ? `"${word(number)}"` : "value"};\n}\n`,
  ]);
}

/** A test file for a runner with `describe`, `it` and `expect`; one test is wrong if `wrong`. */
function specs(count: number, wrong: readonly number[], head: string): Record<string, string> {
  const each = (number: number) => (at: number) =>
    `  it("keeps ${word(at)}", () => { ${
      at === 2 ? `console.log("${word(number)}: opened, 3 rows read"); ` : ""
    }expect(${at} * 2).toBe(${at === 4 && wrong.includes(number) ? at * 2 + 900 + number : at * 2}); });`;
  return numberedFiles(count, (number) => [
    `test/${word(number)}.test.js`,
    `${head}\ndescribe("${word(number)}", () => {\n${numbered(8, each(number))}\n});\n`,
  ]);
}

/** Makes the wrong test of these files right. */
function fixSpecs(...numbers: number[]): string {
  return `for n in ${
    numbers.map(word).join(" ")
  }; do sed -i 's/toBe(9[0-9]*)/toBe(8)/' test/$n.test.js; done`;
}

const spec = (number: number) =>
  new RegExp(`${word(number)}\\b.*keeps batch|(?:FAIL|❯) .*${word(number)}|: ${908 + number}\\b`);

function nodeTests(count: number, wrong: readonly number[]): Record<string, string> {
  const each = (number: number) => (at: number) =>
    `test("${word(number)} keeps ${word(at)}", () => assert.equal(${at} * 2, ${
      at === 4 && wrong.includes(number) ? 908 + number : at * 2
    }));`;
  return numberedFiles(count, (number) => [
    `test/${word(number)}.test.js`,
    `const test = require("node:test");\nconst assert = require("node:assert");\n${
      numbered(8, each(number))
    }\n`,
  ]);
}

const fixNodeTests = (...numbers: number[]) =>
  `for n in ${numbers.map(word).join(" ")}; do sed -i 's/, 9[0-9]*)/, 8)/' test/$n.test.js; done`;

const ESLINT = "eslint.config.js";
const ESLINT_CONFIG =
  `const js = require("@eslint/js");\nmodule.exports = [js.configs.all, { languageOptions: { sourceType: "commonjs" } }];\n`;
const ESLINT_FEW =
  `module.exports = [{ languageOptions: { sourceType: "commonjs" }, rules: { "no-undef": "error", ` +
  `"no-unused-vars": "warn", "no-var": "warn", "eqeqeq": "warn" } }];\n`;

function untidyScripts(count: number, wrong: readonly number[]): Record<string, string> {
  return numberedFiles(count, (number) => [
    `src/${word(number)}.js`,
    `var unused_${word(number)} = 1;\nvar first = 2;\nif (first == 2) {\n  first = 3;\n}\n` +
    (wrong.includes(number) ? `total(first);\n` : ""),
  ]);
}

export const NODE_RUNS: readonly RunCase[] = [
  {
    name: "tsc-two-of-seven-left",
    tools: "TypeScript",
    files: () => ({ "tsconfig.json": TSCONFIG, ...typedModules(60, [4, 11, 18, 25, 32, 39, 46]) }),
    command: "tsc -p .",
    // Each of the 60 files has an unused local, too.
    reruns: [{
      edit: `for n in ${
        [4, 11, 18, 25, 32].map(word).join(" ")
      }; do sed -i 's/return ".*"/return value/' src/$n.ts; done`,
      gone: [4, 18, 32].map((at) => new RegExp(`src/${word(at)}\\.ts.*TS2322`)),
      left: [39, 46].map((at) => new RegExp(`src/${word(at)}\\.ts.*TS2322`)),
      count: counts(62, 67),
    }],
  },
  {
    name: "tsc-pretty-interface-change-adds-errors",
    tools: "TypeScript",
    files: () => ({
      "tsconfig.json": TSCONFIG,
      ...typedModules(30, [9]),
      "src/item.ts": "export interface Item { name: string; price: number }\n",
      ...numberedFiles(3, (at) => [
        `src/use_${word(at)}.ts`,
        `import type { Item } from "./item.ts";\nexport const total_${
          word(at)
        } = (item: Item) => item.price * 2;\n`,
      ]),
    }),
    command: "tsc -p . --pretty --allowImportingTsExtensions",
    reruns: [{
      edit: `sed -i 's/price: number/cost: number/' src/item.ts; sed -i 's/return ".*"/return value/' src/${
        word(9)
      }.ts`,
      gone: [/src\/carrier\.ts.*TS2322/],
      fresh: [0, 1, 2].map((at) => new RegExp(`src/use_${word(at)}\\.ts.*Property 'price' does not exist`)),
      left: [/spare_account/],
      count: counts(30, 31, "Found 31 errors", "Found 33 errors"),
    }],
  },
  {
    name: "tsc-only-line-numbers-move",
    tools: "TypeScript",
    files: () => ({ "tsconfig.json": TSCONFIG, ...typedModules(50, [2, 12, 22]) }),
    command: "tsc -p .",
    reruns: [{
      edit: "for f in src/*.ts; do sed -i '1i // (c) Shop\\n' $f; done",
      left: [/src\/audit\.ts.*TS2322/],
      count: NOTHING_ELSE,
    }],
  },
  {
    name: "eslint-same-message-now-in-another-file",
    tools: "ESLint",
    files: () => ({ [ESLINT]: ESLINT_FEW, ...untidyScripts(45, [6, 30]) }),
    command: "eslint src",
    reruns: [{
      edit: `sed -i '$d' src/${word(6)}.js; echo 'total(first);' >>src/${word(21)}.js`,
      gone: [/branch\.js|'total' is not defined/],
      fresh: [/discount\.js|'total' is not defined/],
      count: /\b1 (?:of \d+ )?(?:\w+ )?gone, 1 new/,
    }],
  },
  {
    name: "eslint-three-of-five-errors-fixed",
    tools: "ESLint",
    files: () => ({
      [ESLINT]: ESLINT_FEW,
      ...untidyScripts(45, []),
      ...numberedFiles(5, (at) => [`src/new_${word(at)}.js`, `lost_${word(at)}();\n`]),
    }),
    command: "FORCE_COLOR=1 eslint src",
    // 45 × 4 warnings.
    reruns: [{
      edit: "for n in account basket batch; do : >src/new_$n.js; done",
      gone: [/'lost_account' is not defined/, /'lost_basket' is not defined/, /'lost_batch' is not defined/],
      left: [/'lost_address' is not defined/, /'lost_audit' is not defined/],
      count: counts(2, 5, "5 errors", "2 errors"),
    }],
  },
  {
    name: "eslint-all-rules-parse-error-fixed",
    tools: "ESLint",
    files: () => ({
      [ESLINT]: ESLINT_CONFIG,
      ...untidyScripts(20, []),
      "src/zone.js": "const all = [1, 2;\nmodule.exports = all;\n",
    }),
    command: `${LINK_TOOLS.replace(";", " 2>/dev/null;")} eslint src`,
    reruns: [{
      edit: "sed -i 's/2;/2];/' src/zone.js",
      gone: [/Parsing error: Unexpected token/],
      count: /\b1 (?:of \d+ )?(?:\w+ )?gone|\b(\d+) of \d+ .*left/,
    }],
  },
  {
    name: "jest-workers-two-of-four-left",
    tools: "Jest",
    files: () => ({ "package.json": "{}", ...specs(24, [3, 9, 15, 21], "") }),
    command: "jest --workerThreads --maxWorkers=3 --no-cache",
    reruns: [{
      edit: fixSpecs(3, 21),
      gone: [spec(3), spec(21)],
      left: [spec(9), spec(15)],
      count: counts(2, 4, "4 failed", "2 failed"),
    }],
  },
  {
    name: "jest-verbose-shuffled-nothing-else",
    tools: "Jest",
    files: () => ({ "package.json": "{}", ...specs(20, [5, 13], "") }),
    command: "jest --verbose --randomize --maxWorkers=2",
    reruns: [
      { edit: "true", left: [spec(5), spec(13)], count: NOTHING_ELSE },
      { edit: fixSpecs(5, 13), gone: [spec(5), spec(13)], count: NONE_LEFT },
    ],
  },
  {
    name: "vitest-shuffled-one-of-three-left",
    tools: "Vitest",
    files: () => ({
      "package.json": '{"type":"module"}',
      ...specs(20, [2, 8, 14], 'import { describe, expect, it } from "vitest";'),
    }),
    command: `${LINK_TOOLS.replace(";", " 2>/dev/null;")} vitest run --sequence.shuffle --reporter=verbose`,
    reruns: [{
      edit: fixSpecs(2, 14),
      gone: [spec(2), spec(14)],
      left: [spec(8)],
      count: counts(1, 3, "3 failed", "1 failed"),
    }],
  },
  {
    name: "mocha-one-fixed-one-broken",
    tools: "Mocha",
    files: () =>
      specs(
        30,
        [4, 16],
        "const expect = (a) => ({ toBe: (b) => require('node:assert').strictEqual(a, b) });",
      ),
    command: "mocha test",
    reruns: [{
      edit: `${fixSpecs(16)}; sed -i 's/toBe(8)/toBe(925)/' test/${word(25)}.test.js`,
      gone: [/8 !== 924|^\S* *\d*\)? *credit/],
      fresh: [/8 !== 925/],
      left: [/8 !== 912/],
      count: counts(1, 2),
    }],
  },
  {
    name: "node-test-two-of-five-left",
    tools: "node --test",
    files: () => nodeTests(24, [1, 6, 11, 16, 21]),
    command: "node --test --test-reporter=spec test/*.test.js",
    reruns: [{
      edit: fixNodeTests(1, 11, 16),
      gone: [1, 11, 16].map((at) => new RegExp(`${word(at)} keeps batch|8 !== ${908 + at}`)),
      left: [6, 21].map((at) => new RegExp(`${word(at)} keeps batch|8 !== ${908 + at}`)),
      count: counts(2, 5, "fail 5", "fail 2"),
    }],
  },
  {
    name: "node-test-tap-durations-only",
    tools: "node --test",
    files: () => nodeTests(20, [7, 17]),
    command: "node --test --test-reporter=tap test/*.test.js",
    reruns: [
      { edit: "true", left: [/not ok .*budget keeps batch/], count: NOTHING_ELSE },
      {
        edit: fixNodeTests(17),
        gone: [/not ok .*customer keeps batch/],
        left: [/not ok .*budget keeps batch/],
        count: counts(1, 2, "# fail 2", "# fail 1"),
      },
    ],
  },
  {
    name: "esbuild-two-of-four-left",
    tools: "esbuild",
    files: () =>
      numberedFiles(40, (at) => [
        `src/${word(at)}.js`,
        `export const ${word(at)} = (value) => value === NaN || typeof value === "nubmer";\n` +
        (at % 10 === 5 ? `import { gone } from "./lost_${word(at)}.js";\nconsole.log(gone);\n` : ""),
      ]),
    command: "esbuild src/*.js --bundle --outdir=out --log-limit=0 --color=true",
    reruns: [{
      edit: `for n in ${word(5)} ${word(35)}; do sed -i '2,$d' src/$n.js; done`,
      gone: [
        new RegExp(`Could not resolve.*lost_${word(5)}`),
        new RegExp(`Could not resolve.*lost_${word(35)}`),
      ],
      left: [
        new RegExp(`Could not resolve.*lost_${word(15)}`),
        new RegExp(`Could not resolve.*lost_${word(25)}`),
      ],
      count: counts(2, 4, "4 errors", "2 errors"),
    }],
  },
  {
    name: "webpack-missing-module-fixed",
    tools: "webpack",
    files: () => ({
      "package.json": '{"type":"commonjs"}',
      ...numberedFiles(60, (at) => [
        `src/${word(at)}.js`,
        at % 25 === 11 ? `module.exports = require("./lost_${word(at)}");\n` : `module.exports = ${at};\n`,
      ]),
      "src/index.js": numbered(60, (at) => `console.log(require("./${word(at)}"));`) + "\n",
    }),
    command: `${LINK_TOOLS.replace(";", " 2>/dev/null;")} webpack --mode development --stats verbose`,
    reruns: [{
      edit: `echo 'module.exports = 4;' >src/${word(11)}.js`,
      gone: [/Can't resolve '\.\/lost_charge'/],
      left: [new RegExp(`Can't resolve './lost_${word(36)}'`)],
      count: counts(1, 2, "2 errors", "1 error"),
    }],
  },
  {
    name: "stylelint-one-of-two-errors-fixed",
    tools: "stylelint",
    files: () => ({
      ".stylelintrc.json": '{"extends":"stylelint-config-standard"}',
      ...numberedFiles(45, (at) => [
        `css/${word(at)}.css`,
        `.${word(at)} { color: #FFFFFF; }\n.${word(at)}Row { margin: 0px; }\n` +
        (at === 12 || at === 33 ? `a { colr: red; }\n` : ""),
      ]),
    }),
    command: `${LINK_TOOLS.replace(";", " 2>/dev/null;")} stylelint 'css/*.css'`,
    reruns: [{
      edit: `sed -i '$d' css/${word(12)}.css`,
      gone: [/client\.css|colr/],
      left: [/colr/],
      count: /\b[12] (?:of \d+ )?(?:\w+ )?gone, 0 new|\b\d+ of \d+ .*left/,
    }],
  },
  {
    name: "prettier-check-two-of-four-left",
    tools: "Prettier",
    files: () => ({
      ...numberedFiles(100, (at) => [`src/bad_${word(at)}.js`, "const a = {b:1,\nc:2}\n"]),
      ...numberedFiles(4, (at) => [`src/wrong_${word(at)}.js`, `const a = ${at};\nconst b = (a;\n`]),
    }),
    command: "prettier --check src",
    reruns: [{
      edit:
        "for n in account audit; do echo 'const a = 1;' >src/wrong_$n.js; done; for n in account address audit basket; do echo 'const a = 1;' >src/bad_$n.js; done",
      gone: [/src\/wrong_account\.js.*SyntaxError/, /src\/wrong_audit\.js.*SyntaxError/],
      left: [/src\/wrong_address\.js.*SyntaxError/, /src\/wrong_basket\.js.*SyntaxError/],
      count: counts(2, 4),
    }],
  },
  {
    name: "deno-test-two-of-three-left",
    tools: "Deno",
    files: () =>
      numberedFiles(30, (number) => [
        `${word(number)}_test.ts`,
        numbered(6, (at) =>
          `Deno.test("${word(number)} keeps ${word(at)}", () => {\n  if (${at} * 2 !== ${
            at === 4 && number % 10 === 9 ? 99 : at * 2
          }) throw new Error("${word(number)} is wrong");\n});`) + "\n",
      ]),
    command: "deno test --shuffle --parallel --no-lock --no-config",
    reruns: [{
      edit: `sed -i 's/!== 99/!== 8/' ${word(19)}_test.ts`,
      gone: [/delivery is wrong|delivery keeps batch/],
      left: [/carrier is wrong|carrier keeps batch/],
      count: counts(2, 3, "3 failed", "2 failed"),
    }],
  },
  {
    name: "deno-lint-three-of-four-left",
    tools: "Deno",
    files: () => ({
      ...numberedFiles(16, (at) => [
        `${word(at)}.ts`,
        `export function ${word(at)}(value: any) {\n  var spare = value;\n  return value;\n}\n`,
      ]),
      ...numberedFiles(
        4,
        (at) => [`dup_${word(at)}.ts`, `export const rows_${word(at)} = { a: 1, a: 2 };\n`],
      ),
    }),
    command: "deno lint --no-config",
    reruns: [{
      edit: "sed -i 's/, a: 2//' dup_audit.ts",
      gone: [/dup_audit\.ts|no-dupe-keys/],
      left: [/no-dupe-keys/],
      count:
        /\b1 (?:of \d+ )?(?:\w+ )?gone|Found 52 problems[^]*Found 51 problems|Found 51 problems[^]*Found 52 problems/,
    }],
  },

  {
    name: "vitest-two-of-five-left",
    tools: "Vitest",
    files: () => ({
      "package.json": '{"type":"module"}',
      ...specs(24, [1, 6, 11, 16, 21], 'import { describe, expect, it } from "vitest";'),
    }),
    command: `${LINK_TOOLS.replace(";", " 2>/dev/null;")} vitest run --reporter=verbose --color`,
    reruns: [{
      edit: fixSpecs(1, 11, 21),
      gone: [spec(1), spec(11), spec(21)],
      left: [spec(6), spec(16)],
      count: counts(2, 5, "5 failed", "2 failed"),
    }],
  },
  {
    name: "vitest-two-of-six-left",
    tools: "Vitest",
    files: () => ({
      "package.json": '{"type":"module"}',
      ...specs(26, [0, 5, 10, 15, 20, 25], 'import { describe, expect, it } from "vitest";'),
    }),
    command: `${LINK_TOOLS.replace(";", " 2>/dev/null;")} vitest run`,
    reruns: [
      {
        edit: fixSpecs(0, 10, 15, 25),
        gone: [spec(0), spec(10), spec(15), spec(25)],
        left: [spec(5), spec(20)],
        count: counts(2, 6, "6 failed", "2 failed"),
      },
      { edit: "true", left: [spec(5), spec(20)], count: NOTHING_ELSE },
    ],
  },
  {
    name: "jest-two-of-three-fixed-one-new",
    tools: "Jest",
    files: () => ({ "package.json": "{}", ...specs(24, [2, 10, 18], "") }),
    command: "jest --maxWorkers=2 --no-cache --colors",
    reruns: [{
      edit: `${fixSpecs(2, 18)}; sed -i 's/toBe(8)/toBe(913)/' test/${word(5)}.test.js`,
      gone: [spec(2), spec(18)],
      fresh: [spec(5)],
      left: [spec(10)],
      count: counts(1, 3),
    }],
  },
  {
    name: "jest-two-of-five-left-with-diffs",
    tools: "Jest",
    files: () => ({
      "package.json": "{}",
      ...numberedFiles(20, (number) => [
        `test/${word(number)}.test.js`,
        `describe("${word(number)}", () => {\n${
          numbered(8, (at) =>
            `  it("lists ${word(at)}", () => { console.log("${word(number)} ${
              word(at)
            }"); expect({ rows: [${at}, 2], of: "${word(number)}" }).toEqual({ rows: [${at}, ${
              at === 3 && number % 4 === 2 ? 7 : 2
            }], of: "${word(number)}" }); });`)
        }\n});\n`,
      ]),
    }),
    command: "jest --maxWorkers=2",
    reruns: [{
      edit: `for n in ${
        [2, 10, 18].map(word).join(" ")
      }; do sed -i 's/\\[3, 7\\]/[3, 2]/' test/$n.test.js; done`,
      gone: [2, 10, 18].map((at) => new RegExp(`FAIL .*${word(at)}|${word(at)} › lists basket`)),
      left: [6, 14].map((at) => new RegExp(`FAIL .*${word(at)}|${word(at)} › lists basket`)),
      count: counts(2, 5, "5 failed", "2 failed"),
    }],
  },
  {
    name: "mocha-two-of-four-fixed",
    tools: "Mocha",
    files: () =>
      specs(
        28,
        [3, 10, 17, 24],
        "const expect = (a) => ({ toBe: (b) => require('node:assert').strictEqual(a, b) });",
      ),
    command: "mocha --color test",
    reruns: [{
      edit: fixSpecs(3, 17),
      gone: [/8 !== 911|basket/, /8 !== 925|customer/],
      left: [/8 !== 918|catalog/, /8 !== 932|document/],
      count: counts(2, 4, "4 failing", "2 failing"),
    }],
  },
  {
    name: "mocha-two-of-five-left",
    tools: "Mocha",
    files: () =>
      specs(
        28,
        [0, 6, 12, 18, 22],
        "const expect = (a) => ({ toBe: (b) => require('node:assert').strictEqual(a, b) });",
      ),
    command: "mocha --reporter spec test",
    reruns: [{
      edit: fixSpecs(6, 12, 22),
      gone: [/8 !== 914|branch/, /8 !== 920|client/, /8 !== 930|discount/],
      left: [/8 !== 908|account/, /8 !== 926|dealer/],
      count: counts(2, 5, "5 failing", "2 failing"),
    }],
  },
  {
    name: "eslint-rule-on-fewer-lines",
    tools: "ESLint",
    files: () => ({ [ESLINT]: ESLINT_FEW, ...untidyScripts(40, [12]) }),
    command: "eslint src",
    reruns: [{
      edit: `sed -i 's/first == 2/first === 2/' src/${word(7)}.js src/${word(8)}.js`,
      gone: [/budget\.js/, /cache\.js/],
      left: [/'total' is not defined/],
      count: counts(159, 161, "161 problems", "159 problems"),
    }],
  },
  {
    name: "node-test-tap-two-of-four-left",
    tools: "node --test",
    files: () => nodeTests(22, [2, 8, 14, 20]),
    command: "node --test --test-reporter=tap test/*.test.js",
    reruns: [{
      edit: fixNodeTests(8, 14),
      gone: [/cache keeps batch/, /coupon keeps batch/],
      left: [/audit keeps batch/, /deposit keeps batch|device keeps batch/],
      count: counts(2, 4, "# fail 4", "# fail 2"),
    }],
  },
  {
    name: "prettier-two-fixed",
    tools: "Prettier",
    files: () => ({
      ...numberedFiles(90, (at) => [`src/${word(at)}.js`, "const a = {b:1,\nc:2}\n"]),
      ...numberedFiles(3, (at) => [`src/wrong_${word(at)}.js`, `const a = [${at};\n`]),
    }),
    command: "prettier --check src",
    reruns: [{
      edit: "for n in account audit; do echo 'const a = 1;' >src/wrong_$n.js; done",
      gone: [/src\/wrong_account\.js/, /src\/wrong_audit\.js/],
      left: [/src\/wrong_address\.js/],
      count: counts(1, 3),
    }],
  },
];
