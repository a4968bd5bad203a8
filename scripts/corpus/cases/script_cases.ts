/** Perl, Tcl, Ruby, PHP, Lua and shell. */

import { type CorpusCase, manyFiles, repeat, word } from "../corpus_case.ts";

export const SCRIPT_CASES: readonly CorpusCase[] = [
  {
    name: "prove-one-not-ok-among-1500",
    tools: "prove, Test::More",
    place: "middle",
    facts: ["not ok 18 - bulk discount", "#          got: '50000'", "#     expected: '47500'"],
    files: () =>
      manyFiles(30, (number) => [
        `t/${word(number)}.t`,
        `use Test::More;\n` +
        repeat(50, (at) =>
          word(number) === "coupon" && at === 17
            ? `is(1250 * 40, 47500, "bulk discount");`
            : `is(${at} * 2, ${at * 2}, "${word(number)} doubles ${word(at)}");`) +
        `\ndone_testing();\n`,
      ]),
    command: "prove -v --color t",
  },
  {
    name: "prove-passes-verbosely",
    tools: "prove, Test::More",
    place: "none",
    facts: ["Result: PASS"],
    files: () =>
      manyFiles(30, (number) => [
        `t/${word(number)}.t`,
        `use Test::More;\n` + repeat(40, (at) =>
          `is(${at} * 2, ${at * 2}, "${word(number)} doubles ${word(at)}");`) +
        `\ndone_testing();\n`,
      ]),
    command: "prove -v t",
  },
  {
    name: "tcltest-one-failed",
    tools: "tclsh, tcltest",
    place: "middle",
    facts: ["==== freight-17", "---- Result was:", "50000", "---- Result should have been"],
    files: () => ({
      "all.tcl":
        `package require tcltest\nnamespace import ::tcltest::*\nconfigure -verbose {body pass error start}\n` +
        repeat(
          300,
          (at) => `test ${word(at % 60)}-${at} {doubles ${word(at)}} {expr {${at} * 2}} ${at * 2}`,
        ) +
        `\n` + `test freight-17 {bulk discount} {expr {1250 * 40}} 47500\n` +
        repeat(
          300,
          (at) => `test ${word(at % 60)}-${at + 300} {doubles ${word(at)}} {expr {${at} * 2}} ${at * 2}`,
        ) + `\ncleanupTests\n`,
    }),
    command: "tclsh all.tcl",
  },
  {
    name: "php-lint-one-parse-error",
    tools: "php -l",
    place: "end",
    facts: ['PHP Parse error:  syntax error, unexpected token "return"', "in ./src/order.php on line 5"],
    files: () => ({
      ...manyFiles(
        300,
        (
          number,
        ) => [
          `src/${word(number)}.php`,
          `<?php\nfunction shop_${word(number)}(int $value): int { return $value; }\n`,
        ],
      ),
      "src/order.php":
        `<?php\n\nfunction shop_order(int $value): int {\n    $twice = $value * 2\n    return $twice;\n}\n`,
    }),
    command:
      "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES; find . -name '*.php' | sort | xargs -n1 php8.2 -d display_errors=0 -d log_errors=1 -l",
  },
  {
    name: "php-uncaught-exception-among-notices",
    tools: "php",
    place: "middle",
    facts: ["Fatal error: Uncaught DomainException: stock of PK-0417 below zero", "import.php:4"],
    files: () => ({
      "import.php":
        `<?php\nfunction take(int $number, int $stock): int {\n    if ($stock < 0) {\n        throw new DomainException(sprintf("stock of PK-%04d below zero", $number));\n    }\n    return $stock;\n}\n` +
        `function row(int $number, array $row): void {\n    echo "row $number: ", $row["label"], " ", take($number, $number == 417 ? -1 : 5), "\\n";\n}\n` +
        `register_shutdown_function(function () {\n    for ($at = 0; $at < 400; $at++) echo "released lock $at of warehouse ", $at % 7, "\\n";\n});\nfor ($number = 0; $number < 900; $number++) row($number, []);\n`,
    }),
    command:
      "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES; php8.2 -d display_errors=stderr -d error_reporting=-1 -d log_errors=0 -d html_errors=0 -d display_startup_errors=0 import.php",
  },
  {
    name: "ruby-exception-with-cause-among-lines",
    tools: "ruby",
    place: "middle",
    facts: ["cannot bill customer 512 (RuntimeError)", "bill.rb:3:in `/': divided by 0 (ZeroDivisionError)"],
    files: () => ({
      "bill.rb": `def share(total, count)
  # A customer pays for each parcel.
  total / count
end

def bill(number)
  puts "customer #{number}: #{share(number * 100, number == 512 ? 0 : 4)} cents a parcel, due in 14 days"
rescue ZeroDivisionError
  raise "cannot bill customer #{number}"
end

1000.times do |number|
  bill(number)
rescue RuntimeError => failed
  $stdout.flush
  warn failed.full_message(highlight: true, order: :top)
end
`,
    }),
    command: "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES; ruby3.1 --disable=gems bill.rb",
  },
  {
    name: "lua-stack-traceback-among-lines",
    tools: "lua",
    place: "end",
    facts: ["attempt to index a nil value (field 'route')", "plan.lua:2"],
    files: () => ({
      "plan.lua":
        `local function leg(plan, at)\n  return plan.route[at].km\nend\n\nlocal function total(plan, depth)\n  if depth == 0 then return leg(plan, 1) end\n  local km = total(plan, depth - 1)\n  return km + 1\nend\n\n` +
        `for number = 1, 400 do\n  print(string.format("plan %d: %d km over %d stops", number, total({ route = { { km = number } } }, 3), number % 9))\nend\nprint(total({}, 12))\n`,
    }),
    command: "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES; lua5.4 plan.lua",
  },
  {
    name: "bash-trace-of-a-failing-script",
    tools: "bash -x",
    place: "end",
    facts: ["deploy.sh: line 14: /etc/shop/release.key: No such file or directory"],
    files: () => ({
      "deploy.sh": `set -eu
copy() {
  local name=$1 size
  size=$(printf '%s' "$name" | wc -c)
  if [ "$size" -gt 40 ]; then
    return 1
  fi
  mkdir -p "target/\${name%-*}"
  printf '%s\\n' "$name" >"target/\${name%-*}/$name"
}
for number in $(seq 1 70); do
  copy "asset-$number"
done
key=$(</etc/shop/release.key)
for number in $(seq 1 9); do
  rm -f "target/old-$number"
done
`,
    }),
    command: "bash -x deploy.sh",
  },
  {
    name: "shell-trace-that-succeeds",
    tools: "bash -x",
    place: "none",
    facts: [],
    files: () => ({
      "build.sh":
        `set -eu\nfor number in $(seq 1 120); do\n  name=part-$number\n  mkdir -p "out/$name"\n  printf '%s\\n' "$name" >"out/$name/name"\ndone\necho built\n`,
    }),
    command: "bash -x build.sh",
  },
];
