/**
 * Counts the chars that a model sees of real outputs, with and without fdtool, compared with the truncation of hosts.
 * Run by `scripts/savings`.
 */

import { join } from "node:path";
import { CHECKOUT } from "./checkout.ts";
import { shell } from "./corpus/measure_case.ts";
import { charCount } from "./corpus/score_answer.ts";
import { keepPage, markdownTable, TODAY } from "./result_pages.ts";

const HELP = `Measures what a model is shown of real outputs, with and without fdtool.

Usage: scripts/savings [--print]

  --print   print the results and keep nothing

Results are kept under scripts/savings-results/, named after the day; docs/agents.md quotes the newest.
`;

/** The most that a host shows of one command's output; docs/agents.md has the source of each figure. */
const HOSTS = [
  { name: "Claude Code", most: (text: string) => Math.min(charCount(text), 30_000) },
  { name: "Gemini CLI", most: (text: string) => Math.min(charCount(text), 40_000) },
  { name: "Codex", most: (text: string) => Math.min(charCount(text), 40_000) },
  { name: "OpenCode", most: (text: string) => charCount(tailOf(text, 2000, 51_200)) },
] as const;

/** Commands as agents run them, each with what a reader of its output looks for. */
const CASES: readonly { name: string; command: string; sought: string }[] = [
  { name: "git status", command: "git status", sought: "modified" },
  { name: "npm ls", command: "npm ls --depth=0", sought: "valibot" },
  { name: "git log, 40 entries", command: "git log -40", sought: "plan" },
  { name: "git show, one commit", command: "git log -p -1 --stat=80", sought: "fix" },
  { name: "npm ls --all", command: "npm ls --all", sought: "zod" },
  {
    name: "unit tests",
    command:
      `NO_COLOR=1 ${Deno.execPath()} test -A --quiet --no-lock src/answers/render src/agents src/harnesses 2>&1`,
    sought: "FAILED|error",
  },
  { name: "grep -rn import src", command: "grep -rn import src", sought: "valibot" },
  { name: "gcc -Wall, 400 warnings", command: warnings(400), sought: "division by zero" },
  { name: "git log -p, 30 commits", command: "git log -p -30", sought: "^\\+.*throw" },
  { name: "dpkg -l", command: "dpkg -l", sought: "libc6" },
  { name: "ls -lR node_modules", command: "ls -lR node_modules", sought: "valibot" },
  { name: "find /usr", command: "find /usr 2>/dev/null", sought: "stdio\\.h" },
];

/** A compiler's output with many warnings, and one that matters. */
function warnings(count: number): string {
  return `awk 'BEGIN { for (i = 0; i < ${count}; i++) printf "int f%d(int a) { int unused%d; return %s; }\\n", ` +
    `i, i, i == 217 ? "a / 0" : "a" }' | gcc -Wall -x c -c -o /dev/null - 2>&1`;
}

/** One row of the table. */
interface Row {
  name: string;
  charCount: number;
  /** The chars that each host shows without fdtool. */
  hosts: readonly number[];
  /** The chars shown with fdtool, and with one search after it. */
  shown: number;
  searched: number;
  /** The chars shown if the model reads every page. */
  paged: number;
}

async function main(words: readonly string[]): Promise<void> {
  if (words.includes("--help")) {
    console.log(HELP);
    return;
  }
  const store = Deno.makeTempDirSync({ prefix: "fdtool-savings-" });
  try {
    const rows: Row[] = [];
    for (const each of CASES) {
      console.error(each.name);
      rows.push(await measure(each, store));
    }
    const report = reportOf(rows);
    console.log(report);
    if (!words.includes("--print")) keepPage("savings", TODAY, report);
  } finally {
    Deno.removeSync(store, { recursive: true });
  }
}

async function measure({ name, command, sought }: typeof CASES[number], store: string): Promise<Row> {
  const output = await shell(`exec 2>/dev/null; ${command}`, store, "/dev/null", CHECKOUT);
  const hosts = HOSTS.map(({ most }) => most(output));
  const outputFile = join(store, "output");
  Deno.writeTextFileSync(outputFile, output);
  const captured = await shell("fdtool capture --preview both", store, outputFile);
  const handle = /^<fd_result fd="(fd:\d+)" pages="(\d+)"/.exec(captured);
  const shown = charCount(captured);
  if (handle === null) {
    return { name, charCount: charCount(output), hosts, shown, searched: shown, paged: shown };
  }
  const [, fd, pages] = handle;
  const found = await shell(`fdtool search ${fd} '${sought}' --max-count 20`, store, "/dev/null");
  let paged = shown;
  for (let page = 1; page <= Number(pages); page++) {
    // After the first pages, each costs the same.
    if (page > 50) {
      paged += Math.round((paged - shown) / 50) * (Number(pages) - 50);
      break;
    }
    paged += charCount(await shell(`fdtool read ${fd} --start ${page}`, store, "/dev/null"));
  }
  return { name, charCount: charCount(output), hosts, shown, searched: shown + charCount(found), paged };
}

/** Returns the last lines, limited in number and bytes. */
function tailOf(text: string, lineCount: number, byteCount: number): string {
  const lines = text.split("\n").slice(-lineCount).join("\n");
  const bytes = new TextEncoder().encode(lines);
  return new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - byteCount)));
}

function reportOf(rows: readonly Row[]): string {
  const head = ["output", "chars", ...HOSTS.map(({ name }) => name), "fdtool", "+ search", "every page"];
  const lines = rows.map((row) => {
    const counts = [row.charCount, ...row.hosts, row.shown, row.searched, row.paged];
    return [row.name, ...counts.map((count) => count.toLocaleString("en"))];
  });
  return `# What a model is shown, in chars

Measured by \`scripts/savings\` on ${TODAY}, with the outputs of that day and machine.

${markdownTable(head, lines)}
`;
}

await main(Deno.args);
