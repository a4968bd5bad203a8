/** Whole runs as a CI runner shows them: steps in groups, really run, each with its own tool. */

import { manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

/** Runs each step in a group with the time before each line, as CI runners do, and goes on to the clean-up after a failure. */
const RUNNER = `import datetime, subprocess, sys

def say(text):
    print(datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f0Z"), text, flush=True)

failed = False
for line in open("steps"):
    name, always, command = line.rstrip("\\n").split("|", 2)
    if failed and not always:
        say("##[group]Skipped " + name)
        say("##[endgroup]")
        continue
    say("##[group]Run " + command)
    say("shell: /usr/bin/bash -e {0}")
    say("env:")
    for number in range(12):
        say("  SHOP_SETTING_%d: value-%d" % (number, number))
    say("##[endgroup]")
    step = subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    for out in step.stdout:
        say(out.rstrip("\\n"))
    if step.wait() != 0:
        failed = True
        say("##[error]Process completed with exit code %d." % step.returncode)
`;

const PROJECT = {
  "run.py": RUNNER,
  ...manyFiles(80, "src/*.js", (name, number) => `exports.${name} = (value) => value * ${number};\n`),
  ...manyFiles(
    60,
    "test/*.test.js",
    (name, number) =>
      `const { it } = require("node:test");\nconst assert = require("node:assert");\nconst part = require("../src/${name}");\n` +
      repeat(
        3,
        (_, at) =>
          `it("${name} times ${at}", () => assert.strictEqual(part.${name}(${at}), ${at * number}));`,
      ) + "\n",
  ),
};

const CLEAN_UP =
  `Upload logs|always|tar -cvf /dev/null src test\nPost: clean up|always|find . -type f | sort | sed 's/^/removing /'\n`;

export const CI_CASES: readonly WrittenCase[] = [
  {
    name: "ci-test-step-fails-before-clean-up",
    facts: ["not ok", "freight times 2", "Expected values to be strictly equal:"],
    files: () => ({
      ...PROJECT,
      "src/freight.js": "exports.freight = (value) => value < 2 ? value * 30 : 61;\n",
      "steps":
        `Checkout||find . -type f | sort\nSyntax||for file in src/*.js; do node --check $file && echo "$file ok"; done\nTest||node --test --test-reporter=tap test/\nPack||tar -cvf /dev/null .\n${CLEAN_UP}`,
    }),
    command: "python3 run.py",
  },
  {
    name: "ci-type-check-step-fails-coloured",
    question: "which name does the type check not know",
    facts: ["Cannot find name 'freigt'", "src/index.ts:4:"],
    files: () => ({
      ...PROJECT,
      "src/index.ts":
        `export function weigh(freight: number): number {\n  // In grams.\n  if (freight < 0) return 0;\n  return freigt * 1000;\n}\n`,
      "steps":
        `Checkout||find . -type f | sort\nList||ls -l --color=always src test\nTypes||tsc --noEmit --pretty --types "" src/index.ts\nTest||node --test test/\n${CLEAN_UP}`,
    }),
    command: "python3 run.py",
  },
  {
    name: "ci-all-steps-pass",
    sound: true,
    files: () => ({
      ...PROJECT,
      "steps":
        `Checkout||find . -type f | sort\nTest||node --test --test-reporter=spec test/\nPack||tar -cvf /dev/null .\n${CLEAN_UP}`,
    }),
    command: "python3 run.py",
  },
  {
    name: "ci-first-step-fails-and-cleans-up-long",
    facts: ["fatal: repository '/srv/mirrors/shop.git' does not exist"],
    files: () => ({
      ...PROJECT,
      "steps":
        `Checkout||git clone --progress /srv/mirrors/shop.git shop\nTest||node --test test/\n${CLEAN_UP}`,
    }),
    command: "python3 run.py",
  },
  {
    name: "ci-deploy-step-fails-at-the-end",
    facts: ['rsync: [Receiver] mkdir "/proc/shop/releases" failed: No such file or directory (2)'],
    files: () => ({
      ...PROJECT,
      "steps":
        `Checkout||find . -type f | sort\nTest||node --test --test-reporter=tap test/\nPack||tar -cvf /dev/null .\n` +
        `Deploy||LD_LIBRARY_PATH=$UNPACKED_LIBRARIES rsync -av src/ /proc/shop/releases\nStatus|always|echo "job failed, notifying 2 subscribers"\n`,
    }),
    command: "python3 run.py",
  },
];
