/**
 * fdtool as a Model Context Protocol server (contract, Agents): its tools, fds as resources, inquiries as elicitation.
 *
 * Tools fail as results, with `isError`: a model can mend its call. Only what no model can mend (a method that does not
 * exist, a message that is none) is an error of the protocol.
 *
 * @module
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
import type { Host } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { UsageError } from "../../requests/usage_failure.ts";
import { cancelInquiry } from "../../writing/inquiries/cancel_inquiry.ts";
import { CONTENT_QUESTION } from "../../writing/inquiries/inquiries.ts";
import { WriteError } from "../../terms/write_failure.ts";
import { type DressedAnswer, dressedAnswer, dressedThrown } from "../answer_text.ts";
import { type AnswerBound, boundFor, CLAUDE_CODE_CHARS, isClaudeCode } from "./answer_bounds.ts";
import { type BoundedOutcome, callBounded } from "./bounded_call.ts";
import { type AskedQuestion, elicitAnswer } from "./elicit_answer.ts";
import { listResources, readResource, SLICE_TEMPLATE } from "./fd_resources.ts";
import { mcpInstructions } from "./mcp_instructions.ts";
import { type CallContext, McpSession } from "./mcp_session.ts";
import type { ServedTools } from "./served_tools.ts";
import type { Tool } from "../tool.ts";
import { toolCallWriter } from "../tool_call.ts";
import { type McpListing, mcpTool } from "../tool_definitions.ts";

/** MCP's error code for a missing resource. */
const RESOURCE_NOT_FOUND = -32002;
/** How often one call may ask: a file that changes while its question is answered is asked about anew. */
const MOST_QUESTIONS = 5;

/** A server of those tools, not yet connected. */
export function mcpServer({ tools, unlisted }: ServedTools, host: Host, listing: McpListing): McpSession {
  const listed = new Set(tools.map(({ name }) => name));
  const byName = new Map([...tools, ...unlisted].map((tool) => [tool.name, tool]));
  const server = new McpSession({
    serverInfo: { name: "fdtool", title: "fdtool", version: host.version },
    capabilities: { tools: {}, resources: {} },
    instructions: mcpInstructions(listed),
  });
  // The client may have no shell, so the next step is a call of a served tool, or none.
  const writeCall = toolCallWriter(listed);

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
      const { json, told } = dressedThrown(thrown, "mcp", writeCall);
      const isAbsent = told.type === "not_found" || told.type === "removed";
      throw new McpError(isAbsent ? RESOURCE_NOT_FOUND : ErrorCode.InvalidParams, told.message, json);
    }
  });

  async function toolResult(tool: Tool, given: unknown, extra: CallContext): Promise<CallToolResult> {
    // Whoever called a tool that is not listed can go on with it.
    const writeNext = toolCallWriter({ has: (name) => listed.has(name) || name === tool.name });
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

  /** Whether the client can put a form to its user: then what a person may decide is asked apart from content. */
  function canAsk(): boolean {
    return server.clientCapabilities?.elicitation?.form !== undefined;
  }

  /**
   * What comes of a call once its questions are answered; the question itself where nobody can be asked, or the answer is
   * none: whoever called may answer it still.
   */
  async function answered(outcome: BoundedOutcome, extra: CallContext): Promise<BoundedOutcome> {
    const answerTool = byName.get("answer_inquiry");
    let last = outcome;
    for (let asked = 0; asked < MOST_QUESTIONS && last.json["type"] === "needs_input"; asked++) {
      if (answerTool === undefined) break;
      const question = last.json["question"] as AskedQuestion;
      // Content must come from the model: no person is asked to type a file.
      if (question.id === CONTENT_QUESTION) break;
      const inquiry_id = String(last.json["inquiry_id"]);
      const said = await elicitAnswer(server, question, extra.signal);
      if (said === undefined) break;
      if (said === "declined") {
        return {
          exitCode: 1,
          ...dressedAnswer(await cancelInquiry(openHostStore(host), inquiry_id, DECLINED), writeCall),
        };
      }
      try {
        last = await callBounded(
          answerTool,
          { inquiry_id, answer: said.answer },
          hostOf(host, extra, canAsk()),
          writeCall,
          bound(),
        );
      } catch (thrown) {
        if (isNoAnswer(thrown)) break;
        throw thrown;
      }
    }
    return last;
  }

  return server;
}

/** The reason recorded for a question that the user declined. */
const DECLINED = "The user was asked, and declined";

/** Whether a form's answer was invalid; the question stays open. */
function isNoAnswer(thrown: unknown): boolean {
  return thrown instanceof WriteError && thrown.failure.kind === "invalid_answer" ||
    thrown instanceof UsageError && thrown.failure.kind === "bad_arguments";
}

/** The host for one call: long work reports progress, lets other messages in, and stops when the call is cancelled. */
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
