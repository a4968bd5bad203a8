/** Faults that no word gives away: an odd row, a slow test, a file too large, a step that gave up quietly. */

import { manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

export const ODD_CASES: readonly WrittenCase[] = [
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
    name: "three-tests-fail-in-different-files",
    question: "which tests fail and what did they assert",
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
];
