/** The pages of results that scripts print and keep: where they go, and how their tables look. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./checkout.ts";

/** The day of today, as results are named and dated. */
export const TODAY = new Date().toISOString().slice(0, 10);

/** Keeps a page of results as `scripts/KIND-results/NAME.md`, and says where. */
export function keepPage(kind: string, name: string, page: string): void {
  const directory = join(CHECKOUT, "scripts", `${kind}-results`);
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.md`);
  writeFileSync(path, page);
  console.log(`Kept as ${path}`);
}

/** A Markdown table; all columns but the first `textColumns` are numbers. */
export function markdownTable(
  head: readonly string[],
  lines: readonly (readonly string[])[],
  textColumns = 1,
): string {
  const rule = head.map((_, index) => index < textColumns ? "---" : "---:");
  return [head, rule, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
}
