/** Faults that no word gives away: an odd row, a slow test, a file too large, a step that gave up quietly. */

import { makefileOfC, manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

export const ODD_CASES: readonly WrittenCase[] = [
  {
    name: "prove-timer-one-slow-file",
    facts: ["t/ledger.t "],
    files: () =>
      manyFiles(
        120,
        "t/*.t",
        (name) => `use Test::More;\n` + (name === "ledger" ? "sleep 3;\n" : "") + `ok(1);\ndone_testing();\n`,
      ),
    command: "prove --timer t",
  },
  {
    name: "sql-plan-one-sequential-scan",
    facts: ["SCAN lines_37"],
    files: () => ({
      "plan.sql": repeat(
        150,
        (_, at) =>
          `create table lines_${at} (id integer primary key, account integer, cents integer);` +
          (at === 37 ? "" : ` create index by_account_${at} on lines_${at} (account);`),
      ) +
        "\nexplain query plan\n" +
        repeat(150, (_, at) => `select id from lines_${at} where account = 7`, "\nunion all\n") + ";\n",
    }),
    command: "sqlite3 shop.db <plan.sql",
  },
  {
    name: "du-one-file-of-four-gigabytes",
    facts: ["4.0G\t./loan_address.bin"],
    files: () => manyFiles(700, "*.bin", () => "x\n"),
    command: "truncate -s 4G loan_address.bin; du -ah --apparent-size . | sort -k2",
  },
  {
    name: "three-tests-fail-in-different-files",
    facts: ["assert 50000 == 47500", "assert 'DE' == 'AT'", "KeyError: 'iban'"],
    files: () => ({
      ...manyFiles(
        30,
        "tests/test_*.py",
        () => repeat(25, (part, at) => `def test_${part}():\n    assert ${at} == ${at}\n\n`),
      ),
      "tests/test_budget.py": `def test_bulk_discount():\n    total = 1250 * 40\n    assert total == 47500\n`,
      "tests/test_customer.py":
        `def test_country():\n    customer = {"country": "DE"}\n    assert customer["country"] == "AT"\n`,
      "tests/test_deposit.py":
        `def test_iban():\n    deposit = {"name": "Ada"}\n    assert deposit["iban"].startswith("DE")\n`,
    }),
    command: "python -m pytest -p no:cacheprovider -v",
  },
  {
    name: "three-errors-in-different-files",
    facts: [
      "src/audit.c:3:12: error: ‘entres’ undeclared",
      "src/fee.c:2:5: error: unknown type name ‘moneyy’",
      "src/route.c:3:17: error: expected ‘;’ before ‘}’ token",
    ],
    files: () => ({
      ...manyFiles(
        100,
        "src/*.c",
        (name) =>
          `int ${name}(int first, unsigned second)\n{\n    int left;\n    return first < second;\n}\n`,
      ),
      "src/audit.c": `int audit(int entries)\n{\n    return entres;\n}\n`,
      "src/fee.c": `int fee(int cents)\n{   moneyy paid = cents;\n    return paid;\n}\n`,
      "src/route.c": `int route(int first)\n{\n    return first\n}\n`,
      Makefile: makefileOfC("gcc -Wall -Wextra"),
    }),
    command: "make -k",
  },
  {
    name: "mypy-four-errors-in-one-run",
    facts: [
      "shop/batch.py:3: error: Incompatible return value type",
      'shop/grant.py:2: error: Name "ammount" is not defined',
    ],
    files: () => ({
      "shop/__init__.py": "",
      ...manyFiles(90, "shop/*.py", () =>
        repeat(
          3,
          (part) => `def ${part}(first, second):\n    total: int = first + second\n    return total\n`,
        )),
      "shop/batch.py": `def batch(count: int) -> int:\n    # As text.\n    return str(count)\n`,
      "shop/grant.py": `def grant(amount: int) -> int:\n    return ammount * 2\n`,
    }),
    command: "mypy --cache-dir=/dev/null shop",
  },
  {
    name: "pytest-in-a-terminal-crlf",
    facts: ["ValueError: could not convert string to float: '12,50'", "tests/test_rates.py:2: ValueError"],
    files: () => ({
      ...manyFiles(
        25,
        "tests/test_*.py",
        () => repeat(12, (part, at) => `def test_${part}():\n    assert ${at} == ${at}\n\n`),
      ),
      "tests/test_rates.py":
        `def parsed(text):\n    return float(text)\n\n\ndef test_comma():\n    assert parsed("12,50") == 12.5\n`,
    }),
    command: "script -qec 'python -m pytest -p no:cacheprovider -v' /dev/null",
  },
];
