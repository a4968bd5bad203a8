/**
 * Commands to ask Claude Code about: those that agents type, those that rules are written for, and forms that are hard
 * for a permission check. All are harmless in the test's project.
 */

/** The project and home that they are asked about in. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  "project/data.txt": "b\na\nc\n",
  "project/notes.txt": "a note\n",
  "project/secret.txt": "SECRET\n",
  "project/protected.txt": "protected\n",
  "project/.env": "KEY=none\n",
  "project/src/a.js": "console.log(1);\n",
  "project/src/b.js": "console.log(2);\n",
  "project/sub/deep.txt": "deep\n",
  "project/Makefile": "all:\n\t@echo made\n",
  "project/package.json": '{ "private": true, "scripts": { "test": "true" } }\n',
  "home/private/key.txt": "KEY\n",
};

const READING = [
  "cat",
  "head",
  "tail",
  "head -1",
  "tail -n 2",
  "wc -l",
  "sort",
  "grep a",
  "sed -n 1p",
  "awk 1",
  "nl",
  "tac",
];
const READ_FILES = ["data.txt", "secret.txt", "notes.txt", "~/private/key.txt"];
const CHANGING = [
  "echo x >",
  "echo x >>",
  "sed -i s/a/b/",
  "tee",
  "rm -f",
  "chmod 600",
  "truncate -s 0",
  "cp data.txt",
  "touch",
];
const CHANGED_FILES = ["data.txt", "protected.txt", "src/a.js"];

/** At least 150. */
export const HARMLESS_COMMANDS: readonly string[] = [
  ...READING.flatMap((command) => READ_FILES.map((file) => `${command} ${file}`)),
  ...CHANGING.flatMap((command) => CHANGED_FILES.map((file) => `${command} ${file}`)),
  ...[
    "ls",
    "ls -la",
    "pwd",
    "date",
    "whoami",
    "id -u",
    "uname -a",
    "env",
    "echo hello",
    "printf '%s\\n' a b",
    "true",
    "false",
  ],
  ...[
    "find . -name '*.js'",
    "find . -type f -exec cat {} +",
    "find . -delete -name nothing-of-this-name",
    "du -s .",
    "stat data.txt",
  ],
  ...[
    "git status",
    "git log --oneline",
    "git diff",
    "git push",
    "git init -q .",
    "git -C sub status",
    "git commit -m x",
  ],
  ...[
    "make",
    "make -n",
    "make clean",
    "mkdir -p build",
    "mkdir made",
    "rmdir made",
    "ln -s data.txt link",
    "mv data.txt moved.txt",
  ],
  ...[
    "curl -s http://127.0.0.1:1/",
    "wget -q http://127.0.0.1:1/",
    "which sh",
    "type ls",
    "command -v git",
    "node --version",
  ],
  ...[
    "ls | sort",
    "cat data.txt | grep a | wc -l",
    "ls && pwd",
    "ls; touch made.txt",
    "ls || rm -f data.txt",
    "cat secret.txt | head -1",
  ],
  ...[
    "cd sub && ls",
    "cd sub; pwd",
    "cd / && ls",
    "cd .. && cat project/secret.txt",
    "(cd sub; cat ../secret.txt)",
  ],
  ...[
    "echo $(cat secret.txt)",
    "echo `date`",
    "echo $HOME",
    'echo "$(touch made.txt)"',
    "cat <(echo a)",
    "cat < secret.txt",
  ],
  ...[
    "for f in *.txt; do cat $f; done",
    "while read l; do echo $l; done < data.txt",
    "if true; then ls; fi",
    "{ cat secret.txt; }",
  ],
  ...[
    "f() { cat secret.txt; }; f",
    "alias l=ls; l",
    "eval cat secret.txt",
    "eval 'ls -la'",
    "exec cat data.txt",
    "trap 'echo bye' EXIT",
  ],
  ...[
    "bash -c 'cat secret.txt'",
    "sh -c ls",
    "env X=1 ls",
    "X=1 ls",
    "X=$(cat secret.txt) true",
    "timeout 5 cat secret.txt",
    "nice ls",
  ],
  ...[
    "time ls",
    "! ls",
    "xargs cat < data.txt",
    "ls | xargs -n1 echo",
    "echo secret.txt | xargs cat",
    "sudo -n true",
    "nohup true",
  ],
  ...[
    "cat <<'EOF'\nline\nEOF",
    "cat <<EOF > made.txt\nline\nEOF",
    "ls\npwd",
    "ls # a comment",
    "# only a comment",
    "ls \\\n  -la",
  ],
  ...[
    "sleep 0 &",
    "sleep 0 & wait",
    "jobs",
    "ls > /dev/null",
    "ls > out.txt",
    "ls 2>&1",
    "ls &> all.txt",
    "cat data.txt > /tmp/../tmp/none/x",
  ],
  ...[
    "python3 -c 'print(1)'",
    "node -e 'console.log(1)'",
    "perl -e 'print 1'",
    "npx --no-install nothing",
    "npm run nothing --silent",
  ],
  ...[
    "cat 'secret.txt'",
    "cat ./secret.txt",
    "cat s*.txt",
    "cat sec'ret'.txt",
    'cat "$PWD/secret.txt"',
    "cat sub/../secret.txt",
  ],
  ...[
    "diff data.txt secret.txt",
    "cmp data.txt secret.txt",
    "od -c secret.txt",
    "base64 secret.txt",
    "strings secret.txt",
    "dd if=secret.txt",
  ],
  ...[
    "grep -r SECRET .",
    "rg SECRET",
    "cut -c1 secret.txt",
    "paste secret.txt data.txt",
    "rev secret.txt",
    "md5sum secret.txt",
  ],
  ...[
    "kill -0 $$",
    "ps",
    "ulimit -n",
    "umask",
    "export A=1",
    "unset A",
    "set -e; ls",
    "source ./none.sh",
    ". ./none.sh",
    "test -f data.txt",
  ],
];

/**
 * fdtool's own commands, with the expected verdict once it is installed: those that read fds are judged like `true`,
 * commands beside them by their own verdict, and everything else as without fdtool.
 */
export const OWN_COMMANDS: readonly { command: string; like: string }[] = [
  ...["read fd:1", "read fd:1 --start 2", "search fd:1 error", "ls", "stat fd:1", "diff fd:1 fd:2"]
    .map((words) => ({ command: `fdtool ${words}`, like: "true" })),
  ...[
    "> out.txt",
    "; touch made.txt",
    "&& rm -f data.txt",
    "| tee protected.txt",
    "; cat secret.txt",
    "&& curl x",
  ]
    .map((rest) => ({ command: `fdtool read fd:1 ${rest}`, like: `true ${rest}` })),
  { command: "cat secret.txt | fdtool search fd:1 a", like: "cat secret.txt | true" },
  ...[
    "run -- ls",
    "rm fd:1",
    "to-file fd:1 out.txt",
    "count data.txt",
    "create made.txt",
    "gc",
    "readx fd:1",
    "capture",
  ]
    .map((words) => ({ command: `fdtool ${words}`, like: `fdtool ${words}` })),
  { command: "fdtool read $(touch made.txt)", like: "fdtool read $(touch made.txt)" },
];
