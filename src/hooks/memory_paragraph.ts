/**
 * The paragraph for a harness's memory file, which the model reads in every session: how to store large output from a
 * shell. It is for harnesses without a hook that does so automatically.
 */

import type { Harness, Setup, WiringSpec } from "./harness.ts";

/** Paths of the memory files; undefined if the user's is not known. */
export interface MemoryPlaces {
  user: ((setup: Setup) => string) | undefined;
  project: string;
}

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

function memoryParagraph({ program, storeOption }: Setup): string {
  const fdtool = storeOption === undefined ? program : `${program} --store ${storeOption}`;
  return `## Large command output

Run commands that may print more than about 8,000 characters through fdtool: it keeps the whole output and shows the
start, the end and the lines that matter, with a handle such as fd:12. Small output is shown unchanged, and the exit
code is the command's own.

- \`${fdtool} run -- CMD ARGS\`, or \`CMD 2>&1 | ${fdtool} capture\`
- \`${fdtool} search fd:12 PATTERN\` finds lines; \`${fdtool} read fd:12 --lines 400-450\` shows them
- \`${fdtool} read fd:12 --tail 20\` shows the end; \`${fdtool} ls\` lists what is kept`;
}

/** Any other harness: only the paragraph, in the memory file that many harnesses read. */
export const anyHarness: Harness = {
  name: "any",
  title: "any harness",
  program: undefined,
  ranWith: undefined,
  wirings: [memoryFile({ user: undefined, project: "AGENTS.md" })],
};
