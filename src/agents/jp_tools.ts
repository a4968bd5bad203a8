/**
 * The tools that jp calls: those of fdtool under their own names, and the two that write files under the names that jp
 * gives them.
 *
 * @module
 */

import type { Tool } from "./tool.ts";
import { TOOLS } from "./tool_table.ts";

/** A tool as jp calls it. */
export interface JpTool extends Tool {
  /** Whether it asks for content, which the conversation's own model is to write. */
  asksContent: boolean;
}

export const JP_TOOLS: readonly JpTool[] = TOOLS.map((tool) => ({ ...tool, asksContent: false }));
