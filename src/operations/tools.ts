/**
 * `tools`: tool definitions for a provider, as the JSON or TOML that it takes (contract, Agents).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { chosenTools } from "../agents/choose_tools.ts";
import { textAnswer } from "../answering/text_answer.ts";
import { definitionsFor, PROVIDERS } from "../agents/tool_definitions.ts";
import { toolsOf } from "../agents/tool_table.ts";
import { type CommandSpec, optionsOf } from "../terms/command.ts";
import { failUsage } from "../requests/usage_failure.ts";

const OPTIONS = {
  for: {
    kind: "text",
    value: "PROVIDER",
    choices: PROVIDERS,
    help: "print definitions for this provider (jp: TOML, others: JSON)",
  },
  only: {
    kind: "text",
    value: "TOOL,…",
    many: true,
    help: "only these tools, or groups: fds, refs, inquiries, writing",
  },
} as const satisfies CommandSpec["options"];

export const command = defineOperation({
  usage: "--for PROVIDER [--only TOOL,…]",
  options: OPTIONS,
  example: "fdtool tools --for anthropic --only read_fd,search_fd",
  exitCodes: [[0, "the definitions were printed"], [2, "usage error"]],
  async run(call, host) {
    const options = optionsOf(OPTIONS, call);
    const provider = options["for"];
    const only = options["only"];
    if (provider === undefined) {
      return failUsage({
        kind: "missing_value",
        command: "tools",
        option: "--for",
        wanted: PROVIDERS.join(", "),
      });
    }
    if (provider === "jp") {
      const [{ jpDefinitions }, { jpToolsOf }] = await Promise.all([
        import("../agents/jp/jp_definitions.ts"),
        import("../agents/jp/jp_tools.ts"),
      ]);
      return {
        exitCode: 0,
        answer: textAnswer(jpDefinitions(chosenTools(jpToolsOf(host.operations()), only, "tools"))),
      };
    }
    const definitions = definitionsFor(provider, chosenTools(toolsOf(host.operations()), only, "tools"));
    return { exitCode: 0, answer: textAnswer(`${JSON.stringify(definitions, null, 2)}\n`) };
  },
});
