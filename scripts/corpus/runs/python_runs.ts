/** pytest, unittest, Django, Alembic, mypy, ruff, flake8, pylint, and programs in Python. */

import { word } from "../corpus_case.ts";
import { counts, NONE_LEFT, NOTHING_ELSE, numbered, numberedFiles, type RunCase } from "./run_case.ts";

/** Files of ten tests; those numbered in `wrong` have one that fails, `WORD_is_rounded`. */
function shopTests(fileCount: number, wrong: readonly number[]): Record<string, string> {
  const each = (number: number) => (at: number) =>
    `def test_${word(number)}_${word(at)}():\n    assert twice(${at}) == ${at * 2}\n\n`;
  return {
    "shop.py": "def twice(value):\n    return value * 2\n\n\ndef rounded(cents):\n    return cents // 100\n",
    "conftest.py": "",
    ...numberedFiles(fileCount, (number) => [
      `tests/test_${word(number)}.py`,
      "from shop import rounded, twice\n\n\n" + numbered(10, each(number)) +
      (wrong.includes(number)
        ? `\ndef test_${word(number)}_is_rounded():\n    assert rounded(${number * 100 + 50}) == ${
          number + 1
        }\n`
        : ""),
    ]),
  };
}

/** Makes the failing test of these files right. */
function fixTests(...numbers: number[]): string {
  return numbers.map((number) => `sed -i 's/== ${number + 1}$/== ${number}/' tests/test_${word(number)}.py`)
    .join("; ");
}

const failed = (number: number) => new RegExp(`test_${word(number)}_is_rounded`);

const PYTEST = "python -m pytest -p no:cacheprovider -v";

function typed(number: number, wrong: string): [string, string] {
  return [
    `shop/${word(number)}.py`,
    `class ${
      word(number).toUpperCase()
    }:\n    def total(self, counts: list[int]) -> int:\n        return sum(counts)\n\n` +
    `    def label(self, name):\n        return name\n${wrong}`,
  ];
}

function djangoProject(migrations: Record<string, string>, tests: string): Record<string, string> {
  return {
    "manage.py": "import os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'settings'\n" +
      "from django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n",
    "settings.py":
      "SECRET_KEY = 'k'\nINSTALLED_APPS = ['shop', 'django.contrib.contenttypes', 'django.contrib.auth']\n" +
      "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'shop.sqlite3'}}\nUSE_TZ = True\n" +
      "DEFAULT_AUTO_FIELD = 'django.db.models.BigAutoField'\n",
    "shop/__init__.py": "",
    "shop/models.py": "",
    "shop/tests.py": tests,
    "shop/migrations/__init__.py": "",
    ...migrations,
  };
}

/** 60 migrations that add tables; `wrong` has statements for some. */
function migrations(wrong: Record<number, string>): Record<string, string> {
  const name = (at: number) => `${String(at + 1).padStart(4, "0")}_${word(at)}`;
  return numberedFiles(60, (at) => [
    `shop/migrations/${name(at)}.py`,
    "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n" +
    `    dependencies = [${at === 0 ? "" : `('shop', '${name(at - 1)}')`}]\n` +
    `    operations = [migrations.RunSQL("${wrong[at] ?? `CREATE TABLE shop_${word(at)} (id integer)`}")]\n`,
  ]);
}

export const PYTHON_RUNS: readonly RunCase[] = [
  {
    name: "pytest-two-of-five-failures-left",
    tools: "pytest",
    files: () => shopTests(25, [3, 8, 13, 18, 22]),
    command: PYTEST,
    reruns: [{
      edit: fixTests(3, 13, 22),
      gone: [failed(3), failed(13), failed(22)],
      left: [failed(8), failed(18)],
      count: counts(2, 5, "5 failed", "2 failed"),
    }],
  },
  {
    name: "pytest-xdist-random-order-then-one-fixed",
    tools: "pytest, pytest-xdist, pytest-randomly",
    files: () => shopTests(30, [4, 9, 27]),
    command: "PYTEST_ADDOPTS= python -m pytest -p no:cacheprovider -n 4 -v",
    reruns: [
      { edit: "true", left: [failed(4), failed(9), failed(27)], count: NOTHING_ELSE },
      {
        edit: fixTests(9),
        gone: [failed(9)],
        left: [failed(4), failed(27)],
        count: counts(2, 3, "3 failed", "2 failed"),
      },
    ],
  },
  {
    name: "pytest-import-error-fixed-shows-failures",
    tools: "pytest",
    files: () => {
      const files = shopTests(20, [6, 11]);
      files["tests/test_notice.py"] = "import shopp\n\n\ndef test_notice():\n    assert shopp\n";
      return files;
    },
    command: `${PYTEST} -rA --continue-on-collection-errors`,
    reruns: [{
      edit: "sed -i 's/shopp/shop/' tests/test_notice.py",
      gone: [/No module named 'shopp'/],
      left: [failed(6), failed(11)],
      count: /1 error[^]*2 failed|\b2 of 3\b|\b1 of 3 [a-z ]*gone/,
    }],
  },
  {
    name: "pytest-last-two-failures-fixed",
    tools: "pytest",
    files: () => shopTests(25, [5, 17]),
    command: PYTEST,
    reruns: [{ edit: fixTests(5, 17), gone: [failed(5), failed(17)], count: NONE_LEFT }],
  },
  {
    name: "pytest-lines-moved-by-a-new-header",
    tools: "pytest",
    files: () => shopTests(22, [2, 7, 12]),
    command: PYTEST,
    reruns: [
      {
        edit: "for f in tests/*.py; do sed -i '1i # Copyright Shop\\n# All rights reserved\\n' $f; done",
        left: [failed(2), failed(7)],
        count: NOTHING_ELSE,
      },
      {
        edit: `${fixTests(7)}; sed -i 's/twice(4) == 8/twice(4) == 9/' tests/test_${word(1)}.py`,
        gone: [failed(7)],
        fresh: [new RegExp(`test_${word(1)}_${word(4)}`)],
        left: [failed(2), failed(12)],
        count: counts(2, 3),
      },
    ],
  },
  {
    name: "pytest-coverage-changes-too",
    tools: "pytest, pytest-cov",
    files: () => ({
      ...shopTests(15, [1, 10]),
      ...numberedFiles(60, (at) => [
        `lib/${word(at)}.py`,
        `def ${word(at)}(value):\n    if value > 3:\n        return value\n    return 0\n`,
      ]),
      "lib/__init__.py": numbered(60, (at) => `from . import ${word(at)}`) + "\n",
      "tests/test_lib.py": "import lib\n\n\ndef test_lib():\n    assert lib.account.account(2) == 0\n",
    }),
    command: `${PYTEST} --color=yes --cov=lib --cov-report=term-missing`,
    reruns: [{
      edit: `${fixTests(10)}; echo '    assert lib.audit.audit(5) == 5' >>tests/test_lib.py`,
      gone: [failed(10)],
      left: [failed(1)],
      count: counts(1, 2, "2 failed", "1 failed"),
    }],
  },
  {
    name: "unittest-three-of-six-left",
    tools: "unittest",
    files: () => {
      const each = (number: number) => (at: number) =>
        `    def test_${word(number)}_${word(at)}(self):\n        self.assertEqual(${at} * 2, ${
          at === 4 && number % 3 === 0 ? 99 : at * 2
        }, "${word(number)} of ${word(at)}")\n`;
      return numberedFiles(18, (number) => [
        `test_${word(number)}.py`,
        `import unittest\n\n\nclass ${word(number).toUpperCase()}(unittest.TestCase):\n` +
        numbered(8, each(number)),
      ]);
    },
    command: "python -m unittest -v",
    reruns: [{
      edit: `for n in ${word(0)} ${word(6)} ${word(15)}; do sed -i 's/, 99, /, 8, /' test_$n.py; done`,
      gone: [0, 6, 15].map((at) => new RegExp(`${word(at)} of batch|test_${word(at)}_batch`)),
      left: [3, 9].map((at) => new RegExp(`${word(at)} of batch|test_${word(at)}_batch`)),
      count: counts(3, 6, "failures=6", "failures=3"),
    }],
  },
  {
    name: "mypy-four-of-ten-left",
    tools: "mypy",
    files: () =>
      numberedFiles(
        40,
        (number) =>
          typed(number, number % 4 === 1 ? `\n\n${word(number)}_rows: int = "${word(number)}"\n` : ""),
      ),
    command: "mypy --strict --no-incremental --cache-dir=/dev/null shop/*.py",
    // The untyped `label` of each file is an error, too.
    reruns: [{
      edit: `for n in ${
        [1, 5, 9, 13, 17, 21].map(word).join(" ")
      }; do sed -i 's/_rows: int/_rows: str/' shop/$n.py; done`,
      gone: [1, 9, 21].map((at) => new RegExp(`shop/${word(at)}\\.py.*Incompatible types in assignment`)),
      left: [25, 29].map((at) => new RegExp(`shop/${word(at)}\\.py.*Incompatible types in assignment`)),
      count: counts(44, 50, "Found 50 errors", "Found 44 errors"),
    }],
  },
  {
    name: "mypy-signature-change-brings-callers-errors",
    tools: "mypy",
    files: () => ({
      ...numberedFiles(60, (number) => [
        `shop/use_${word(number)}.py`,
        `from shop.core import price\n\n\ndef ${word(number)}(value):\n    return price(${number})\n` +
        (number % 20 === 5 ? `\n\nleft_${word(number)}: str = price(3)\n` : ""),
      ]),
      "shop/__init__.py": "",
      "shop/core.py": "def price(cents: int) -> int:\n    return cents\n\n\nrate: int = None\n",
    }),
    command: "mypy --disallow-untyped-defs --check-untyped-defs --no-incremental --cache-dir=/dev/null shop",
    reruns: [{
      edit:
        "sed -i -e 's/rate: int = None/rate: int = 0/' shop/core.py; sed -i 's/price(7)/price(7, \"EUR\")/' shop/use_budget.py",
      gone: [/shop\/core\.py.*Incompatible types in assignment/],
      fresh: [/shop\/use_budget\.py.*Too many arguments for "price"/],
      left: [/shop\/use_billing\.py.*Incompatible types/],
      count: /1 new/,
    }],
  },
  {
    name: "ruff-concise-undefined-names-left",
    tools: "ruff",
    files: () =>
      numberedFiles(70, (number) => [
        `shop/${word(number)}.py`,
        `import os\nimport sys\n\n\ndef ${word(number)}(value):\n    return ${
          number % 14 === 3 ? `lost_${word(number)}` : "value"
        }\n`,
      ]),
    command: "ruff check --no-cache --output-format concise .",
    // 140 unused imports and five undefined names.
    reruns: [{
      edit: `for n in ${[3, 17, 31].map(word).join(" ")}; do sed -i 's/lost_.*/value/' shop/$n.py; done`,
      gone: [3, 17, 31].map((at) => new RegExp(`Undefined name \`lost_${word(at)}\``)),
      left: [45, 59].map((at) => new RegExp(`Undefined name \`lost_${word(at)}\``)),
      count: counts(142, 145, "Found 145 errors", "Found 142 errors"),
    }],
  },
  {
    name: "flake8-same-message-on-many-lines",
    tools: "flake8",
    files: () =>
      numberedFiles(60, (number) => [
        `shop/${word(number)}.py`,
        numbered(3, (at) => `NAME_${at} = "${`${word(number)} `.repeat(2)}${"x".repeat(75)}"`) + "\n" +
        (number === 20 ? "print(lost)\nprint(lost)\nprint(lost)\n" : ""),
      ]),
    command: "flake8 .",
    reruns: [{
      edit: `sed -i '$d' shop/${word(20)}.py`,
      gone: [new RegExp(`${word(20)}\\.py.*undefined name 'lost'`)],
      count: /\b1 (?:of \d+ )?(?:\w+ )?gone|\b182 of 183\b/,
    }],
  },
  {
    name: "pylint-one-error-fixed-one-new",
    tools: "pylint",
    files: () =>
      numberedFiles(30, (number) => [
        `shop/${word(number)}.py`,
        `import os\n\ndef ${word(number)}(a, b):\n    x = a\n    return ${
          number === 8 ? "nowhere" : number === 21 ? "b.total" : "b"
        }\n`,
      ]),
    command: "pylint --score=y -j 2 --persistent=n shop/*.py",
    reruns: [{
      edit: `sed -i 's/nowhere/a/' shop/${word(8)}.py; sed -i 's/return b$/return beyond/' shop/${
        word(14)
      }.py`,
      gone: [/shop\/cache\.py.*Undefined variable 'nowhere'/],
      fresh: [/shop\/coupon\.py.*Undefined variable 'beyond'/],
      count: /\b[12] (?:of \d+ )?(?:\w+ )?gone, [12] new|\d+ of \d+ /,
    }],
  },
  {
    name: "django-migrate-fails-at-a-later-migration",
    tools: "Django, SQLite",
    files: () =>
      djangoProject(
        migrations({ 20: "CREATE TABEL shop_x (id integer)", 44: "ALTER TABLE shop_nothing ADD COLUMN x" }),
        "",
      ),
    command: "rm -f shop.sqlite3; python manage.py migrate -v 2",
    reruns: [{
      edit: "sed -i 's/TABEL/TABLE/' shop/migrations/0021_*.py",
      gone: [/near "TABEL": syntax error/],
      fresh: [/no such table: shop_nothing/],
      count: NONE_LEFT,
    }],
  },
  {
    name: "django-test-parallel-two-of-four-left",
    tools: "Django",
    files: () =>
      djangoProject(
        migrations({}),
        "from django.test import SimpleTestCase\n\n\n" + numbered(
          24,
          (number) =>
            `class ${word(number).toUpperCase()}(SimpleTestCase):\n` +
            numbered(5, (at) =>
              `    def test_${word(at)}(self):\n        self.assertEqual(${at} + 1, ${
                at === 3 && number % 6 === 2 ? 77 : at + 1
              }, "${word(number)} rows")\n`),
        ),
      ),
    command: "python manage.py test -v 2 --parallel 2 --shuffle",
    reruns: [{
      edit:
        `python - <<'END'\nfrom pathlib import Path\np = Path("shop/tests.py")\nt = p.read_text()\nfor w in ("${
          word(2)
        }", "${word(14)}"):\n    t = t.replace(f'77, "{w} rows"', f'4, "{w} rows"')\np.write_text(t)\nEND`,
      gone: [2, 14].map((at) => new RegExp(`${word(at)} rows|${word(at).toUpperCase()}`)),
      left: [8, 20].map((at) => new RegExp(`${word(at)} rows|${word(at).toUpperCase()}`)),
      count: counts(2, 4, "failures=4", "failures=2"),
    }],
  },
  {
    name: "alembic-upgrade-other-revision-fails",
    tools: "Alembic, SQLAlchemy, SQLite",
    files: () => ({
      "alembic.ini":
        "[alembic]\nscript_location = revisions\nsqlalchemy.url = sqlite:///shop.db\n[loggers]\nkeys = root,alembic\n" +
        "[handlers]\nkeys = console\n[formatters]\nkeys = generic\n[logger_root]\nlevel = WARNING\nhandlers = console\nqualname =\n" +
        "[logger_alembic]\nlevel = INFO\nhandlers =\nqualname = alembic\n[handler_console]\nclass = StreamHandler\n" +
        "args = (sys.stderr,)\nlevel = NOTSET\nformatter = generic\n[formatter_generic]\nformat = %(asctime)s %(levelname)-5.5s [%(name)s] %(message)s\n",
      "revisions/env.py":
        "from alembic import context\nfrom sqlalchemy import create_engine\nengine = create_engine('sqlite:///shop.db')\n" +
        "with engine.connect() as connection:\n    context.configure(connection=connection)\n    with context.begin_transaction():\n        context.run_migrations()\n",
      ...numberedFiles(90, (at) => [
        `revisions/versions/r${at}.py`,
        `"""add ${
          word(at)
        } table"""\nfrom alembic import op\nimport sqlalchemy as sa\n\nrevision = "r${at}"\ndown_revision = ${
          at === 0 ? "None" : `"r${at - 1}"`
        }\n\n\ndef upgrade():\n    op.create_table("${
          at === 40 ? word(39) : word(at)
        }", sa.Column("id", sa.Integer))\n` +
        (at === 70 ? `    op.add_column("nowhere", sa.Column("x", sa.Integer))\n` : ""),
      ]),
    }),
    command: "rm -f shop.db; alembic upgrade head",
    reruns: [{
      edit: `sed -i 's/"${word(39)}"/"${word(40)}"/' revisions/versions/r40.py`,
      gone: [new RegExp(`table "${word(39)}" already exists`)],
      fresh: [/no such table: nowhere/],
      count: NONE_LEFT,
    }],
  },
  {
    name: "python-traceback-of-another-cause",
    tools: "Python",
    files: () => ({
      "import.py":
        "import logging, time\nlogging.basicConfig(level=logging.INFO, format='%(asctime)s %(process)d %(levelname)s %(message)s')\n" +
        "for number in range(150):\n    logging.info('row %d of stock imported in %.2f ms', number, time.perf_counter() % 7)\n" +
        "prices = {'tea': '3.10', 'oil': 'n/a'}\nprint(prices['rice'])\nprint(float(prices['oil']))\n",
    }),
    command: "python import.py",
    reruns: [
      {
        edit: "sed -i \"s/\\['rice'\\]/['tea']/\" import.py",
        gone: [/KeyError: 'rice'/],
        fresh: [/ValueError: could not convert string to float: 'n\/a'/],
        count: NONE_LEFT,
      },
      {
        edit: "sed -i 's/range(150)/range(160)/' import.py",
        left: [/ValueError: could not convert string to float: 'n\/a'/],
        count: NOTHING_ELSE,
      },
    ],
  },
  {
    name: "python-log-with-times-pids-and-temporary-names",
    tools: "Python",
    files: () => ({
      "sync.py": "import os, random, sys, tempfile, threading, time, uuid\nfrom datetime import datetime\n" +
        "say = lambda text: print(f'{datetime.now().isoformat()} [pid {os.getpid()}] {text}', flush=True)\n" +
        "def part(n):\n    time.sleep(random.random() / 50)\n    name = tempfile.mktemp(prefix='part-')\n" +
        "    if n % 40 == 7:\n        say(f'ERROR upload of part {n} from {name} failed: checksum mismatch (request {uuid.uuid4()}, took {random.random() * 90:.1f}ms)')\n" +
        "    else:\n        say(f'uploaded part {n} from {name} in {random.random() * 90:.1f}ms, object at {hex(id(object()))}')\n" +
        "threads = [threading.Thread(target=part, args=(n,)) for n in range(120)]\n[t.start() for t in threads]\n[t.join() for t in threads]\n",
    }),
    command: "python sync.py",
    reruns: [
      { edit: "true", left: [/part 47 .*checksum mismatch/], count: NOTHING_ELSE },
      {
        edit: "sed -i 's/n % 40 == 7/n in (7, 87)/' sync.py",
        gone: [/part 47 .*checksum mismatch/],
        left: [/part 7 .*checksum mismatch/, /part 87 .*checksum mismatch/],
        count: counts(2, 3),
      },
    ],
  },

  {
    name: "pytest-xdist-two-of-five-fixed",
    tools: "pytest, pytest-xdist, pytest-randomly",
    files: () => shopTests(26, [2, 7, 12, 17, 24]),
    command: "PYTEST_ADDOPTS= python -m pytest -p no:cacheprovider -n 3 -v",
    reruns: [
      { edit: "true", left: [failed(2), failed(24)], count: NOTHING_ELSE },
      {
        edit: fixTests(7, 17),
        gone: [failed(7), failed(17)],
        left: [failed(2), failed(12), failed(24)],
        count: counts(3, 5, "5 failed", "3 failed"),
      },
    ],
  },
  {
    name: "pytest-xdist-two-of-six-left",
    tools: "pytest, pytest-xdist",
    files: () => shopTests(24, [0, 4, 8, 12, 16, 20]),
    command: "python -m pytest -p no:cacheprovider -n 4",
    reruns: [{
      edit: fixTests(0, 8, 12, 20),
      gone: [failed(0), failed(8), failed(12), failed(20)],
      left: [failed(4), failed(16)],
      count: counts(2, 6, "6 failed", "2 failed"),
    }],
  },
  {
    name: "pytest-moved-and-one-new",
    tools: "pytest",
    files: () => shopTests(20, [3, 9]),
    command: `${PYTEST} --tb=short`,
    reruns: [{
      edit:
        `for f in tests/*.py; do sed -i '1i # Shop' $f; done; sed -i 's/twice(6) == 12/twice(6) == 13/' tests/test_${
          word(15)
        }.py`,
      fresh: [new RegExp(`test_${word(15)}_${word(6)}`)],
      left: [failed(3), failed(9)],
      count: /\b0 of \d+ (?:\w+ )?gone, [1-9]|3 failed[^]*2 failed|2 failed[^]*3 failed/,
    }],
  },
  {
    name: "unittest-errors-two-of-four-fixed",
    tools: "unittest",
    files: () =>
      numberedFiles(20, (number) => [
        `test_${word(number)}.py`,
        `import unittest\n\n\nclass ${word(number).toUpperCase()}(unittest.TestCase):\n` +
        numbered(6, (at) =>
          `    def test_${word(number)}_${word(at)}(self):\n        ${
            at === 2 && number % 5 === 1 ? `{}["${word(number)}"]` : `self.assertTrue(${at + 1})`
          }\n`),
      ]),
    command: "python -m unittest -v",
    reruns: [{
      edit: `for n in ${word(6)} ${word(11)}; do sed -i 's/{}\\[.*\\]/pass/' test_$n.py; done`,
      gone: [/KeyError: 'branch'|ERROR: test_branch/, /KeyError: 'charge'|ERROR: test_charge/],
      left: [/KeyError: 'address'|ERROR: test_address/, /KeyError: 'credit'|ERROR: test_credit/],
      count: counts(2, 4, "errors=4", "errors=2"),
    }],
  },
  {
    name: "mypy-return-types-three-of-five-left",
    tools: "mypy",
    files: () =>
      numberedFiles(50, (number) => [
        `shop/${word(number)}.py`,
        `from typing import Any\n\n\ndef ${word(number)}(value: int) -> int:\n    return ${
          number % 10 === 4 ? `"${word(number)}"` : "value"
        }\n\n\ndef untyped_${word(number)}(value):\n    return value\n`,
      ]),
    command: "mypy --strict --no-incremental --cache-dir=/dev/null shop/*.py",
    reruns: [{
      edit: `for n in ${word(4)} ${word(44)}; do sed -i 's/return ".*"/return value/' shop/$n.py; done`,
      gone: [4, 44].map((at) => new RegExp(`shop/${word(at)}\\.py.*Incompatible return value`)),
      left: [14, 24, 34].map((at) => new RegExp(`shop/${word(at)}\\.py.*Incompatible return value`)),
      count: counts(53, 55, "Found 55 errors", "Found 53 errors"),
    }],
  },
  {
    name: "ruff-full-format-two-of-five-left",
    tools: "ruff",
    files: () =>
      numberedFiles(40, (number) => [
        `shop/${word(number)}.py`,
        `import os\n\n\ndef ${word(number)}(value):\n    return ${
          number % 8 === 3 ? `lost_${word(number)}` : "value"
        }\n`,
      ]),
    command: "ruff check --no-cache .",
    reruns: [{
      edit: `for n in ${[3, 19, 35].map(word).join(" ")}; do sed -i 's/lost_.*/value/' shop/$n.py; done`,
      gone: [3, 19, 35].map((at) => new RegExp(`Undefined name \`lost_${word(at)}\``)),
      left: [11, 27].map((at) => new RegExp(`Undefined name \`lost_${word(at)}\``)),
      count: counts(42, 45, "Found 45 errors", "Found 42 errors"),
    }],
  },
  {
    name: "django-migrate-two-later",
    tools: "Django, SQLite",
    files: () =>
      djangoProject(
        migrations({
          10: "DROP TABLE shop_none",
          30: "INSERT INTO shop_account VALUES (1, 2)",
          50: "SELEC 1",
        }),
        "",
      ),
    command: "rm -f shop.sqlite3; python manage.py migrate -v 2",
    reruns: [
      {
        edit: "sed -i 's/DROP TABLE shop_none/SELECT 1/' shop/migrations/0011_*.py",
        gone: [/no such table: shop_none/],
        fresh: [/table shop_account has 1 columns but 2 values were supplied/],
        count: NONE_LEFT,
      },
      {
        edit: "sed -i 's/VALUES (1, 2)/VALUES (1)/' shop/migrations/0031_*.py",
        gone: [/table shop_account has 1 columns but 2 values were supplied/],
        fresh: [/near "SELEC": syntax error/],
        count: NONE_LEFT,
      },
    ],
  },
];
