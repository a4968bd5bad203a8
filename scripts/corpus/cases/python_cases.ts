/** Type checkers and linters for Python, pip, and Python programs. */

import { type CorpusCase, manyFiles, repeat, word } from "../corpus_case.ts";

export const PYTHON_CASES: readonly CorpusCase[] = [
  {
    name: "mypy-one-error-among-notes",
    tools: "mypy",
    place: "middle",
    facts: [
      'Argument 1 to "charge" has incompatible type "str"; expected "int"',
      "shop/merchant.py:5: error",
    ],
    files: () => ({
      "shop/__init__.py": "",
      ...manyFiles(90, (number) => [
        `shop/${word(number)}.py`,
        repeat(
          3,
          (at) => `def ${word(at)}(first, second):\n    total: int = first + second\n    return total\n`,
        ),
      ]),
      "shop/merchant.py": `def charge(cents: int) -> int:\n    return cents\n\n\nresult = charge("12.50")\n`,
    }),
    command: "mypy --cache-dir=/dev/null shop",
  },
  {
    name: "ruff-undefined-name-among-unused-imports",
    tools: "ruff",
    place: "end",
    facts: ["F821 Undefined name `curency`", "shop/payment.py:2:20"],
    files: () => ({
      ...manyFiles(
        60,
        (number) => [`shop/${word(number)}.py`, "import os\nimport sys\nimport json\n\n\nVALUE = 1\n"],
      ),
      "shop/payment.py": `def pay(cents, currency):\n    return (cents, curency)\n`,
    }),
    command: "FORCE_COLOR=1 ruff check --no-cache --output-format full shop",
  },
  {
    name: "ruff-concise-all-fixable",
    tools: "ruff",
    place: "none",
    facts: ["Found 480 errors."],
    files: () =>
      manyFiles(
        120,
        (number) => [`shop/${word(number)}.py`, "import os\nimport sys\nimport json\n\n\nVALUE = 1\n"],
      ),
    command: "ruff check --no-cache --output-format concise shop",
  },
  {
    name: "flake8-syntax-error-among-long-lines",
    tools: "flake8",
    place: "middle",
    facts: ["shop/limit.py:3:", "E999 SyntaxError"],
    files: () => ({
      ...manyFiles(80, (number) => [
        `shop/${word(number)}.py`,
        repeat(
          12,
          (at) =>
            `${word(at).toUpperCase()} = "a text about the ${word(number)} and the ${
              word(at)
            } that is far longer than lines may be in this code"`,
        ) + "\n",
      ]),
      "shop/limit.py": `def limit(value):\n    if value > 3\n        return 3\n    return value\n`.replace(
        "def limit",
        "\ndef limit",
      ),
    }),
    command: "flake8 shop",
  },
  {
    name: "pylint-one-error-among-conventions",
    tools: "pylint",
    place: "start",
    facts: ["shop/quote.py:10:11: E1101: Instance of 'Quote' has no 'totl' member"],
    files: () => ({
      "shop/__init__.py": "",
      ...manyFiles(60, (number) => [
        `shop/${word(number)}.py`,
        repeat(5, (at) => `def ${word(at)}(a, b):\n    x = 1\n    return a\n`),
      ]),
      "shop/quote.py":
        `class Quote:\n    def __init__(self):\n        self.total = 1\n\n    def shown(self):\n        return self.total\n\n\ndef show():\n    return Quote().totl\n`,
    }),
    command: "pylint --persistent=n -j1 shop",
  },
  {
    name: "python-chained-traceback-among-log-lines",
    tools: "a Python program with logging",
    place: "middle",
    facts: [
      "KeyError: 'carrier_code'",
      "RuntimeError: cannot ship order 613",
      'ship.py", line 11, in carrier',
    ],
    files: () => ({
      "ship.py": `import logging
import sys

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr,
                    format="%(asctime)s %(levelname)-7s %(name)s %(message)s")
log = logging.getLogger("ship")


def carrier(order):
    table = {"DE": "dhl"} if order == 613 else {"carrier_code": "dhl"}
    return table["carrier_code"]


def ship(order):
    try:
        return carrier(order)
    except KeyError as missing:
        raise RuntimeError(f"cannot ship order {order}") from missing


for order in range(1500):
    log.debug("order %d picked from shelf %d by worker %d", order, order % 80, order % 9)
    try:
        log.info("order %d goes with %s", order, ship(order))
    except RuntimeError:
        log.exception("order %d stays", order)
`,
    }),
    command: "python3 ship.py",
  },
  {
    name: "structlog-json-one-error",
    tools: "a Python program with structlog",
    place: "middle",
    facts: ["ledger_mismatch", '"difference": -350'],
    files: () => ({
      "post.py": `import structlog

structlog.configure(processors=[structlog.processors.add_log_level,
                                structlog.processors.TimeStamper(fmt="iso"),
                                structlog.processors.JSONRenderer()])
log = structlog.get_logger()
for entry in range(9000):
    log.info("entry_posted", entry=entry, account=entry * 7919 % 10000, cents=entry % 977, batch=entry // 100)
    if entry == 5210:
        log.error("ledger_mismatch", entry=entry, difference=-350)
`,
    }),
    command: "python3 post.py",
  },
  {
    name: "structlog-console-coloured-one-error",
    tools: "a Python program with structlog",
    place: "middle",
    facts: ["stock_below_zero", "sku=PK-0417"],
    files: () => ({
      "stock.py": `import structlog

structlog.configure(processors=[structlog.processors.add_log_level,
                                structlog.processors.TimeStamper(fmt="%H:%M:%S"),
                                structlog.dev.ConsoleRenderer(colors=True, force_colors=True)])
log = structlog.get_logger()
for entry in range(1500):
    log.info("stock_counted", shelf=entry % 90, pieces=entry * 31 % 400, counter="ada")
    if entry % 40 == 0:
        log.warning("count_is_late", shelf=entry % 90, hours=entry % 30)
    if entry == 417:
        log.error("stock_below_zero", sku=f"PK-{entry:04}", pieces=-12)
`,
    }),
    command: "python3 stock.py",
  },
  {
    name: "pip-build-failure-among-requirements",
    tools: "pip",
    place: "end",
    facts: ["RuntimeError: libledger 2.1 or newer is needed"],
    files: () => {
      const packages = manyFiles(60, (number) => [
        `packages/${word(number)}/setup.py`,
        `from setuptools import setup\n` +
        (word(number) === "event" ? `raise RuntimeError("libledger 2.1 or newer is needed")\n` : "") +
        `setup(name="shop-${word(number).replaceAll("_", "-")}", version="1.${number}", py_modules=[])\n`,
      ]);
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
    name: "progress-bars-then-error-then-bars",
    tools: "a Python program with tqdm",
    place: "middle",
    facts: ["OSError: [Errno 28] No space left on device"],
    files: () => ({
      "fetch.py": `import time
import traceback
from tqdm import tqdm

for part in range(12):
    for step in tqdm(range(60), desc=f"part-{part:02}.tar", mininterval=0, ascii=True, unit="MB"):
        if part == 6 and step == 31:
            try:
                with open("/dev/full", "w") as full:
                    full.write("x" * 100000)
            except OSError:
                traceback.print_exc()
`,
    }),
    command: "python3 fetch.py",
  },
  {
    name: "black-cannot-parse-one-file",
    tools: "black",
    place: "middle",
    facts: ["error: cannot parse:", "shop/gateway_broken.py:1:11"],
    files: () => ({
      ...manyFiles(250, (number) => [`shop/${word(number)}_${number}.py`, `x = {  'a':1 }\n`]),
      "shop/gateway_broken.py": `def broken(:\n    pass\n`,
    }),
    command: "BLACK_CACHE_DIR=cache black --check --workers 1 shop",
  },
  {
    name: "rich-traceback-with-locals",
    tools: "a Python program with rich",
    place: "end",
    facts: ["ZeroDivisionError: float division by zero"],
    files: () => ({
      "rates.py": `from rich.traceback import install
from rich.console import Console

install(show_locals=True, width=100, max_frames=60)
console = Console(force_terminal=True, width=100)
RATES = {name: index * 1.25 for index, name in enumerate(["eur", "usd", "chf", "gbp", "jpy", "sek"])}


def nested(depth, rates):
    note = "rate table at depth %d" % depth
    if depth == 0:
        return rates["usd"] / (rates["eur"] * 3)
    return nested(depth - 1, dict(rates))


console.print("[bold green]loading rates[/]")
nested(14, RATES)
`,
    }),
    command: "FORCE_COLOR=1 python3 rates.py",
  },
];
