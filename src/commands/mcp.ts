/**
 * `mcp`: a Model Context Protocol server on standard input and output (contract, Agents). It ends when its stdin does.
 *
 * @module
 */

import type { Command } from "../command.ts";

export const command: Command = {
  spec: {
    name: "mcp",
    aliases: ["mcp_server"],
    summary: "a Model Context Protocol server on stdio",
    usage: "[--only NAME,…]",
    positionals: { least: 0, most: 0 },
    options: {
      only: {
        kind: "text",
        value: "NAME,…",
        many: true,
        help: "only these tools, or parts: fds, refs, inquiries, writing",
      },
    },
    example: "fdtool mcp --root .",
    exitCodes: [[0, "the client closed stdin"], [2, "wrong call"]],
  },
  async run({ options }, host) {
    const [{ mcpServer }, { stdioTransport }, { chosenTools }, { TOOLS }] = await Promise.all([
      import("../agents/mcp_server.ts"),
      import("../agents/stdio_transport.ts"),
      import("../agents/choose_tools.ts"),
      import("../agents/tool_table.ts"),
    ]);
    const tools = chosenTools(TOOLS, options["only"] as readonly string[] | undefined, "mcp");
    // stdout is the protocol's: whatever a library prints goes where people look.
    console.log = console.info = console.debug = console.error;
    const transport = stdioTransport();
    await mcpServer(tools, host).connect(transport);
    await transport.ended;
    return { exitCode: 0 };
  },
};
