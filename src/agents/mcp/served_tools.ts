/** Chooses the tools that an MCP server serves: by default, the most used. */

import { chosenTools } from "../choose_tools.ts";
import { RUN_COMMAND } from "../run_command.ts";
import type { Operation } from "../../terms/command.ts";
import type { Tool } from "../tool.ts";
import { toolsOf } from "../tool_table.ts";

export interface ToolSelection {
  only: readonly string[] | undefined;
  all: boolean;
  run: boolean;
}

export interface ServedTools {
  tools: readonly Tool[];
  /** Accepted though not listed, which keeps definitions small: a model may know them from elsewhere. */
  unlisted: readonly Tool[];
}

/** Returns the tools to serve. Throws `bad_value` for an unknown name. */
export function servedTools(
  { only, all, run }: ToolSelection,
  operations: readonly Operation[],
): ServedTools {
  const tools = toolsOf(operations);
  const known = run ? [...tools, RUN_COMMAND] : tools;
  if (all || only !== undefined) return { tools: chosenTools(known, only, "mcp"), unlisted: [] };
  const isListed = (tool: Tool) => tool === RUN_COMMAND || tool.brief !== undefined;
  return { tools: known.filter(isListed), unlisted: known.filter((tool) => !isListed(tool)) };
}
