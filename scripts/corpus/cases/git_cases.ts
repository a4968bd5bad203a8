/** git. */

import { manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

const START = "git init -q -b main .;";

/** Makes commits that change one file each; commit 140 changes a limit. */
const HISTORY = `${START}
for number in $(seq 1 260); do
  export GIT_AUTHOR_DATE="2026-01-01T10:00:00Z" GIT_COMMITTER_DATE="$((1767261600 + number * 3600)) +0000"
  file=src/part-$((number % 40)).c
  mkdir -p src
  printf 'int part_%s(void) { return %s; }\\n' $number $number >>$file
  if [ $number = 140 ]; then printf '#define MAX_RETRIES 0\\n' >>src/retry.h; fi
  git add -A
  git commit -q -m "Extend part $((number % 40)) for order $number"
done
`;

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
    name: "git-status-one-unmerged-among-untracked",
    facts: ["both modified:   src/market.c"],
    files: () => ({ "src/market.c": "int market;\n" }),
    command:
      `${START} git add -A; git commit -q -m base; git switch -q -c topic; echo 'int a;' >src/market.c; git commit -qam a
git switch -q main; echo 'int b;' >src/market.c; git commit -qam b; git merge -q topic >/dev/null
for number in $(seq 1 600); do echo x >error-report-$number.txt; done; git -c color.status=always status`,
  },
  {
    name: "git-fsck-one-missing-blob",
    facts: ["missing blob "],
    command: `${HISTORY}
for number in $(seq 1 200); do echo "loose $number" | git hash-object -w --stdin >/dev/null; done
blob=$(git rev-parse HEAD:src/retry.h); rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-); git fsck --full --unreachable 2>&1`,
  },
  {
    name: "git-push-rejected-by-hook",
    facts: [
      "! [remote rejected] main -> main (pre-receive hook declined)",
      "remote: error: src/market.c: secret on line 3",
    ],
    command:
      `git init -q --bare remote.git; mv hook remote.git/hooks/pre-receive; chmod +x remote.git/hooks/pre-receive
git init -q -b main shop; cd shop; for number in $(seq 1 300); do echo $number >part-$number.c; done; git add -A; git commit -q -m parts; git push --progress ../remote.git main`,
  },
  {
    name: "git-log-patch-one-odd-commit",
    facts: ["+#define MAX_RETRIES 0"],
    command: `${HISTORY} git -c color.ui=always log -p`,
  },
  {
    name: "git-log-stat",
    sound: true,
    command: `${HISTORY} git log --stat`,
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
