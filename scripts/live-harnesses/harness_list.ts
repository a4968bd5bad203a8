/** The harnesses that are run, one file each. @module */

import { claudeCode } from "./claude_code.ts";
import type { LiveHarness } from "./live_harness.ts";

export const LIVE_HARNESSES: readonly LiveHarness[] = [claudeCode];
