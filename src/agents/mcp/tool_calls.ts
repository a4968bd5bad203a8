/** Calls of the served tools: their answers fit into one message, and a client with forms is asked what its user decides. */

import * as v from "valibot";
import type { Host } from "../../calls/terms/command.ts";
import type { Question } from "../../calls/terms/answers.ts";
import type { CallWriter } from "../../calls/terms/next_call.ts";
import { type JsonObject, membersIn } from "../../calls/requests/json_object.ts";
import { readJson } from "../../calls/requests/lenient_json.ts";
import { UsageError } from "../../calls/requests/usage_failure.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import {
  cancelInquiry,
  CONTENT_QUESTION,
  findOpenInquiry,
  needsInputOf,
  schemaOfAnswer,
} from "../../writing/inquiries/inquiries.ts";
import { type DressedAnswer, dressedAnswer, dressedThrown } from "../answer_text.ts";
import { meantTool } from "../choose_tools.ts";
import { type Tool, toolCallWriter } from "../tool.ts";
import { boundFor } from "./answer_bounds.ts";
import { type BoundedOutcome, callBounded } from "./bounded_call.ts";
import { APART_KEY, callApart, readsMuch } from "./call_apart.ts";
import { type CallContext, INVALID_PARAMS, ProtocolError } from "./mcp_session.ts";

/** Questions per call: if a file changes while the user answers, the question is asked again. */
const MAX_QUESTIONS = 5;

/** The tools of a server: those that are `unlisted` are accepted, too. */
export interface ServedTools {
  tools: readonly Tool[];
  unlisted: readonly Tool[];
}

/** Asks the user by a form. Returns the reply as it came, undefined without one. */
type AskUser = (form: object, signal: AbortSignal) => Promise<unknown>;

export class ToolCalls {
  readonly #served: ServedTools;
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #host: Host;
  /** The words that start the server once more. */
  readonly #program: readonly string[];
  /** The client may have no shell, so `next` names a served tool or is left out. */
  readonly writeCall: CallWriter;

  constructor(served: ServedTools, host: Host, program: readonly string[]) {
    this.#served = served;
    this.#byName = new Map([...served.tools, ...served.unlisted].map((tool) => [tool.name, tool]));
    this.#host = host;
    this.#program = program;
    this.writeCall = toolCallWriter(served.tools);
  }

  /** The result of a call; a client that shook hands is asked by `askUser`, and the call repeated with its reply. */
  async call(params: ToolCall, call: CallContext, askUser: AskUser): Promise<JsonObject> {
    const tool = this.#toolOf(params.name);
    let result = await this.#callOnce(tool, params, call);
    if (call.client.isStateless) return result;
    for (let asked = 0; v.is(InputRequired, result); asked++) {
      const { requestState, inputRequests } = result;
      const form = inputRequests[requestState]!.params;
      const reply = asked < MAX_QUESTIONS ? await askUser(form, call.signal) : undefined;
      const inputResponses = { [requestState]: reply ?? { action: "cancel" } };
      result = await this.#callOnce(tool, { ...params, requestState, inputResponses }, call);
    }
    const { resultType: _, _meta: __, ...rest } = result;
    return rest;
  }

  #toolOf(name: string): Tool {
    const tool = this.#byName.get(name);
    if (tool !== undefined) return tool;
    const listed = new Set(this.#served.tools.map((each) => each.name));
    const meant = meantTool(name, listed);
    const hint = meant === undefined ? "" : `; ${meant} does that`;
    const message = `Unknown tool ${JSON.stringify(name)}${hint}; known: ${[...listed].join(", ")}`;
    throw new ProtocolError(INVALID_PARAMS, message);
  }

  /** The result of a call for stateless clients: `input_required` if the user decides. */
  async #callOnce(tool: Tool, params: ToolCall, call: CallContext): Promise<JsonObject> {
    try {
      const { requestState: asked, inputResponses: replies, arguments: sent } = params;
      // Some clients send them as text, which is read and noted, or null for none.
      const isText = typeof sent === "string" && sent.trim() !== "";
      const given = isText ? JSON.stringify(sent) : sent ?? {};
      const named = isText ? readJson(sent) : { kind: "value", value: given } as const;
      const members = membersIn(named.kind === "value" ? named.value : undefined);
      if (params._meta?.[APART_KEY] !== true && readsMuch(tool, members, this.#host)) {
        const operation = this.#host.operations().find(({ name }) => name === tool.command);
        return await callApart(this.#program, params, this.#host, call, operation?.effect === "writes");
      }
      if (asked !== undefined) return await this.#repeated(tool, asked, replies?.[asked], call);
      // A client that called an unlisted tool can call it again.
      const writeNext = toolCallWriter([...this.#served.tools, tool]);
      const bound = boundFor(call.client.name);
      const outcome = await callBounded(tool, given, hostOf(this.#host, call), writeNext, bound);
      return this.#asking(outcome, call);
    } catch (thrown) {
      call.signal.throwIfAborted();
      if (thrown instanceof ProtocolError) throw thrown;
      return { ...resultOf(dressedThrown(thrown, undefined, this.writeCall)), isError: true };
    }
  }

  /** An outcome as a result, with the form for what it asks the user. Else the model may answer the question. */
  #asking(outcome: BoundedOutcome, { client }: CallContext): JsonObject {
    if (outcome.json["type"] !== "needs_input" || !client.hasForms || !this.#byName.has("answer_inquiry")) {
      return resultOf(outcome);
    }
    const requestState = String(outcome.json["inquiry_id"]);
    const params = formOf(findOpenInquiry(openHostStore(this.#host), requestState).asked.question);
    if (params === undefined) return resultOf(outcome);
    const inputRequests = { [requestState]: { method: "elicitation/create", params } };
    return { resultType: INPUT_REQUIRED, inputRequests, requestState };
  }

  /** The result of a call that is repeated with the user's reply to the question `inquiryId`. */
  async #repeated(
    tool: Tool,
    inquiryId: string,
    reply: unknown,
    call: CallContext,
  ): Promise<JsonObject> {
    const inquiry = findOpenInquiry(openHostStore(this.#host), inquiryId);
    if (inquiry.asked.tool !== tool.name || !this.#byName.has("answer_inquiry")) {
      throw new ProtocolError(INVALID_PARAMS, `${inquiryId} is not a question of ${tool.name}`);
    }
    const again = needsInputOf({ ...inquiry.asked, id: inquiry.id });
    const question = { exitCode: 1, ...dressedAnswer(again, this.writeCall) };
    if (reply === undefined) return this.#asking(question, call);
    const outcome = await this.#replied(inquiryId, reply, call);
    return outcome === undefined ? resultOf(question) : this.#asking(outcome, call);
  }

  /** The outcome of a user's reply to a form. Returns undefined if the question stays open. */
  async #replied(
    inquiryId: string,
    reply: unknown,
    call: CallContext,
  ): Promise<BoundedOutcome | undefined> {
    const { action, content } = v.is(Reply, reply) ? reply : { action: "none", content: undefined };
    if (action === "decline") {
      const answer = await cancelInquiry(openHostStore(this.#host), inquiryId, DECLINED);
      return { exitCode: 1, ...dressedAnswer(answer, this.writeCall) };
    }
    if (action !== "accept" || content === undefined) return undefined;
    const given = { inquiry_id: inquiryId, answer: content["answer"] };
    try {
      const tool = this.#byName.get("answer_inquiry")!;
      const bound = boundFor(call.client.name);
      return await callBounded(tool, given, hostOf(this.#host, call), this.writeCall, bound);
    } catch (thrown) {
      if (isInvalidAnswer(thrown)) return undefined;
      throw thrown;
    }
  }
}

export const ToolCall = v.object({
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
