/**
 * `tools`: tool definitions for a provider, as the JSON or TOML that it takes (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { chosenTools } from "../agents/choose_tools.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import { definitionsFor, PROVIDERS } from "../agents/tool_definitions.ts";
import { toolsOf } from "../agents/tool_table.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";

export const command = defineOperation({
  fields: {
    for: {
      kind: "text",
      choices: PROVIDERS,
      option: { value: "PROVIDER", help: "print definitions for this provider (jp: TOML, others: JSON)" },
    },
    only: {
      kind: "words",
      option: { value: "TOOL,…", help: "only these tools, or groups: fds, refs, inquiries, writing" },
    },
  },
  usage: "--for PROVIDER [--only TOOL,…]",
  example: "fdtool tools --for anthropic --only read_fd,search_fd",
  exitCodes: { 0: "the definitions were printed" },
  async answer({ for: provider, only }, host) {
    if (provider === undefined) {
      const wanted = PROVIDERS.join(", ");
      return failUsage({ kind: "missing_value", command: "tools", option: "--for", wanted });
    }
    if (provider === "jp") {
      const { jpDefinitions } = await import("../agents/jp/jp_definitions.ts");
      const { jpToolsOf } = await import("../agents/jp/jp_tools.ts");
      const definitions = jpDefinitions(chosenTools(jpToolsOf(host.operations()), only, "tools"));
      return { exitCode: 0, answer: textAnswer(definitions) };
    }
    const definitions = definitionsFor(provider, chosenTools(toolsOf(host.operations()), only, "tools"));
    return { exitCode: 0, answer: textAnswer(`${JSON.stringify(definitions, null, 2)}\n`) };
  },
});
