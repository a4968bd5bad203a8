/** git. */

import { manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

const START = "git init -q -b main .;";

export const GIT_CASES: readonly WrittenCase[] = [
  {
    name: "git-merge-one-conflict-among-300",
    facts: ["CONFLICT (content): Merge conflict in src/market.c"],
    files: () =>
      manyFiles(
        300,
        "src/*.c",
        (name) => repeat(9, (_, at) => `int ${name}_${at}(void) { return ${at}; }`) + "\n",
      ),
    command: `${START} git add -A; git commit -q -m base; git switch -q -c topic
sed -i '1s/return/return 1 +/' src/*.c; git commit -qam topic; git switch -q main
sed -i '9s/return/return 2 +/' src/*.c; sed -i '1s/return/return 3 +/' src/market.c; git commit -qam main; git merge topic`,
  },
  {
    name: "git-diff-coloured-of-many-files",
    sound: true,
    files: () =>
      manyFiles(
        60,
        "src/*.c",
        (name) => repeat(9, (_, at) => `int ${name}_${at}(void) { return ${at}; }`) + "\n",
      ),
    command:
      `${START} git add -A; git commit -q -m base; sed -i '4s/return/return 1 +/' src/*.c; git diff --color=always`,
  },
  {
    name: "git-apply-one-patch-fails",
    facts: ["error: patch failed: src/market.c:1"],
    files: () =>
      manyFiles(
        250,
        "src/*.c",
        (name) => repeat(5, (_, at) => `int ${name}_${at}(void) { return ${at}; }`) + "\n",
      ),
    command:
      `${START} git add -A; git commit -q -m base; sed -i '1s/return/return 1 +/' src/*.c; git diff >../all.patch; git checkout -q .
sed -i '1s/return/return 7 +/' src/market.c; git apply --reject --verbose ../all.patch; rm ../all.patch`,
  },
  {
    name: "git-blame-of-a-long-file",
    sound: true,
    files: () => ({
      "main.c": repeat(600, (part, at) => `int ${part}_${at}(void) { return ${at}; }`) + "\n",
    }),
    command:
      `${START} git add -A; git commit -q -m base; sed -i '1~7s/return/return 1 +/' main.c; GIT_AUTHOR_NAME="Grace Hill" git commit -qam more; git blame main.c`,
  },
];
