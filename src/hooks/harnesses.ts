/**
 * The harnesses. Each record follows the harness's public documentation and runs of its program; docs/decisions.md has
 * the reasons for each wiring.
 */

import { claudeCode } from "./claude_code.ts";
import { codex } from "./codex.ts";
import { geminiCli, qwenCode } from "./gemini_cli.ts";
import type { Harness } from "./harness.ts";
import { anyHarness } from "./memory_paragraph.ts";
import { opencode } from "./opencode.ts";

export const HARNESSES: readonly Harness[] = [claudeCode, geminiCli, codex, opencode, qwenCode, anyHarness];
export const HARNESS_NAMES: readonly string[] = HARNESSES.map(({ name }) => name);
