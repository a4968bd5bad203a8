/** The harnesses that are run. */

import { claudeCode } from "./claude_code.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot_cli.ts";
import { geminiCli, qwenCode } from "./gemini_cli.ts";
import type { LiveHarness } from "./live_harness.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

export const LIVE_HARNESSES: readonly LiveHarness[] = [
  claudeCode,
  codex,
  opencode,
  geminiCli,
  qwenCode,
  pi,
  copilotCli,
];
