/** TypeScript and linters for Node. */

import { LINK_TOOLS, manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

export const NODE_CHECK_CASES: readonly WrittenCase[] = [
  {
    name: "tsc-one-type-error-among-unused",
    facts: [
      "src/price.ts(3,30): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ],
    files: () => ({
      "tsconfig.json":
        `{ "compilerOptions": { "strict": true, "noUnusedLocals": true, "noUnusedParameters": true, "noEmit": true, "target": "es2022", "types": [] }, "include": ["src"] }\n`,
      ...manyFiles(70, "src/*.ts", () =>
        repeat(
          4,
          (part) =>
            `export function ${part}(first: number, second: number): number {\n  const spare = 1;\n  return first;\n}\n`,
        )),
      "src/price.ts":
        `export const rounded = (cents: number) => Math.round(cents);\n\nexport const price = rounded("12.50");\n`,
    }),
    command: `tsc -p .`,
  },
  {
    name: "tsc-pretty-one-missing-property",
    facts: ["Property 'currency' is missing in type", "src/offer.ts:6:"],
    files: () => ({
      "tsconfig.json":
        `{ "compilerOptions": { "strict": true, "noUnusedParameters": true, "noEmit": true, "target": "es2022", "types": [] }, "include": ["src"] }\n`,
      ...manyFiles(70, "src/*.ts", () =>
        repeat(
          2,
          (part) => `export function ${part}(first: number, second: number): number {\n  return first;\n}\n`,
        )),
      "src/offer.ts":
        `export interface Price {\n  cents: number;\n  currency: string;\n}\n\nexport const offer: Price = { cents: 1250 };\n`,
    }),
    command: `tsc -p . --pretty`,
  },
  {
    name: "eslint-one-error-among-warnings",
    facts: ["'shipmnet' is not defined", "no-undef", "src/loan.js"],
    files: () => ({
      "eslint.config.js":
        `module.exports = [{ languageOptions: { sourceType: "commonjs", globals: { exports: "writable", console: "readonly" } }, ` +
        `rules: { "no-unused-vars": "warn", "no-console": "warn", "prefer-const": "warn", "no-undef": "error" } }];\n`,
      ...manyFiles(80, "src/*.js", (name) =>
        repeat(
          3,
          (part) =>
            `exports.${part} = (first, second) => {\n  let spare = 1;\n  console.log(first, spare);\n};`,
        ) +
        (name === "loan" ? "\nexports.ship = (shipment) => shipmnet;\n" : "\n")),
    }),
    command: `${LINK_TOOLS} eslint --color src`,
  },
  {
    name: "biome-one-error-among-warnings",
    facts: ["src/ledger.js:2:", "This variable is used before"],
    files: () => ({
      "biome.json":
        `{ "linter": { "rules": { "recommended": true, "correctness": { "noInvalidUseBeforeDeclaration": "error" }, "style": { "useConst": "warn" } } }, "formatter": { "enabled": false } }\n`,
      ...manyFiles(70, "src/*.js", () => `export function f(a) {\n  let b = a;\n  return b;\n}\n`),
      "src/ledger.js":
        `export function post() {\n  const entry = cents + 1;\n  const cents = 250;\n  return entry + cents;\n}\n`,
    }),
    command: `biome lint --colors=force --max-diagnostics=none src`,
  },
  {
    name: "prettier-syntax-error-among-warnings",
    facts: ["[error] src/parcel_broken.js: SyntaxError", "(2:"],
    files: () => ({
      ...manyFiles(400, (name, number) => `src/${name}_${number}.js`, () => `const a   = 1\n`),
      "src/parcel_broken.js": `const a = 1;\nconst = 3;\n`,
    }),
    command: `FORCE_COLOR=1 prettier --check src`,
  },
];
