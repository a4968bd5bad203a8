import type { Harness } from "./harness.ts";
import { memoryFile } from "./memory_paragraph.ts";

/** Any other harness: only the paragraph, in the memory file that many harnesses read. */
export const anyHarness: Harness = {
  name: "any",
  title: "any harness",
  program: undefined,
  ranWith: undefined,
  wirings: [memoryFile({ user: undefined, project: "AGENTS.md" })],
};
