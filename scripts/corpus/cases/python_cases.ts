/** Type checkers and linters for Python, pip, and Python programs. */

import { manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

export const PYTHON_CASES: readonly WrittenCase[] = [
  {
    name: "mypy-one-error-among-notes",
    facts: [
      'Argument 1 to "charge" has incompatible type "str"; expected "int"',
      "shop/merchant.py:5: error",
    ],
    files: () => ({
      "shop/__init__.py": "",
      ...manyFiles(90, "shop/*.py", () =>
        repeat(
          3,
          (part) => `def ${part}(first, second):\n    total: int = first + second\n    return total\n`,
        )),
      "shop/merchant.py": `def charge(cents: int) -> int:\n    return cents\n\n\nresult = charge("12.50")\n`,
    }),
    command: "mypy --cache-dir=/dev/null shop",
  },
  {
    name: "ruff-undefined-name-among-unused-imports",
    facts: ["F821 Undefined name `curency`", "shop/payment.py:2:20"],
    files: () => ({
      ...manyFiles(60, "shop/*.py", () => "import os\nimport sys\nimport json\n\n\nVALUE = 1\n"),
      "shop/payment.py": `def pay(cents, currency):\n    return (cents, curency)\n`,
    }),
    command: "FORCE_COLOR=1 ruff check --no-cache --output-format full shop",
  },
  {
    name: "ruff-concise-all-fixable",
    sound: true,
    facts: ["Found 480 errors."],
    files: () => manyFiles(120, "shop/*.py", () => "import os\nimport sys\nimport json\n\n\nVALUE = 1\n"),
    command: "ruff check --no-cache --output-format concise shop",
  },
  {
    name: "flake8-syntax-error-among-long-lines",
    facts: ["shop/limit.py:3:", "E999 SyntaxError"],
    files: () => ({
      ...manyFiles(80, "shop/*.py", (name) =>
        repeat(
          12,
          (part) =>
            `${part.toUpperCase()} = "a text about the ${name} and the ${part} that is far longer than lines may be in this code"`,
        ) + "\n"),
      "shop/limit.py": `def limit(value):\n    if value > 3\n        return 3\n    return value\n`.replace(
        "def limit",
        "\ndef limit",
      ),
    }),
    command: "flake8 shop",
  },
  {
    name: "pylint-one-error-among-conventions",
    facts: ["shop/quote.py:10:11: E1101: Instance of 'Quote' has no 'totl' member"],
    files: () => ({
      "shop/__init__.py": "",
      ...manyFiles(
        60,
        "shop/*.py",
        () => repeat(5, (part) => `def ${part}(a, b):\n    x = 1\n    return a\n`),
      ),
      "shop/quote.py":
        `class Quote:\n    def __init__(self):\n        self.total = 1\n\n    def shown(self):\n        return self.total\n\n\ndef show():\n    return Quote().totl\n`,
    }),
    command: "pylint --persistent=n -j1 shop",
  },
  {
    name: "pip-build-failure-among-requirements",
    facts: ["RuntimeError: libledger 2.1 or newer is needed"],
    files: () => {
      const packages = manyFiles(
        60,
        "packages/*/setup.py",
        (called, number) =>
          `from setuptools import setup\n` +
          (called === "event" ? `raise RuntimeError("libledger 2.1 or newer is needed")\n` : "") +
          `setup(name="shop-${called.replaceAll("_", "-")}", version="1.${number}", py_modules=[])\n`,
      );
      return {
        ...packages,
        "install.sh":
          `for package in packages/*; do\n  pip install -v --no-deps --no-build-isolation --no-index --target site "./$package"\ndone\n`,
      };
    },
    command: "python -m venv env >/dev/null; . env/bin/activate; pip install -q setuptools wheel; " +
      "ls packages | sed -n '1,2p;/event/p;60p' >/dev/null; rm -rf packages/[f-z]*; sh install.sh",
  },
  {
    name: "black-cannot-parse-one-file",
    facts: ["error: cannot parse:", "shop/gateway_broken.py:1:11"],
    files: () => ({
      ...manyFiles(250, (name, number) => `shop/${name}_${number}.py`, () => `x = {  'a':1 }\n`),
      "shop/gateway_broken.py": `def broken(:\n    pass\n`,
    }),
    command: "BLACK_CACHE_DIR=cache black --check --workers 1 shop",
  },
];
