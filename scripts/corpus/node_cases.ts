/** npm, test runners, TypeScript, linters and bundlers for Node. @module */

import { type CorpusCase, manyFiles, repeat, word } from "./corpus_case.ts";

const LIBRARY =
  `exports.total = (lines) => lines.reduce((sum, { cents, count }) => sum + cents * count, 0);\n`;
const LINK = "ln -s $TOOLS/npm/node_modules node_modules;";

/** A test file in the style that jest, vitest and mocha share; the test at `wrongAt` fails. */
function testFile(
  number: number,
  count: number,
  expects: (got: string, want: number) => string,
  wrongAt = -1,
): string {
  return `describe("${word(number)}", () => {\n` +
    repeat(
      count,
      (at) =>
        at === wrongAt
          ? `  it("gives a discount from 40 pieces", () => {\n    ${
            expects("total([{ cents: 1250, count: 40 }])", 47500)
          }\n  });`
          : `  it("adds ${word(at)} to the ${word(number)}", () => {\n    ${
            expects(`total([{ cents: ${at}, count: 2 }])`, at * 2)
          }\n  });`,
    ) +
    `\n});\n`;
}

const jestExpects = (got: string, want: number) => `expect(${got}).toBe(${want});`;
const assertEquals = (got: string, want: number) => `assert.strictEqual(${got}, ${want});`;

export const NODE_CASES: readonly CorpusCase[] = [
  {
    name: "jest-one-failure-then-coverage",
    tools: "jest",
    place: "start",
    facts: [
      "● freight › gives a discount from 40 pieces",
      "Expected: 47500",
      "Received: 50000",
      "tests/freight.test.js:17:49",
    ],
    files: () => ({
      "package.json": `{ "name": "shop", "jest": { "verbose": true } }\n`,
      "total.js": LIBRARY,
      ...manyFiles(
        40,
        (
          number,
        ) => [
          `lib/${word(number)}.js`,
          `exports.${word(number)} = (value) => {\n  if (value > 3) return 1;\n  return 0;\n};\n`,
        ],
      ),
      ...manyFiles(40, (number) => [
        `tests/${word(number)}.test.js`,
        `const { total } = require("../total");\nrequire("../lib/${word(number)}");\n` +
        testFile(number, 10, jestExpects, word(number) === "freight" ? 4 : -1),
      ]),
    }),
    command: `${LINK} FORCE_COLOR=1 jest --coverage --coverageDirectory=/tmp/jest-coverage --no-cache -w 2`,
  },
  {
    name: "jest-passes",
    tools: "jest",
    place: "none",
    facts: ["400 passed, 400 total"],
    files: () => ({
      "package.json": `{ "name": "shop", "jest": { "verbose": true } }\n`,
      "total.js": LIBRARY,
      ...manyFiles(20, (number) => [
        `tests/${word(number)}.test.js`,
        `const { total } = require("../total");\n` + testFile(number, 20, jestExpects),
      ]),
    }),
    command: `${LINK} jest --no-cache -w 2`,
  },
  {
    name: "vitest-one-failure-coloured",
    tools: "vitest",
    place: "end",
    facts: ["AssertionError: expected 50000 to be 47500", "tests/label.test.js:17:49"],
    files: () => ({
      "package.json": `{ "name": "shop", "type": "module" }\n`,
      "total.js": LIBRARY.replace("exports.total", "export const total"),
      ...manyFiles(25, (number) => [
        `tests/${word(number)}.test.js`,
        `import { describe, expect, it } from "vitest";\nimport { total } from "../total.js";\n` +
        testFile(number, 12, jestExpects, word(number) === "label" ? 4 : -1),
      ]),
      "tests/label.test.js":
        `import { describe, expect, it } from "vitest";\nimport { total } from "../total.js";\n` +
        testFile(50, 12, jestExpects, 4),
    }),
    command: `${LINK} FORCE_COLOR=1 vitest run --reporter=verbose --maxWorkers=2`,
  },
  {
    name: "mocha-one-failure-among-900",
    tools: "mocha",
    place: "end",
    facts: ["gives a discount from 40 pieces:", "AssertionError [ERR_ASSERTION]", "test/basket.js:"],
    files: () => ({
      "total.js": LIBRARY,
      ...manyFiles(45, (number) => [
        `test/${word(number)}.js`,
        `const assert = require("node:assert");\nconst { total } = require("../total");\n` +
        testFile(number, 20, assertEquals, word(number) === "basket" ? 7 : -1),
      ]),
    }),
    command: `${LINK} mocha --color`,
  },
  {
    name: "node-test-tap-one-failure",
    tools: "node --test",
    place: "middle",
    facts: ["not ok", "gives a discount from 40 pieces", "50000 !== 47500"],
    files: () => ({
      "total.js": LIBRARY,
      ...manyFiles(20, (number) => [
        `test/${word(number)}.test.js`,
        `const { describe, it } = require("node:test");\nconst assert = require("node:assert");\nconst { total } = require("../total");\n` +
        testFile(number, 12, assertEquals, word(number) === "coupon" ? 7 : -1),
      ]),
    }),
    command: `node --test --test-concurrency=2 --test-reporter=tap test/`,
  },
  {
    name: "tsc-one-type-error-among-unused",
    tools: "tsc",
    place: "end",
    facts: [
      "src/price.ts(3,30): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ],
    files: () => ({
      "tsconfig.json":
        `{ "compilerOptions": { "strict": true, "noUnusedLocals": true, "noUnusedParameters": true, "noEmit": true, "target": "es2022", "types": [] }, "include": ["src"] }\n`,
      ...manyFiles(70, (number) => [
        `src/${word(number)}.ts`,
        repeat(
          4,
          (at) =>
            `export function ${
              word(at)
            }(first: number, second: number): number {\n  const spare = 1;\n  return first;\n}\n`,
        ),
      ]),
      "src/price.ts":
        `export const rounded = (cents: number) => Math.round(cents);\n\nexport const price = rounded("12.50");\n`,
    }),
    command: `tsc -p .`,
  },
  {
    name: "tsc-pretty-one-missing-property",
    tools: "tsc --pretty",
    place: "middle",
    facts: ["Property 'currency' is missing in type", "src/offer.ts:6:"],
    files: () => ({
      "tsconfig.json":
        `{ "compilerOptions": { "strict": true, "noUnusedParameters": true, "noEmit": true, "target": "es2022", "types": [] }, "include": ["src"] }\n`,
      ...manyFiles(70, (number) => [
        `src/${word(number)}.ts`,
        repeat(
          2,
          (at) =>
            `export function ${word(at)}(first: number, second: number): number {\n  return first;\n}\n`,
        ),
      ]),
      "src/offer.ts":
        `export interface Price {\n  cents: number;\n  currency: string;\n}\n\nexport const offer: Price = { cents: 1250 };\n`,
    }),
    command: `tsc -p . --pretty`,
  },
  {
    name: "eslint-one-error-among-warnings",
    tools: "eslint",
    place: "middle",
    facts: ["'shipmnet' is not defined", "no-undef", "src/loan.js"],
    files: () => ({
      "eslint.config.js":
        `module.exports = [{ languageOptions: { sourceType: "commonjs", globals: { exports: "writable", console: "readonly" } }, ` +
        `rules: { "no-unused-vars": "warn", "no-console": "warn", "prefer-const": "warn", "no-undef": "error" } }];\n`,
      ...manyFiles(80, (number) => [
        `src/${word(number)}.js`,
        repeat(
          3,
          (at) =>
            `exports.${word(at)} = (first, second) => {\n  let spare = 1;\n  console.log(first, spare);\n};`,
        ) +
        (word(number) === "loan" ? "\nexports.ship = (shipment) => shipmnet;\n" : "\n"),
      ]),
    }),
    command: `${LINK} eslint --color src`,
  },
  {
    name: "biome-one-error-among-warnings",
    tools: "biome",
    place: "end",
    facts: ["src/ledger.js:2:", "This variable is used before"],
    files: () => ({
      "biome.json":
        `{ "linter": { "rules": { "recommended": true, "correctness": { "noInvalidUseBeforeDeclaration": "error" }, "style": { "useConst": "warn" } } }, "formatter": { "enabled": false } }\n`,
      ...manyFiles(
        70,
        (number) => [`src/${word(number)}.js`, `export function f(a) {\n  let b = a;\n  return b;\n}\n`],
      ),
      "src/ledger.js":
        `export function post() {\n  const entry = cents + 1;\n  const cents = 250;\n  return entry + cents;\n}\n`,
    }),
    command: `biome lint --colors=force --max-diagnostics=none src`,
  },
  {
    name: "prettier-syntax-error-among-warnings",
    tools: "prettier",
    place: "middle",
    facts: ["[error] src/parcel_broken.js: SyntaxError", "(2:"],
    files: () => ({
      ...manyFiles(400, (number) => [`src/${word(number)}_${number}.js`, `const a   = 1\n`]),
      "src/parcel_broken.js": `const a = 1;\nconst = 3;\n`,
    }),
    command: `FORCE_COLOR=1 prettier --check src`,
  },
  {
    name: "webpack-one-missing-module-among-warnings",
    tools: "webpack",
    place: "end",
    facts: ["Module not found: Error: Can't resolve './tarif'"],
    files: () => ({
      "webpack.config.js":
        `module.exports = { mode: "development", entry: "./src/main.js", stats: { errorDetails: false, modulesSpace: 999, colors: true } };\n`,
      "src/main.js": repeat(
        60,
        (number) =>
          `import { ${word(number)} } from "./${word(number)}.js"; console.log(${
            word(number)
          }, require("./" + process.argv[${number}]));`,
      ) +
        `\nimport "./tarif";\n`,
      ...manyFiles(
        60,
        (
          number,
        ) => [
          `src/${word(number)}.js`,
          `export const other = require(process.env.${word(number).toUpperCase()});\n`,
        ],
      ),
    }),
    command: `${LINK} webpack`,
  },
  {
    name: "vite-build-missing-export",
    tools: "vite",
    place: "end",
    facts: ['"roundd" is not exported by'],
    files: () => ({
      "package.json": `{ "name": "shop", "type": "module" }\n`,
      "index.html": `<!doctype html><script type="module" src="/src/main.js"></script>\n`,
      "src/main.js": `import { roundd } from "./round.js";\n` +
        repeat(
          150,
          (number) =>
            `import { value as ${word(number)}_ } from "./${word(number)}.js";\nconsole.log(${
              word(number)
            }_);`,
        ) +
        `\nconsole.log(roundd(2));\n`,
      "src/round.js": `export const round = (value) => Math.round(value);\n`,
      ...manyFiles(150, (number) => [`src/${word(number)}.js`, `export const value = eval("${number}");\n`]),
    }),
    command: `${LINK} FORCE_COLOR=1 vite build`,
  },
  {
    name: "vite-build-succeeds",
    tools: "vite",
    place: "none",
    facts: ["built in"],
    files: () => ({
      "package.json": `{ "name": "shop", "type": "module" }\n`,
      "index.html": `<!doctype html><script type="module" src="/src/main.js"></script>\n`,
      "src/main.js": repeat(200, (number) => `import("./${word(number)}.js").then(console.log);`) + "\n",
      ...manyFiles(200, (number) => [`src/${word(number)}.js`, `export const value = ${number};\n`]),
    }),
    command: `${LINK} FORCE_COLOR=1 vite build`,
  },
  {
    name: "pino-json-one-error",
    tools: "a Node program with pino",
    place: "middle",
    facts: ["warehouse rejected pallet", "weight over limit by 41 kg"],
    files: () => ({
      "serve.js": `const log = require("pino")();
for (let request = 0; request < 7000; request++) {
  log.info({ request, route: "/pallets/" + request % 300, ms: request % 41, status: 200 }, "request completed");
  if (request === 4444) {
    log.error({ request, err: new Error("weight over limit by 41 kg") }, "warehouse rejected pallet");
  }
}
`,
    }),
    command: `node serve.js`,
  },
  {
    name: "node-error-cause-among-log-lines",
    tools: "a Node program",
    place: "middle",
    facts: [
      "Error: cannot close the books for 2026-02",
      "[cause]: RangeError: posting 771 is dated 2026-03-01",
      "close.js:9",
    ],
    files: () => ({
      "close.js": `function check(posting) {
  console.log("checked posting %d of account %d, balance %d", posting, (posting * 7919) % 1000, posting * 3);
  if (posting === 771) return false;
  return true;
}

function close(posting) {
  try {
    if (!check(posting)) throw new RangeError("posting " + posting + " is dated 2026-03-01");
  } catch (cause) {
    throw new Error("cannot close the books for 2026-02", { cause });
  }
}

for (let posting = 0; posting < 1800; posting++) {
  try {
    close(posting);
  } catch (thrown) {
    console.error(thrown);
  }
}
`,
    }),
    command: `node close.js`,
  },
  {
    name: "minified-bundle-throws",
    tools: "esbuild, node",
    place: "end",
    facts: ["TypeError: Cannot read properties of undefined (reading 'cents')"],
    files: () => ({
      "main.js": `import { sumOfLines } from "./sum_of_lines.js";\n` +
        repeat(
          110,
          (number) =>
            `import { ${word(number)} } from "./${
              word(number)
            }.js";\nglobalThis.seen = (globalThis.seen ?? 0) + ${word(number)}({});`,
        ) +
        `\nsumOfLines({});\n`,
      ...manyFiles(
        110,
        (number) => [
          `${word(number)}.js`,
          `export function ${word(number)}(order) {\n` +
          repeat(
            8,
            (at) =>
              `  if (order["${word(at)}-of-${word(number)}"] === "${word(at)} not for ${
                word(number)
              }") return ${at};`,
          ) + `\n  return 0;\n}\n`,
        ],
      ),
      "sum_of_lines.js": `export function sumOfLines(order) {\n  return order.lines.cents;\n}\n`,
    }),
    command: `esbuild main.js --bundle --minify --log-level=error --outfile=bundle.js; node bundle.js`,
  },
  {
    name: "npm-install-conflict-verbose",
    tools: "npm install",
    place: "middle",
    facts: ["ERESOLVE unable to resolve dependency tree", "from eslint-config-airbnb@19.0.4"],
    files: () => ({
      "package.json":
        `{ "name": "shop", "dependencies": { "eslint": "9.39.1", "eslint-config-airbnb": "19.0.4", "express": "4.21.2", "mocha": "11.7.4", "jest": "29", "webpack": "5", "vite": "6", "prettier": "3", "typescript": "5.6", "chalk": "4", "pino": "9", "commander": "12", "lodash": "4", "axios": "1", "react": "18", "react-dom": "18", "debug": "4", "semver": "7", "glob": "10", "rimraf": "5", "yargs": "17", "uuid": "9", "dotenv": "16", "zod": "3", "ws": "8", "rxjs": "7", "tslib": "2", "esbuild": "0.24", "rollup": "4", "postcss": "8", "cors": "2", "helmet": "7", "morgan": "1", "nodemon": "3", "sharp": "0.33", "redis": "4", "pg": "8", "knex": "3" } }\n`,
    }),
    command: `npm install --loglevel silly --cache ./cache`,
  },
  {
    name: "npm-ls-all-one-invalid",
    tools: "npm ls",
    place: "middle",
    facts: ['invalid: "^9.0.0" from the root project'],
    files: () => ({
      "package.json":
        `{ "name": "shop", "dependencies": { "typescript": "*", "jest": "*", "eslint": "*", "mocha": "*", "express": "*", "chalk": "*", "pino": "*", "ms": "^9.0.0", "webpack": "*", "vite": "*" } }\n`,
    }),
    command: `${LINK} npm ls --all`,
  },
  {
    name: "npm-ls-json-of-tools",
    tools: "npm ls --json",
    place: "none",
    facts: [],
    files: () => ({
      "package.json":
        `{ "name": "shop", "dependencies": { "jest": "*", "eslint": "*", "mocha": "*", "express": "*", "webpack": "*" } }\n`,
    }),
    command: `${LINK} npm ls --all --json`,
  },
];
