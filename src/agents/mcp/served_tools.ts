/** Chooses the tools that an MCP server serves: by default, the most used. */

import { BRIEF_TOOLS } from "../brief_tools.ts";
import { chosenTools } from "../choose_tools.ts";
import { RUN_COMMAND } from "../run_command.ts";
import type { Tool } from "../tool.ts";
import { TOOLS } from "../tool_table.ts";

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
export function servedTools({ only, all, run }: ToolSelection): ServedTools {
  const known = run ? [...TOOLS, RUN_COMMAND] : TOOLS;
  if (all || only !== undefined) return { tools: chosenTools(known, only, "mcp"), unlisted: [] };
  const [tools, unlisted] = [true, false].map((isListed) =>
    known.filter((tool) => (tool === RUN_COMMAND || Object.hasOwn(BRIEF_TOOLS, tool.name)) === isListed)
  );
  return { tools: tools!, unlisted: unlisted! };
}
