/** pytest, unittest, tox and Django's tests. */

import { manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

const CART = `class Cart:
    def __init__(self):
        self.lines = []

    def add(self, name, cents, count=1):
        self.lines.append((name, cents, count))

    def total(self):
        return sum(cents * count for _, cents, count in self.lines)
`;

/** A file of tests that pass, and one that does not if `wrong`. */
function cartTests(number: number, count: number, wrong = false): string {
  return `from cart import Cart\n\n\n` +
    repeat(
      count,
      (part, at) =>
        `def test_${word(number)}_with_${part}():\n    cart = Cart()\n    cart.add("${part}", ${
          at * 10 + 5
        }, 2)\n    assert cart.total() == ${(at * 10 + 5) * 2}\n\n`,
    ) +
    (wrong
      ? `\ndef test_bulk_discount():\n    cart = Cart()\n    cart.add("pallet", 1250, 40)\n    assert cart.total() == 47500\n`
      : "");
}

function cartProject(fileCount: number, count: number, wrong = ""): Record<string, string> {
  return {
    "cart.py": CART,
    "conftest.py": "",
    ...manyFiles(fileCount, "tests/test_*.py", (name, number) => cartTests(number, count, name === wrong)),
  };
}

export const PYTHON_TEST_CASES: readonly WrittenCase[] = [
  {
    name: "pytest-one-failure-then-coverage",
    facts: ["E       assert 50000 == 47500", "tests/test_freight.py:127: AssertionError"],
    files: () => ({
      ...cartProject(40, 20, "freight"),
      ...manyFiles(
        60,
        "shop/*.py",
        (name) => `def ${name}(value):\n    if value > 3:\n        return value\n    return 0\n`,
      ),
      "shop/__init__.py": repeat(60, (part) => `from . import ${part}`) + "\n",
      "tests/test_all.py": "import shop\n\ndef test_imported():\n    assert shop.account\n",
    }),
    command:
      "python -m pytest -p no:cacheprovider -v --color=yes --cov=shop --cov=cart --cov-report=term-missing",
  },
  {
    name: "pytest-passes-verbosely",
    sound: true,
    facts: ["800 passed"],
    files: () => cartProject(40, 20),
    command: "python -m pytest -p no:cacheprovider -v",
  },
  {
    name: "unittest-one-failure-then-log-lines",
    facts: ["FAIL: test_refund_is_negative", "AssertionError: 1200 != -1200"],
    files: () => ({
      "test_shop.py": `import atexit\nimport sys\nimport unittest\n\n\nclass Orders(unittest.TestCase):\n` +
        repeat(
          300,
          (part, at) => `    def test_${part}_${at}(self):\n        self.assertEqual(${at} * 2, ${at * 2})\n`,
        ) +
        `    def test_refund_is_negative(self):\n        self.assertEqual(1200, -1200)\n\n\ndef close():\n` +
        `    for at in range(300):\n        print(f"closing connection {at}: 0 pending, 12 sent", file=sys.stderr)\n\n\natexit.register(close)\n`,
    }),
    command: "python -m unittest -v",
  },
];
