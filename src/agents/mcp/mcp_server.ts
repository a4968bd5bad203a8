/**
 * fdtool as an MCP server (contract, Agents): tools, fds as resources, inquiries as elicitation. A failed tool call is
 * a result with `isError`, which a model can correct. Protocol errors are for what it cannot: unknown methods and
 * invalid messages.
 */

import { ifPossible } from "../../../fd/system.ts";
import * as v from "valibot";
import type { Host, Operation } from "../../calls/terms/command.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import type { Question } from "../../calls/terms/answers.ts";
import { type JsonObject, membersIn } from "../../calls/requests/json_object.ts";
import { readJson } from "../../calls/requests/lenient_json.ts";
import { failValue, UsageError } from "../../calls/requests/usage_failure.ts";
import {
  cancelInquiry,
  CONTENT_QUESTION,
  findOpenInquiry,
  needsInputOf,
  schemaOfAnswer,
} from "../../writing/inquiries/inquiries.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";
import { type DressedAnswer, dressedAnswer, dressedThrown } from "../answer_text.ts";
import { boundFor, CLAUDE_CODE_CHARS, ONE_MESSAGE } from "./answer_bounds.ts";
import { APART_KEY, callApart, readsMuch } from "./call_apart.ts";
import { type BoundedOutcome, callBounded } from "./bounded_call.ts";
import { type CallContext, INVALID_PARAMS, McpSession, ProtocolError } from "./mcp_session.ts";
import { chosenTools, meantTool } from "../choose_tools.ts";
import { mcpInstructions } from "../instructions.ts";
import { RUN_TOOLS } from "../run_command.ts";
import { type Tool, toolCallWriter } from "../tool.ts";
import { findTool, toolsOf } from "../tool_table.ts";
import { type McpListing, mcpTool } from "../tool_definitions.ts";
import { type FdEntry, listFds, parseFdArgument } from "../../../fd/mod.ts";
import { firstChars } from "../../answers/parts/first_few.ts";
import type { CallWriter } from "../../calls/terms/next_call.ts";

/** Of versions with a handshake. */
const RESOURCE_NOT_FOUND = -32002;
/** Questions per call: if a file changes while the user answers, the question is asked again. */
const MAX_QUESTIONS = 5;

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
): Record<"tools" | "unlisted", readonly Tool[]> {
  const tools = toolsOf(operations);
  const known = run ? [...tools, ...RUN_TOOLS] : tools;
  if (all || only !== undefined) return { tools: chosenTools(known, only, "mcp"), unlisted: [] };
  const isListed = (tool: Tool) => RUN_TOOLS.includes(tool) || tool.brief !== undefined;
  return { tools: known.filter(isListed), unlisted: known.filter((tool) => !isListed(tool)) };
}

/** Makes a server that is not connected yet. `program` are the words that start it once more. */
export function mcpServer(
  { tools, unlisted }: ReturnType<typeof servedTools>,
  host: Host,
  listing: McpListing & { program: readonly string[] },
): McpSession {
  const listed = new Set(tools.map(({ name }) => name));
  const byName = new Map([...tools, ...unlisted].map((tool) => [tool.name, tool]));
  const session = new McpSession({
    serverInfo: { name: "fdtool", title: "fdtool", version: host.version },
    capabilities: { tools: {}, resources: {} },
    instructions: mcpInstructions(listed),
  });
  // The client may have no shell, so `next` names a served tool or is left out.
  const writeCall = toolCallWriter(tools);

  session.answerRequests("tools/list", Page, (_, { client }) => ({
    tools: tools.map((tool) =>
      mcpTool(tool, {
        ...listing,
        claudeCodeChars: client.name === "claude-code" ? CLAUDE_CODE_CHARS : undefined,
      })
    ),
  }));
  session.answerRequests("tools/call", ToolCall, async (params, call) => {
    const tool = byName.get(params.name);
    if (tool === undefined) {
      const [meant, known] = [meantTool(params.name, listed), [...listed].join(", ")];
      const hint = meant === undefined ? "" : `; ${meant} does that`;
      const message = `Unknown tool ${JSON.stringify(params.name)}${hint}; known: ${known}`;
      throw new ProtocolError(INVALID_PARAMS, message);
    }
    let result = await calledOnce(tool, params, call);
    if (call.client.isStateless) return result;
    // A client that shook hands is asked by a request, and the call is repeated with its reply.
    for (let asked = 0; v.is(InputRequired, result); asked++) {
      const { requestState, inputRequests } = result;
      const form = inputRequests[requestState]!.params;
      const reply = asked < MAX_QUESTIONS ? await session.elicit(form, call.signal) : undefined;
      const inputResponses = { [requestState]: reply ?? { action: "cancel" } };
      result = await calledOnce(tool, { ...params, requestState, inputResponses }, call);
    }
    const { resultType: _, _meta: __, ...rest } = result;
    return rest;
  });
  session.answerRequests(
    "resources/list",
    Page,
    ({ cursor }, call) => ofResources(() => listResources(host, cursor), call),
  );
  session.answerRequests("resources/templates/list", Page, () => ({ resourceTemplates: [SLICE_TEMPLATE] }));
  session.answerRequests(
    "resources/read",
    v.object({ uri: v.string() }),
    ({ uri }, call) =>
      ofResources(async () => ({ contents: [await readResource(host, uri, writeCall)] }), call, {
        uri: firstChars(uri, 200),
      }),
  );

  /** Failures are of the protocol, with `about` in their data. */
  async function ofResources(
    answer: () => Promise<object>,
    { client }: CallContext,
    about = {},
  ): Promise<object> {
    try {
      return await answer();
    } catch (thrown) {
      const { json, failure } = dressedThrown(thrown, "mcp", writeCall);
      const isAbsent = failure.type === "not_found" || failure.type === "removed";
      const code = isAbsent && !client.isStateless ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
      throw new ProtocolError(code, failure.message, { ...json, ...about });
    }
  }

  /** The result of a call for stateless clients: `input_required` if the user decides. */
  async function calledOnce(tool: Tool, params: ToolCall, call: CallContext): Promise<JsonObject> {
    try {
      const { requestState: asked, inputResponses: replies, arguments: sent } = params;
      // Some clients send them as text, which is read and noted, or null for none.
      const isText = typeof sent === "string" && sent.trim() !== "";
      const given = isText ? JSON.stringify(sent) : sent ?? {};
      const named = isText ? readJson(sent) : { kind: "value", value: given } as const;
      const members = membersIn(named.kind === "value" ? named.value : undefined);
      if (params._meta?.[APART_KEY] !== true && readsMuch(tool, members, host)) {
        const operation = host.operations().find(({ name }) => name === tool.command);
        return await callApart(listing.program, params, host, call, operation?.effect === "writes");
      }
      if (asked !== undefined) return await repeatedCall(tool, asked, replies?.[asked], call);
      // A client that called an unlisted tool can call it again.
      const writeNext = toolCallWriter([...tools, tool]);
      const bound = boundFor(call.client.name);
      const outcome = await callBounded(tool, given, hostOf(host, call), writeNext, bound);
      return asking(outcome, call);
    } catch (thrown) {
      call.signal.throwIfAborted();
      if (thrown instanceof ProtocolError) throw thrown;
      return { ...resultOf(dressedThrown(thrown, undefined, writeCall)), isError: true };
    }
  }

  /** An outcome as a result, with the form for what it asks the user. Else the model may answer the question. */
  function asking(outcome: BoundedOutcome, { client }: CallContext): JsonObject {
    if (outcome.json["type"] !== "needs_input" || !client.hasForms || !byName.has("answer_inquiry")) {
      return resultOf(outcome);
    }
    const requestState = String(outcome.json["inquiry_id"]);
    const params = formOf(findOpenInquiry(openHostStore(host), requestState).asked.question);
    if (params === undefined) return resultOf(outcome);
    const inputRequests = { [requestState]: { method: "elicitation/create", params } };
    return { resultType: INPUT_REQUIRED, inputRequests, requestState };
  }

  /** The result of a call that is repeated with the user's reply to the question `inquiryId`. */
  async function repeatedCall(
    tool: Tool,
    inquiryId: string,
    reply: unknown,
    call: CallContext,
  ): Promise<JsonObject> {
    const inquiry = findOpenInquiry(openHostStore(host), inquiryId);
    if (inquiry.asked.tool !== tool.name || !byName.has("answer_inquiry")) {
      throw new ProtocolError(INVALID_PARAMS, `${inquiryId} is not a question of ${tool.name}`);
    }
    const again = needsInputOf({ ...inquiry.asked, id: inquiry.id });
    const question = { exitCode: 1, ...dressedAnswer(again, writeCall) };
    if (reply === undefined) return asking(question, call);
    const outcome = await replied(inquiryId, reply, call);
    return outcome === undefined ? resultOf(question) : asking(outcome, call);
  }

  /** The outcome of a user's reply to a form. Returns undefined if the question stays open. */
  async function replied(
    inquiryId: string,
    reply: unknown,
    call: CallContext,
  ): Promise<BoundedOutcome | undefined> {
    const { action, content } = v.is(Reply, reply) ? reply : { action: "none", content: undefined };
    if (action === "decline") {
      const answer = await cancelInquiry(openHostStore(host), inquiryId, DECLINED);
      return { exitCode: 1, ...dressedAnswer(answer, writeCall) };
    }
    if (action !== "accept" || content === undefined) return undefined;
    const given = { inquiry_id: inquiryId, answer: content["answer"] };
    try {
      const tool = byName.get("answer_inquiry")!;
      return await callBounded(tool, given, hostOf(host, call), writeCall, boundFor(call.client.name));
    } catch (thrown) {
      if (isInvalidAnswer(thrown)) return undefined;
      throw thrown;
    }
  }

  return session;
}

const Page = v.object({ cursor: v.optional(v.string()) });
const ToolCall = v.object({
  name: v.string(),
  arguments: v.optional(v.unknown()),
  /** A stateless client repeats a call with these: its question, and the user's replies. */
  requestState: v.optional(v.string()),
  inputResponses: v.optional(v.record(v.string(), v.unknown())),
  _meta: v.optional(v.object({ [APART_KEY]: v.optional(v.boolean()) })),
});
type ToolCall = v.InferOutput<typeof ToolCall>;
const INPUT_REQUIRED = "input_required";
const InputRequired = v.object({
  resultType: v.literal(INPUT_REQUIRED),
  requestState: v.string(),
  inputRequests: v.record(v.string(), v.object({ params: v.looseObject({}) })),
});
const Reply = v.object({ action: v.string(), content: v.optional(v.record(v.string(), v.unknown())) });

function resultOf({ xml, json }: DressedAnswer): JsonObject {
  return { content: [{ type: "text", text: xml }], structuredContent: json };
}

/** The form for a question; undefined if the model has to answer it: no user should type a file. */
function formOf({ id, text, pre_amble, answer_type: type }: Question): object | undefined {
  if (id === CONTENT_QUESTION || typeof type === "object" && "Schema" in type) return undefined;
  const message = [pre_amble, text].filter((part) => part).join("\n\n");
  const properties = { answer: schemaOfAnswer(type) };
  const requestedSchema = { type: "object", properties, required: ["answer"] };
  return { mode: "form", message, requestedSchema };
}

const DECLINED = "The user was asked, and declined";

/** Whether a form's answer was invalid; the question stays open. */
function isInvalidAnswer(thrown: unknown): boolean {
  return thrown instanceof WriteError && thrown.failure.kind === "invalid_answer" ||
    thrown instanceof UsageError && thrown.failure.kind === "bad_arguments";
}

/** The host of one call: it reports progress, lets other messages in, and aborts if the call is cancelled. */
function hostOf(host: Host, { client, signal, report }: CallContext): Host {
  return {
    ...host,
    plainQuestions: client.hasForms,
    signal,
    async checkpoint(progress, total) {
      await report(progress, total);
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
    },
  };
}

// Fds as MCP resources: `fd://12` is an fd's content, `fd://12?mode=line&start=100&count=50` a slice of it. Slices
// follow the rules and bounds of `read`.

const LISTED = 100;

/** Lists a page of fds, newest first, with ids below `cursor`. */
async function listResources(host: Host, cursor: string | undefined) {
  const below = cursor === undefined ? Infinity : Number(cursor);
  if (Number.isNaN(below)) failValue("mcp", "cursor", cursor!, "a cursor of this list");
  const store = openHostStore(host);
  await store.backend.refresh({ kind: "records" });
  const entries = listFds(store).filter(({ id }) => id < below).reverse();
  const page = entries.slice(0, LISTED);
  const last = page.at(-1);
  const isCut = entries.length > page.length && last !== undefined;
  return { resources: page.map(resourceOf), ...isCut ? { nextCursor: String(last.id) } : {} };
}

function resourceOf({ id, source, command, state, byteCount, charCount, lineCount }: FdEntry) {
  return {
    uri: `fd://${id}`,
    name: `fd:${id}`,
    title: command === undefined ? source : command.join(" ").slice(0, 200),
    description: `${state}: ${lineCount} lines, ${charCount} chars`,
    mimeType: "text/plain",
    size: byteCount,
  };
}

const SLICE_TEMPLATE = {
  uriTemplate: "fd://{fd}{?mode,start,count,tail}",
  name: "fd slice",
  title: "A slice of a file descriptor",
  description:
    "mode is page, line or char; start and count are in its units; tail is the last lines, or units of mode. Without them: the whole content, " +
    "as far as one message holds it. fd is a number, or a name as in fd://ref:NAME.",
  mimeType: "text/plain",
};

/** Reads the content that `uri` names. `_meta` says which part of it that is. */
async function readResource(
  host: Host,
  uri: string,
  writeCall: CallWriter,
): Promise<Record<string, unknown>> {
  const match = /^fd:\/\/([^/?#]+)\/?(?:\?([^#]*))?$/.exec(uri);
  if (match === null) return failValue("mcp", "uri", uri, "fd://N, or fd://N?mode=line&start=A&count=B");
  const parameters = Object.fromEntries(new URLSearchParams(match[2] ?? ""));
  // With an invalid percent sign, look up the name as it is.
  const name = ifPossible(() => decodeURIComponent(match[1]!), URIError) ?? match[1]!;
  const given = {
    // A resource is never a file.
    fd: parseFdArgument(name) === undefined ? `ref:${name}` : name,
    ...(Object.keys(parameters).length === 0 ? { read_all: true } : parameters),
  };
  const tool = findTool("read_fd", host.operations())!;
  const { json } = await callBounded(tool, given, host, writeCall, ONE_MESSAGE);
  const { content, encoding, type: _, notes: __, ...meta } = json;
  return {
    uri,
    mimeType: encoding === "base64" ? "application/octet-stream" : "text/plain",
    ...(encoding === "base64" ? { blob: content } : { text: content ?? JSON.stringify(json) }),
    _meta: { "fdtool/slice": meta },
  };
}
