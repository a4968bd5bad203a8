/**
 * Reads every text file below directories as new content, and lists those that the guard of new text would refuse, with
 * their first lines: `deno run --allow-read scripts/find_placeholders.ts DIR...`. On 2026-11-29 it refused 1 of 66,794
 * files of bevy, cargo, curl, fmt, git, hugo, kafka, prometheus, redis, rust-analyzer, spring-framework, svelte, sympy,
 * terraform, typescript-eslint and vite, and 1 of 17,835 of arthas, bsl-language-server, cocos-engine, elixir, json,
 * laravel, mon-entreprise, rails, tokio, vant, vapor and xxl-job; the limit is 1 in 10,000.
 */

import { findPlaceholders } from "../src/writing/checks/placeholder_lines.ts";

/** The regular files below a directory. */
function* filesBelow(directory: string): Iterable<string> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(directory)) {
    if (isDirectory) yield* filesBelow(`${directory}/${name}`);
    else if (isFile) yield `${directory}/${name}`;
  }
}

let fileCount = 0;
let refusedCount = 0;
for (const directory of Deno.args) {
  for (const path of filesBelow(directory)) {
    const bytes = Deno.readFileSync(path);
    if (bytes.subarray(0, 8000).includes(0)) continue;
    fileCount++;
    const found = findPlaceholders({ content: [bytes], fileName: path, before: [] });
    if (found.length === 0) continue;
    refusedCount++;
    const shown = found.slice(0, 3).map(({ lineNumber, text }) => `${lineNumber}: ${text}`);
    console.log(`${path}: ${shown.join(" | ")}`);
  }
}
console.log(`${refusedCount} of ${fileCount} files are refused.`);
