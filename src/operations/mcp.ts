/**
 * `mcp`: a Model Context Protocol server on standard input and output (contract, Agents). It ends when its stdin does.
 */

import { type Command, type CommandSpec, optionsOf } from "../terms/command.ts";
import { failUsage } from "../requests/usage_failure.ts";

const OPTIONS = {
  only: {
    kind: "text",
    value: "TOOL,…",
    many: true,
    help: "only these tools, or groups: fds, refs, inquiries, writing",
  },
  all: { kind: "flag", help: "serve all tools with all parameters (default: the most used)" },
  run: {
    kind: "flag",
    help: "also serve run_command, which runs shell commands; --root does not confine them",
  },
  "output-schemas": {
    kind: "flag",
    help: "include output schemas, for clients that validate answers",
  },
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    usage: "[--only TOOL,… | --all] [--run]",
    positionals: { least: 0, most: 0 },
    options: OPTIONS,
    example: "fdtool mcp --root .",
    noticesInterrupted: false,
    exitCodes: [[0, "the client closed stdin"], [2, "usage error"]],
  },
  async run(call, host) {
    const options = optionsOf(OPTIONS, call);
    const [{ mcpServer }, { stdioTransport }, { servedTools }] = await Promise.all([
      import("../agents/mcp/mcp_server.ts"),
      import("../agents/mcp/stdio_transport.ts"),
      import("../agents/mcp/served_tools.ts"),
    ]);
    const only = options["only"];
    const all = options["all"] === true;
    if (all && only !== undefined) {
      failUsage({
        kind: "conflict",
        command: "mcp",
        first: "--all",
        second: "--only",
        wanted: "choose one",
      });
    }
    const tools = servedTools({ only, all, run: options["run"] === true }, host.operations());
    const listing = { brief: !all && only === undefined, outputSchemas: options["output-schemas"] === true };
    // stdout carries the protocol, so anything a library prints goes to stderr.
    console.log = console.info = console.debug = console.error;
    const transport = stdioTransport();
    await mcpServer(tools, host, listing).connect(transport);
    await transport.ended;
    return { exitCode: 0 };
  },
};
