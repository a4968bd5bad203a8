/**
 * The paragraph for a harness's memory file, which the model has before it in every session: that large output can be
 * kept, by commands that every shell has. For harnesses that have no hook to do it unasked.
 *
 * @module
 */

import type { Setup, WiringSpec } from "./harness.ts";

/** The memory file of a harness; undefined for a user's that is not known. */
export interface MemoryPlaces {
  user: ((setup: Setup) => string) | undefined;
  project: string;
}

/** The way by the memory file alone. */
export function memoryFile({ user, project }: MemoryPlaces): WiringSpec {
  return {
    via: "memory",
    scopes: user === undefined ? ["project"] : ["user", "project"],
    path: (setup) => setup.scope === "user" && user !== undefined ? user(setup) : project,
    parts: (setup) => [{ kind: "paragraph", text: memoryParagraph(setup) }],
    claims: (path) => /\.(?:md|mdc|txt|markdown)$/i.test(path),
    otherwise: "--project (AGENTS.md) or --config FILE",
  };
}

/** The paragraph, without its markers. */
function memoryParagraph({ program, storeOption }: Setup): string {
  const fdtool = storeOption === undefined ? program : `${program} --store ${storeOption}`;
  return `## Large command output

Run commands that may print more than about 8,000 characters through fdtool: it keeps the whole output and shows a
preview with a handle such as fd:12. Small output is shown unchanged, and the exit code is the command's own.

- \`${fdtool} run -- CMD ARGS\`, or \`CMD 2>&1 | ${fdtool} capture\`
- \`${fdtool} search fd:12 PATTERN\` finds lines; \`${fdtool} read fd:12 --lines 400-450\` shows them
- \`${fdtool} read fd:12 --mode line --tail 20\` shows the end; \`${fdtool} ls\` lists what is kept`;
}
