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
    name: "worker-gives-up-at-level-info",
    facts: ["gave up on order 4711 after 5 attempts"],
    command: "python3 work.py",
  },
  {
    name: "csv-one-row-with-a-column-too-many",
    facts: ['1733,Turin,EUR,15,"Via Po 7,",scala B'],
    command: "python3 write.py",
  },
  {
    name: "psql-one-null-among-1000-rows",
    facts: ["(null)"],
    command:
      `export PATH=/usr/lib/postgresql/15/bin:$PATH; chmod 777 .; as() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
as initdb -D data -U shop --no-sync >/dev/null 2>&1; as postgres -D data -k "$PWD" -c listen_addresses= 2>server.log &
until psql -h "$PWD" -U shop -c 'select 1' postgres >/dev/null 2>&1; do sleep 0.2; done
psql -h "$PWD" -U shop -P null='(null)' -c "select n as id, 'customer ' || n as name, case when n = 619 then null else n * 31 % 977 end as cents from generate_series(1, 1000) n" postgres
as pg_ctl -D data stop -m fast >/dev/null; wait`,
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
    name: "run-of-jobs-one-killed",
    facts: ["Killed"],
    command: "bash jobs.sh",
  },
  {
    name: "first-line-names-the-setting-ignored",
    facts: [
      "settings: shop.toml: Expected '=' after a key in a key/value pair (at line 3, column 6); using defaults",
    ],
    command: "python3 serve.py",
  },
  {
    name: "openssl-verify-one-file-missing",
    facts: ["Could not open file or uri for loading certificate file from part-74.pem"],
    command:
      "sh make.sh >/dev/null 2>&1; for number in $(seq 1 150); do openssl verify -show_chain -CAfile ca.pem part-$number.pem; done",
  },
  {
    name: "pino-long-lines-one-with-a-failure-inside",
    facts: ['"outcome":"rejected: quota of tenant 88 used up"'],
    command: "node serve.js",
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
    name: "java-stack-overflow-of-1024-frames",
    facts: ["java.lang.StackOverflowError", "Tree.parent(Tree.java:"],
    command: "javac Tree.java && java -Xss512k Tree",
  },
  {
    name: "curl-meters-one-transfer-cut",
    facts: ["curl: (18) transfer closed with 60000 bytes remaining to read"],
    command:
      `node serve.js & until (exec 3<>/dev/tcp/127.0.0.1/18089) 2>/dev/null; do sleep 0.1; done; for number in $(seq 1 40); do curl -o /dev/null http://127.0.0.1:18089/part-$number; done`,
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
