/**
 * `mcp`: a Model Context Protocol server on standard input and output (contract, Agents). It ends when its stdin does.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { flagOption } from "../calls/requests/request_fields.ts";
import { serveStdio } from "../agents/mcp/stdio_transport.ts";

export const command = defineOperation({
  fields: {
    only: {
      kind: "texts",
      option: { value: "TOOL,…", help: "only these tools, or groups: fds, refs, inquiries, writing" },
    },
    all: flagOption("serve all tools with all parameters (default: the most used)"),
    run: flagOption(
      "also serve run_command, wait_fd and stop_fd, for shell commands; --root does not confine them",
    ),
    output_schemas: flagOption("include output schemas, for clients that validate answers"),
  },
  rules: [{ field: "all", excludes: ["only"] }],
  usage: "[--only TOOL,… | --all] [--run]",
  example: "fdtool mcp --root .",
  noticesInterrupted: false,
  exitCodes: { 0: "the client closed stdin" },
  async answer({ only: chosen, all, run, output_schemas }, host) {
    const { mcpServer, servedTools } = await import("../agents/mcp/mcp_server.ts");
    const only = chosen === undefined ? undefined : [chosen].flat();
    const tools = servedTools({ only, all: all === true, run: run === true }, host.operations());
    const program = [
      "mcp",
      ...(host.root === undefined ? [] : ["--root", host.root]),
      ...(only === undefined ? [] : ["--only", only.join(",")]),
      ...(all === true ? ["--all"] : []),
      ...(run === true ? ["--run"] : []),
    ];
    const listing = {
      brief: all !== true && only === undefined,
      outputSchemas: output_schemas === true,
      program,
    };
    // stdout carries the protocol, so anything a library prints goes to stderr.
    console.log = console.info = console.debug = console.error;
    await serveStdio(mcpServer(tools, host, listing));
    return { exitCode: 0 };
  },
});
