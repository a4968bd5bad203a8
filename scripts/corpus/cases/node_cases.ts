/** npm, bundlers, and Node programs. */

import { LINK_TOOLS, manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

export const NODE_CASES: readonly WrittenCase[] = [
  {
    name: "webpack-one-missing-module-among-warnings",
    facts: ["Module not found: Error: Can't resolve './tarif'"],
    files: () => ({
      "webpack.config.js":
        `module.exports = { mode: "development", entry: "./src/main.js", stats: { errorDetails: false, modulesSpace: 999, colors: true } };\n`,
      "src/main.js": repeat(
        60,
        (part, number) =>
          `import { ${part} } from "./${part}.js"; console.log(${part}, require("./" + process.argv[${number}]));`,
      ) +
        `\nimport "./tarif";\n`,
      ...manyFiles(
        60,
        "src/*.js",
        (name) => `export const other = require(process.env.${name.toUpperCase()});\n`,
      ),
    }),
    command: `${LINK_TOOLS} webpack`,
  },
  {
    name: "esbuild-missing-export-among-warnings",
    facts: ['No matching export in "src/round.js" for import "roundd"', "src/loan.js:1:9:"],
    files: () => ({
      "src/main.js": repeat(90, (part) => `import "./${part}.js";`) + "\n",
      "src/round.js": `export const round = (value) => Math.round(value);\n`,
      ...manyFiles(
        90,
        "src/*.js",
        (name) =>
          (name === "loan" ? `import { roundd } from "./round.js";\nconsole.log(roundd(2));\n` : "") +
          `export const ${name} = (value) => value === -0 || typeof value === "nul" || value === {};\n`,
      ),
    }),
    command: `esbuild src/main.js --bundle --color=true --log-limit=0 --outfile=out.js`,
  },
  {
    name: "vite-build-succeeds",
    sound: true,
    facts: ["built in"],
    files: () => ({
      "package.json": `{ "name": "shop", "type": "module" }\n`,
      "index.html": `<!doctype html><script type="module" src="/src/main.js"></script>\n`,
      "src/main.js": repeat(200, (part) => `import("./${part}.js").then(console.log);`) + "\n",
      ...manyFiles(200, "src/*.js", (_, number) => `export const value = ${number};\n`),
    }),
    command: `${LINK_TOOLS} FORCE_COLOR=1 vite build`,
  },
  {
    name: "minified-bundle-throws",
    facts: ["TypeError: Cannot read properties of undefined (reading 'cents')"],
    files: () => ({
      "main.js": `import { sumOfLines } from "./sum_of_lines.js";\n` +
        repeat(
          110,
          (part) =>
            `import { ${part} } from "./${part}.js";\nglobalThis.seen = (globalThis.seen ?? 0) + ${part}({});`,
        ) +
        `\nsumOfLines({});\n`,
      ...manyFiles(110, "*.js", (name) =>
        `export function ${name}(order) {\n` +
        repeat(
          8,
          (part, at) => `  if (order["${part}-of-${name}"] === "${part} not for ${name}") return ${at};`,
        ) + `\n  return 0;\n}\n`),
      "sum_of_lines.js": `export function sumOfLines(order) {\n  return order.lines.cents;\n}\n`,
    }),
    command: `esbuild main.js --bundle --minify --log-level=error --outfile=bundle.js; node bundle.js`,
  },
  {
    name: "npm-install-script-fails",
    facts: ["native/binding.c:3:23: error: ‘LEDGER_VERSION’ undeclared", "npm error code 1"],
    files: () => ({
      "package.json": JSON.stringify({
        name: "shop",
        dependencies: {
          "shop-native": "file:native-package",
          mocha: "8.4.0",
          request: "2.88.2",
          "node-uuid": "1.4.8",
        },
      }),
      "native-package/package.json": JSON.stringify({
        name: "shop-native",
        version: "1.0.0",
        scripts: { install: "sh build.sh" },
      }),
      "native-package/build.sh": repeat(
        40,
        (part) => `gcc -v -Wall -Wextra -c -o /dev/null native/${part}.c`,
      ) + `\ngcc -Wall -c -o binding.o native/binding.c || exit 1\n`,
      ...manyFiles(
        40,
        "native-package/native/*.c",
        (name) => `int ${name}(int unused) { int left; return 0; }\n`,
      ),
      "native-package/native/binding.c": `int version(void)\n{\n    return 100 + 10 * LEDGER_VERSION;\n}\n`,
    }),
    command: `npm install --loglevel http --foreground-scripts --cache ./cache`,
  },
];
