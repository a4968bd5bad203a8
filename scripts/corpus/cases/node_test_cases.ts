/** Test runners for Node. */

import { LINK_TOOLS, manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

const LIBRARY =
  `exports.total = (lines) => lines.reduce((sum, { cents, count }) => sum + cents * count, 0);\n`;

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
      (part, at) =>
        at === wrongAt
          ? `  it("gives a discount from 40 pieces", () => {\n    ${
            expects("total([{ cents: 1250, count: 40 }])", 47500)
          }\n  });`
          : `  it("adds ${part} to the ${word(number)}", () => {\n    ${
            expects(`total([{ cents: ${at}, count: 2 }])`, at * 2)
          }\n  });`,
    ) +
    `\n});\n`;
}

const jestExpects = (got: string, want: number) => `expect(${got}).toBe(${want});`;
const assertEquals = (got: string, want: number) => `assert.strictEqual(${got}, ${want});`;

export const NODE_TEST_CASES: readonly WrittenCase[] = [
  {
    name: "jest-passes",
    sound: true,
    facts: ["400 passed, 400 total"],
    files: () => ({
      "package.json": `{ "name": "shop", "jest": { "verbose": true } }\n`,
      "total.js": LIBRARY,
      ...manyFiles(
        20,
        "tests/*.test.js",
        (_, number) => `const { total } = require("../total");\n` + testFile(number, 20, jestExpects),
      ),
    }),
    command: `${LINK_TOOLS} jest --no-cache -w 2`,
  },
  {
    name: "mocha-one-failure-among-900",
    facts: ["gives a discount from 40 pieces:", "AssertionError [ERR_ASSERTION]", "test/basket.js:"],
    files: () => ({
      "total.js": LIBRARY,
      ...manyFiles(
        45,
        "test/*.js",
        (name, number) =>
          `const assert = require("node:assert");\nconst { total } = require("../total");\n` +
          testFile(number, 20, assertEquals, name === "basket" ? 7 : -1),
      ),
    }),
    command: `${LINK_TOOLS} mocha --color`,
  },
];
