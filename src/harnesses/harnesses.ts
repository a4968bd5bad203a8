/**
 * The harnesses. Each record follows the harness's public documentation and runs of its program; docs/decisions.md has
 * the reasons for each wiring.
 */

import { claudeCode } from "./claude_code.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot_cli.ts";
import { geminiCli, qwenCode } from "./gemini_cli.ts";
import { type Harness, memoryFile } from "./harness.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

/** Any other harness: only the paragraph, in the memory file that many harnesses read. */
const anyHarness: Harness = {
  name: "any",
  title: "any harness",
  program: undefined,
  ranWith: undefined,
  wirings: [memoryFile({ user: undefined, project: "AGENTS.md" })],
};

export const HARNESSES: readonly Harness[] = [
  claudeCode,
  geminiCli,
  codex,
  opencode,
  qwenCode,
  pi,
  copilotCli,
  anyHarness,
];
export const HARNESS_NAMES: readonly string[] = HARNESSES.map(({ name }) => name);
