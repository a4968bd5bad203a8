/** Linters of scripts and documents, and tools that set up machines. */

import { LINK_TOOLS, manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

export const OPS_CASES: readonly WrittenCase[] = [
  {
    name: "bandit-one-high-among-low",
    facts: ["Issue: [B602:subprocess_popen_with_shell_equals_true]", "shop/market.py:5"],
    files: () => ({
      ...manyFiles(
        90,
        "shop/*.py",
        (name) =>
          `import random\n\n\ndef ${name}(value):\n    assert value > 0\n    return random.random() * value\n`,
      ),
      "shop/market.py":
        `import subprocess\n\n\ndef market(name):\n    return subprocess.run("ls " + name, shell=True)\n`,
    }),
    command: "bandit -q -r shop",
  },
  {
    name: "shellcheck-one-error-among-notes",
    facts: ["In deploy/loan.sh line 4:", "SC1073"],
    files: () => ({
      ...manyFiles(80, "deploy/*.sh", () => `#!/bin/sh\nname=$1\necho $name\ncd $name\nrm -f \`ls $name\`\n`),
      "deploy/loan.sh":
        `#!/bin/sh\nname=$1\n# Only where the name is given.\nif [ -n "$name" ; then\n  echo "$name"\nfi\n`,
    }),
    command: "shellcheck --color=always deploy/*.sh",
  },
  {
    name: "yamllint-one-syntax-error-among-line-lengths",
    facts: ["syntax error: mapping values are not allowed here", "deploy/loan.yaml"],
    files: () => ({
      ...manyFiles(
        90,
        "deploy/*.yaml",
        (name) => `${name}:   yes\nnote: ${"a line that is longer than lines may be, ".repeat(3)}\n`,
      ),
      "deploy/loan.yaml": `---\nloan: 1\n  rate: 2\n`,
    }),
    command: "yamllint deploy",
  },
  {
    name: "sphinx-build-one-broken-extension",
    facts: ["undefined label: 'installl'", "part_fee.rst:6"],
    files: () => ({
      "conf.py": `project = "shop"\n`,
      "index.rst": `Shop\n====\n\n.. toctree::\n\n` + repeat(80, (part) => `   part_${part}`) +
        "\n",
      ...manyFiles(80, "part_*.rst", (name) =>
        `Part ${name}\n====\n\nSee :file:\`${name}\` and below.\n` +
        (name === "fee" ? "\nSee :ref:`installl`.\n" : "")),
    }),
    command: "sphinx-build -b html --color . out",
  },
  {
    name: "stylelint-one-syntax-error-among-findings",
    facts: ["Unclosed block", "styles/loan.css"],
    files: () => ({
      ".stylelintrc.json": `{ "extends": "stylelint-config-standard" }\n`,
      ...manyFiles(
        80,
        "styles/*.css",
        (name) => `a { COLOR: #FFFFFF; margin: 0px }\n.${name} {color: RED}\n`,
      ),
      "styles/loan.css": `.loan {\n  color: red;\n\n.rate { color: blue; }\n`,
    }),
    command: `${LINK_TOOLS} FORCE_COLOR=1 stylelint "styles/*.css"`,
  },
];
