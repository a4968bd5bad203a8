/**
 * fdtool as an MCP server (contract, Agents): tools, fds as resources, inquiries as elicitation. A failed tool call is
 * a result with `isError`, which a model can correct. Protocol errors are for what it cannot: unknown methods and
 * invalid messages.
 */

// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Host, Operation } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { UsageError } from "../../requests/usage_failure.ts";
import { cancelInquiry, CONTENT_QUESTION } from "../../writing/inquiries/inquiries.ts";
import { WriteError } from "../../terms/write_failure.ts";
import { type DressedAnswer, dressedAnswer, dressedThrown } from "../answer_text.ts";
import { type AnswerBound, boundFor, CLAUDE_CODE_CHARS, isClaudeCode } from "./answer_bounds.ts";
import { type BoundedOutcome, callBounded } from "./bounded_call.ts";
import { listResources, readResource, SLICE_TEMPLATE } from "./fd_resources.ts";
import { mcpInstructions } from "./mcp_instructions.ts";
import { type AskedQuestion, type CallContext, McpSession } from "./mcp_session.ts";
import { chosenTools } from "../choose_tools.ts";
import { RUN_COMMAND } from "../run_command.ts";
import type { Tool } from "../tool.ts";
import { toolCallWriter } from "../tool_call.ts";
import { toolsOf } from "../tool_table.ts";
import { type McpListing, mcpTool } from "../tool_definitions.ts";

const RESOURCE_NOT_FOUND = -32002;
/** Questions per call: if a file changes while the user answers, the question is asked again. */
const MAX_QUESTIONS = 5;

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

/** Returns the tools to serve, by default the most used. Throws `bad_value` for an unknown name. */
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

/** Makes a server that is not connected yet. */
export function mcpServer({ tools, unlisted }: ServedTools, host: Host, listing: McpListing): McpSession {
  const listed = new Set(tools.map(({ name }) => name));
  const byName = new Map([...tools, ...unlisted].map((tool) => [tool.name, tool]));
  const server = new McpSession({
    serverInfo: { name: "fdtool", title: "fdtool", version: host.version },
    capabilities: { tools: {}, resources: {} },
    instructions: mcpInstructions(listed),
  });
  // The client may have no shell, so `next` names a served tool or is left out.
  const writeCall = toolCallWriter(tools);

  server.answerRequests("tools/list", ListToolsRequestSchema, () => ({
    tools: tools.map((tool) =>
      mcpTool(tool, {
        ...listing,
        claudeCodeChars: isClaudeCode(server.clientName) ? CLAUDE_CODE_CHARS : undefined,
      })
    ),
  }));
  server.answerRequests("tools/call", CallToolRequestSchema, async ({ params }, extra) => {
    const tool = byName.get(params.name);
    if (tool === undefined) {
      const known = [...listed].join(", ");
      throw new McpError(
        ErrorCode.InvalidParams,
        `Unknown tool ${JSON.stringify(params.name)}; known: ${known}`,
      );
    }
    return await toolResult(tool, params.arguments, extra);
  });
  server.answerRequests(
    "resources/list",
    ListResourcesRequestSchema,
    ({ params }) => listResources(host, params?.cursor),
  );
  server.answerRequests(
    "resources/templates/list",
    ListResourceTemplatesRequestSchema,
    () => ({ resourceTemplates: [SLICE_TEMPLATE] }),
  );
  server.answerRequests("resources/read", ReadResourceRequestSchema, async ({ params: { uri } }) => {
    try {
      return { contents: [await readResource(host, uri, writeCall)] } as {
        contents: { uri: string; text: string }[];
      };
    } catch (thrown) {
      const { json, failure } = dressedThrown(thrown, "mcp", writeCall);
      const isAbsent = failure.type === "not_found" || failure.type === "removed";
      throw new McpError(isAbsent ? RESOURCE_NOT_FOUND : ErrorCode.InvalidParams, failure.message, json);
    }
  });

  async function toolResult(tool: Tool, given: unknown, extra: CallContext): Promise<CallToolResult> {
    // A client that called an unlisted tool can call it again.
    const writeNext = toolCallWriter([...tools, tool]);
    try {
      const outcome = await callBounded(tool, given, hostOf(host, extra, canAsk()), writeNext, bound());
      return resultOf(await answered(outcome, extra));
    } catch (thrown) {
      extra.signal.throwIfAborted();
      const { xml, json } = dressedThrown(thrown, undefined, writeCall);
      return { ...resultOf({ xml, json }), isError: true };
    }
  }

  function resultOf({ xml, json }: DressedAnswer): CallToolResult {
    return { content: [{ type: "text", text: xml }], structuredContent: json };
  }

  function bound(): AnswerBound {
    return boundFor(server.clientName);
  }

  /** Whether the client can show forms, so that a user's decision is asked separately from content. */
  function canAsk(): boolean {
    return server.clientCapabilities?.elicitation?.form !== undefined;
  }

  /**
   * Asks the user each question of the outcome, and returns the last outcome. If it cannot ask or gets no valid answer,
   * that is the question itself, which the model may answer.
   */
  async function answered(outcome: BoundedOutcome, extra: CallContext): Promise<BoundedOutcome> {
    const answerTool = byName.get("answer_inquiry");
    let last = outcome;
    for (let asked = 0; asked < MAX_QUESTIONS && last.json["type"] === "needs_input"; asked++) {
      if (answerTool === undefined) break;
      const question = last.json["question"] as AskedQuestion;
      // The model has to write content; no user should type a file.
      if (question.id === CONTENT_QUESTION) break;
      const inquiry_id = String(last.json["inquiry_id"]);
      const response = await server.ask(question, extra.signal);
      if (response === undefined) break;
      if (response === "declined") {
        return {
          exitCode: 1,
          ...dressedAnswer(await cancelInquiry(openHostStore(host), inquiry_id, DECLINED), writeCall),
        };
      }
      try {
        last = await callBounded(
          answerTool,
          { inquiry_id, answer: response.answer },
          hostOf(host, extra, canAsk()),
          writeCall,
          bound(),
        );
      } catch (thrown) {
        if (isInvalidAnswer(thrown)) break;
        throw thrown;
      }
    }
    return last;
  }

  return server;
}

const DECLINED = "The user was asked, and declined";

/** Whether a form's answer was invalid; the question stays open. */
function isInvalidAnswer(thrown: unknown): boolean {
  return thrown instanceof WriteError && thrown.failure.kind === "invalid_answer" ||
    thrown instanceof UsageError && thrown.failure.kind === "bad_arguments";
}

/** The host of one call: it reports progress, lets other messages in, and aborts if the call is cancelled. */
function hostOf(
  host: Host,
  { signal, sendNotification, _meta }: CallContext,
  plainQuestions: boolean,
): Host {
  const progressToken = _meta?.progressToken;
  return {
    ...host,
    plainQuestions,
    signal,
    async checkpoint(progress, total) {
      if (progressToken !== undefined) {
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress, total },
        });
      }
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
    },
  };
}
