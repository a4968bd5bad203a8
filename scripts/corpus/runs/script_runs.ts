/** Shells, Perl, PHP, Ruby, Lua, SQL, YAML. */

import { word } from "../corpus_case.ts";
import { counts, NONE_LEFT, NOTHING_ELSE, numbered, numberedFiles, type RunCase } from "./run_case.ts";

const LIBRARIES = "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES;";

export const SCRIPT_RUNS: readonly RunCase[] = [
  {
    name: "shellcheck-gcc-format-two-errors-fixed",
    tools: "ShellCheck",
    files: () =>
      numberedFiles(50, (at) => [
        `bin/${word(at)}.sh`,
        `#!/bin/sh\nrows=$1\necho $rows\ncd $2\n` +
        (at % 12 === 4 ? `if [ $rows ==3 ]; then echo ${word(at)}; fi\n` : ""),
      ]),
    command: "shellcheck -f gcc bin/*.sh",
    reruns: [{
      edit: `for n in ${word(4)} ${word(28)}; do sed -i '$d' bin/$n.sh; done`,
      gone: [new RegExp(`bin/${word(4)}\\.sh.*error`), new RegExp(`bin/${word(28)}\\.sh.*error`)],
      left: [new RegExp(`bin/${word(16)}\\.sh.*error`), new RegExp(`bin/${word(40)}\\.sh.*error`)],
      count: /\b\d+ of \d+ .*(?:left|gone)/,
    }],
  },
  {
    name: "shellcheck-tty-format-parse-error-fixed",
    tools: "ShellCheck",
    files: () => ({
      ...numberedFiles(25, (at) => [`bin/${word(at)}.sh`, `#!/bin/sh\nrows=$1\necho $rows\n`]),
      "bin/zone.sh": "#!/bin/sh\nif true; then\n  echo yes\n",
    }),
    command: "shellcheck bin/*.sh",
    reruns: [{
      edit: "echo fi >>bin/zone.sh",
      gone: [/Couldn't find 'fi' for this 'if'/],
      count: /\b\d+ of \d+ .*(?:left|gone)/,
    }],
  },
  {
    name: "bash-trace-fails-at-a-later-step",
    tools: "bash",
    files: () => ({
      "deploy.sh":
        "set -eux\nfor n in $(seq 150); do\n  test $n -gt 0\ndone\ncp conf/shop.ini out.ini\nmv state/rows.db rows.db\n",
    }),
    command: "bash deploy.sh",
    reruns: [{
      edit: "mkdir conf; : >conf/shop.ini",
      gone: [/cannot stat 'conf\/shop\.ini'/],
      fresh: [/cannot stat 'state\/rows\.db'/],
      count: NONE_LEFT,
    }],
  },
  {
    name: "prove-parallel-one-of-three-left",
    tools: "prove, Test::More",
    files: () =>
      numberedFiles(24, (number) => [
        `t/${word(number)}.t`,
        "use strict; use warnings; use Test::More tests => 12;\n" +
        numbered(12, (at) =>
          `is(${at} * 2, ${at === 5 && number % 8 === 6 ? 99 : at * 2}, '${word(number)} keeps ${
            word(at)
          }');`) +
        "\n",
      ]),
    command: "prove -v -j4 t",
    reruns: [{
      edit: `for n in ${word(6)} ${word(22)}; do sed -i 's/, 99, /, 10, /' t/$n.t; done`,
      gone: [/branch keeps billing|t\/branch\.t/, /discount keeps billing|t\/discount\.t/],
      left: [/coupon keeps billing|t\/coupon\.t/],
      count: counts(1, 3),
    }],
  },
  {
    name: "perl-warnings-then-other-death",
    tools: "Perl",
    files: () => ({
      "import.pl": "use strict; use warnings;\nmy %price = (tea => 3);\n" +
        "for my $n (1 .. 120) { my $row; warn 'row ' . $n . ' has no price'; print \"row $n of stock done in \" . (time % 7) . \" s\\n\"; }\n" +
        "die 'no rate for EUR' unless $ENV{RATE};\nopen my $in, '<', 'stock.csv' or die \"stock.csv: $!\";\n",
    }),
    command: "[ -e rate ] && export RATE=2; perl import.pl",
    reruns: [{
      edit: ": >rate",
      gone: [/no rate for EUR/],
      fresh: [/stock\.csv: No such file or directory/],
      count: /1 new|0 of 1\b|none left/,
    }],
  },
  {
    name: "php-lint-two-of-four-left",
    tools: "php -l",
    files: () =>
      numberedFiles(100, (at) => [
        `src/${word(at)}.php`,
        at % 25 === 12
          ? `<?php\n\nfunction ${
            word(at)
          }(int $value): int {\n    $twice = $value * 2\n    return $twice;\n}\n`
          : `<?php\nfunction ${word(at)}(int $value): int { return $value; }\n`,
      ]),
    command:
      `${LIBRARIES} find src -name '*.php' | sort | xargs -P2 -I{} sh -c 'php8.2 -d display_errors=0 -d log_errors=1 -l {} || :'`,
    reruns: [{
      edit: `for n in ${word(12)} ${word(62)}; do sed -i 's/2$/2;/' src/$n.php; done`,
      gone: [new RegExp(`src/${word(12)}\\.php`), new RegExp(`src/${word(62)}\\.php`)],
      left: [
        new RegExp(`PHP Parse error.*src/${word(37)}\\.php`),
        new RegExp(`PHP Parse error.*src/${word(87)}\\.php`),
      ],
      count: counts(2, 4),
    }],
  },
  {
    name: "php-notices-then-uncaught-exception",
    tools: "php",
    files: () => ({
      "import.php":
        '<?php\n$rows = [];\nfor ($n = 0; $n < 90; $n++) {\n    echo "row $n took " . (hrtime(true) % 90) . " ms\\n";\n}\n' +
        "echo $rows['total'];\nthrow new DomainException('stock of PK-0417 below zero');\n",
    }),
    command:
      `${LIBRARIES} php8.2 -d display_errors=stderr -d error_reporting=-1 -d log_errors=0 -d html_errors=0 -d display_startup_errors=0 import.php`,
    reruns: [
      {
        edit: "sed -i \"s/rows = ..;/rows = ['total' => 1];/\" import.php",
        gone: [/Undefined array key "total"/],
        left: [/DomainException: stock of PK-0417 below zero/],
        count: counts(1, 2),
      },
      {
        edit: "sed -i '$d' import.php; echo 'echo intdiv(1, 0);' >>import.php",
        gone: [/DomainException: stock of PK-0417 below zero/],
        fresh: [/DivisionByZeroError: Division by zero/],
        count: NONE_LEFT,
      },
    ],
  },
  {
    name: "ruby-minitest-random-order-two-of-three-left",
    tools: "Ruby, minitest",
    files: () => ({
      "shop_test.rb": 'require "minitest/autorun"\n\n' + numbered(
        12,
        (number) =>
          `class ${word(number).slice(0, 1).toUpperCase() + word(number).slice(1)}Test < Minitest::Test\n` +
          numbered(
            10,
            (at) =>
              `  def test_${word(at)}\n    assert_equal ${
                at === 4 && number % 4 === 1 ? 99 : at * 2
              }, ${at} * 2, "${word(number)} rows"\n  end`,
          ) + "\nend\n",
      ),
    }),
    command:
      `${LIBRARIES} ruby3.1 -I$TOOLS/debroot/usr/lib/ruby/gems/3.1.0/gems/minitest-5.15.0/lib shop_test.rb -v`,
    reruns: [
      { edit: "true", left: [/address rows/, /carrier rows/], count: NOTHING_ELSE },
      {
        edit: `sed -i 's/99, 4 \\* 2, "${word(5)} rows"/8, 4 * 2, "${word(5)} rows"/' shop_test.rb`,
        gone: [/billing rows|BillingTest/],
        left: [/address rows/, /carrier rows/],
        count: counts(2, 3, "3 failures", "2 failures"),
      },
    ],
  },
  {
    name: "ruby-exception-in-other-class",
    tools: "Ruby",
    files: () => ({
      "import.rb": '150.times { |n| puts "#{Time.now} ##{Process.pid} row #{n} imported" }\n' +
        "stock = { tea: 3 }\nputs stock.fetch(:rice)\nputs nil.upcase\n",
    }),
    command: `${LIBRARIES} ruby3.1 import.rb`,
    reruns: [{
      edit: "sed -i 's/:rice/:tea/' import.rb",
      gone: [/key not found: :rice/],
      fresh: [/undefined method `upcase' for nil/],
      count: NONE_LEFT,
    }],
  },
  {
    name: "lua-assertions-one-of-two-left",
    tools: "Lua",
    files: () => ({
      "checks.lua":
        "for n = 1, 200 do\n  local ok, why = pcall(function()\n    if n == 60 or n == 140 then error('row ' .. n .. ' has no price') end\n  end)\n" +
        "  print(n, ok and 'ok' or 'FAILED: ' .. why, os.clock(), tostring({}))\nend\n",
    }),
    command: `${LIBRARIES} lua5.4 checks.lua`,
    reruns: [{
      edit: "sed -i 's/n == 60 or //' checks.lua",
      gone: [/row 60 has no price/],
      left: [/row 140 has no price/],
      count: counts(1, 2),
    }],
  },
  {
    name: "sqlite-script-two-of-four-errors-left",
    tools: "SQLite",
    files: () => ({
      "load.sql": numbered(
        160,
        (at) =>
          at % 40 === 20
            ? `INSERT INTO lost_${word(at)} VALUES (1);`
            : `CREATE TABLE t_${word(at)} (id integer); SELECT 'table ${
              word(at)
            } made, rows: ' || count(*) FROM t_${word(at)};`,
      ) + "\n",
    }),
    command: "rm -f shop.db; sqlite3 -echo shop.db <load.sql",
    reruns: [{
      edit: `sed -i -e 's/.*lost_${word(20)} .*/SELECT 1;\\nSELECT 2;/' -e 's/.*lost_${
        word(140)
      } .*/SELECT 1;/' load.sql`,
      gone: [new RegExp(`no such table: lost_${word(20)}`), new RegExp(`no such table: lost_${word(140)}`)],
      left: [new RegExp(`no such table: lost_${word(60)}`), new RegExp(`no such table: lost_${word(100)}`)],
      count: counts(2, 4),
    }],
  },
  {
    name: "yamllint-syntax-error-fixed",
    tools: "yamllint",
    files: () =>
      numberedFiles(60, (at) => [
        `conf/${word(at)}.yml`,
        `name: ${word(at)}\nrows:   3\nnote: ${"long text ".repeat(9)}\n` +
        (at === 31 ? "list: [1, 2\nnext: 3\n" : ""),
      ]),
    command: "yamllint conf",
    reruns: [{
      edit: `sed -i 's/1, 2$/1, 2]/' conf/${word(31)}.yml`,
      gone: [/syntax error/],
      count: /\b\d+ (?:of \d+ )?(?:\w+ )?gone/,
    }],
  },
  {
    name: "tests-of-a-shell-script-unchanged-pass",
    tools: "bash",
    files: () => ({
      "check.sh":
        `for n in $(seq 150); do echo "$(date +%T) [$$] ok $n - case $n passed in $((RANDOM % 90)) ms"; done; echo "150 passed, 0 failed"\n`,
    }),
    command: "bash check.sh",
    reruns: [{ edit: "true", count: NOTHING_ELSE }],
  },

  {
    name: "prove-two-of-four-fixed",
    tools: "prove, Test::More",
    files: () =>
      numberedFiles(28, (number) => [
        `t/${word(number)}.t`,
        "use strict; use warnings; use Test::More tests => 8;\n" +
        numbered(8, (at) =>
          `is(${at} * 2, ${at === 3 && number % 7 === 5 ? 99 : at * 2}, '${word(number)} keeps ${
            word(at)
          }');`) +
        "\n",
      ]),
    command: "prove -j3 t",
    reruns: [{
      edit: `for n in ${word(5)} ${word(19)}; do sed -i 's/, 99, /, 6, /' t/$n.t; done`,
      gone: [5, 19].map((at) => new RegExp(`${word(at)} keeps basket|t/${word(at)}\\.t`)),
      left: [12, 26].map((at) => new RegExp(`${word(at)} keeps basket|t/${word(at)}\\.t`)),
      count: counts(2, 4, "Failed 4/28 test programs", "Failed 2/28 test programs"),
    }],
  },
  {
    name: "prove-two-of-five-left",
    tools: "prove, Test::More",
    files: () =>
      numberedFiles(25, (number) => [
        `t/${word(number)}.t`,
        "use strict; use warnings; use Test::More tests => 10;\n" +
        numbered(
          10,
          (at) => `ok(${at === 6 && number % 5 === 2 ? 0 : 1}, '${word(number)} has ${word(at)}');`,
        ) + "\n",
      ]),
    command: "prove -v --color -j2 t",
    reruns: [{
      edit: `for n in ${[2, 12, 22].map(word).join(" ")}; do sed -i 's/ok(0/ok(1/' t/$n.t; done`,
      gone: [2, 12, 22].map((at) => new RegExp(`${word(at)} has branch|t/${word(at)}\\.t`)),
      left: [7, 17].map((at) => new RegExp(`${word(at)} has branch|t/${word(at)}\\.t`)),
      count: counts(2, 5, "Failed 5/25 test programs", "Failed 2/25 test programs"),
    }],
  },
  {
    name: "sqlite-unique-violations-two-left",
    tools: "SQLite",
    files: () => ({
      "load.sql": "CREATE TABLE item (id integer PRIMARY KEY, name text UNIQUE NOT NULL);\n" +
        numbered(
          220,
          (at) =>
            at % 50 === 30
              ? `INSERT INTO item VALUES (${at}, NULL); -- ${word(at)}`
              : `INSERT INTO item VALUES (${at}, '${word(at)}'); SELECT 'item ${
                word(at)
              } stored as ' || ${at};`,
        ) + "\n",
    }),
    command: "rm -f shop.db; sqlite3 -echo shop.db <load.sql",
    reruns: [{
      edit: `sed -i -e 's/(30, NULL)/(30, "x")/' -e 's/(180, NULL)/(180, "y")/' load.sql`,
      gone: [/NOT NULL constraint failed: item\.name/],
      left: [/NOT NULL constraint failed: item\.name/],
      count: counts(2, 4),
    }],
  },
  {
    name: "perl-check-two-of-four-left",
    tools: "Perl",
    files: () =>
      numberedFiles(80, (at) => [
        `lib/${word(at)}.pl`,
        `use strict;\nmy $rows = ${at};\n${at % 20 === 9 ? `print $lost_${word(at)};\n` : ""}print $rows;\n`,
      ]),
    command: "for f in lib/*.pl; do perl -c $f; done",
    reruns: [{
      edit: `for n in ${word(9)} ${word(49)}; do sed -i '/lost_/d' lib/$n.pl; done`,
      gone: [9, 49].map((at) => new RegExp(`lost_${word(at)}|lib/${word(at)}\\.pl had compilation errors`)),
      left: [29, 69].map((at) => new RegExp(`lost_${word(at)}|lib/${word(at)}\\.pl had compilation errors`)),
      count: counts(2, 4),
    }],
  },
  {
    name: "ruby-syntax-two-of-four-left",
    tools: "Ruby",
    files: () =>
      numberedFiles(60, (at) => [
        `lib/${word(at)}.rb`,
        at % 15 === 8 ? `def ${word(at)}\n  [1, 2\nend\n` : `def ${word(at)}\n  ${at}\nend\n`,
      ]),
    command: `${LIBRARIES} for f in lib/*.rb; do echo "== $f"; ruby3.1 -wc $f; done`,
    reruns: [{
      edit: `for n in ${word(8)} ${word(38)}; do sed -i 's/1, 2$/1, 2]/' lib/$n.rb; done`,
      gone: [8, 38].map((at) => new RegExp(`lib/${word(at)}\\.rb.*syntax error`)),
      left: [23, 53].map((at) => new RegExp(`lib/${word(at)}\\.rb.*syntax error`)),
      count: counts(2, 4),
    }],
  },
  {
    name: "php-warnings-one-kind-gone",
    tools: "php",
    files: () => ({
      "import.php":
        '<?php\n$rows = [];\nfor ($n = 0; $n < 60; $n++) {\n    echo "row $n\\n";\n    echo $rows["price $n"];\n' +
        "    if ($n == 7) {\n        echo $lost;\n    }\n}\n",
    }),
    command:
      `${LIBRARIES} php8.2 -d display_errors=stderr -d error_reporting=-1 -d log_errors=0 -d html_errors=0 -d display_startup_errors=0 import.php`,
    reruns: [{
      edit: "sed -i 's/echo .lost;/echo 1;/' import.php",
      gone: [/Undefined variable \$lost/],
      left: [/Undefined array key "price 3"|Undefined array key "price \d+"/],
      count: counts(60, 61),
    }],
  },
];
