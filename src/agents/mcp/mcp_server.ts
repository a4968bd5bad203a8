/**
 * fdtool as an MCP server (contract, Agents): tools, fds as resources, inquiries as elicitation. A failed tool call is
 * a result with `isError`, which a model can correct. Protocol errors are for what it cannot: unknown methods and
 * invalid messages.
 */

import * as v from "valibot";
import type { Host, Operation } from "../../calls/terms/command.ts";
import type { CallWriter } from "../../calls/terms/next_call.ts";
import { firstChars } from "../../answers/parts/first_few.ts";
import { dressedThrown } from "../answer_text.ts";
import { chosenTools } from "../choose_tools.ts";
import { mcpInstructions } from "../instructions.ts";
import { RUN_TOOLS } from "../run_command.ts";
import type { Tool } from "../tool.ts";
import { type McpListing, mcpTool } from "../tool_definitions.ts";
import { toolsOf } from "../tool_table.ts";
import { CLAUDE_CODE_CHARS } from "./answer_bounds.ts";
import { listResources, readResource, SLICE_TEMPLATE } from "./fd_resources.ts";
import { type CallContext, INVALID_PARAMS, McpSession, ProtocolError } from "./mcp_session.ts";
import { type ServedTools, ToolCall, ToolCalls } from "./tool_calls.ts";

/** Of versions with a handshake. */
const RESOURCE_NOT_FOUND = -32002;
interface ToolSelection {
  only: readonly string[] | undefined;
  all: boolean;
  run: boolean;
}

/**
 * Returns the tools to serve, by default the most used. Those that are `unlisted` are accepted, though not listed, which keeps
 * definitions small: a model may know them from elsewhere. Throws `bad_value` for an unknown name.
 */
export function servedTools(
  { only, all, run }: ToolSelection,
  operations: readonly Operation[],
): ServedTools {
  const tools = toolsOf(operations);
  const known = run ? [...tools, ...RUN_TOOLS] : tools;
  if (all || only !== undefined) return { tools: chosenTools(known, only, "mcp"), unlisted: [] };
  const isListed = (tool: Tool) => RUN_TOOLS.includes(tool) || tool.brief !== undefined;
  return { tools: known.filter(isListed), unlisted: known.filter((tool) => !isListed(tool)) };
}

/** Makes a server that is not connected yet. `program` are the words that start it once more. */
export function mcpServer(
  served: ServedTools,
  host: Host,
  listing: McpListing & { program: readonly string[] },
): McpSession {
  const session = new McpSession({
    serverInfo: { name: "fdtool", title: "fdtool", version: host.version },
    capabilities: { tools: {}, resources: {} },
    instructions: mcpInstructions(new Set(served.tools.map(({ name }) => name))),
  });
  const calls = new ToolCalls(served, host, listing.program);
  const { writeCall } = calls;
  session.answerRequests("tools/list", Page, (_, { client }) => {
    const claudeCodeChars = client.name === "claude-code" ? CLAUDE_CODE_CHARS : undefined;
    const tools = served.tools.map((tool) => mcpTool(tool, { ...listing, claudeCodeChars }));
    return { tools };
  });
  session.answerRequests(
    "tools/call",
    ToolCall,
    (params, call) => calls.call(params, call, (form, signal) => session.elicit(form, signal)),
  );
  session.answerRequests(
    "resources/list",
    Page,
    ({ cursor }, call) => ofResources(listResources(host, cursor), call, writeCall),
  );
  session.answerRequests("resources/templates/list", Page, () => ({ resourceTemplates: [SLICE_TEMPLATE] }));
  session.answerRequests("resources/read", v.object({ uri: v.string() }), ({ uri }, call) => {
    const contents = readResource(host, uri, writeCall).then((content) => ({ contents: [content] }));
    return ofResources(contents, call, writeCall, { uri: firstChars(uri, 200) });
  });
  return session;
}

const Page = v.object({ cursor: v.optional(v.string()) });

/** An answer about resources; failures are of the protocol, with `about` in their data. */
async function ofResources(
  answer: Promise<object>,
  { client }: CallContext,
  writeCall: CallWriter,
  about = {},
): Promise<object> {
  try {
    return await answer;
  } catch (thrown) {
    const { json, failure } = dressedThrown(thrown, "mcp", writeCall);
    const isAbsent = failure.type === "not_found" || failure.type === "removed";
    const code = isAbsent && !client.isStateless ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
    throw new ProtocolError(code, failure.message, { ...json, ...about });
  }
}
