/**
 * The server's half of an MCP session, on the protocol engine of the official SDK. The SDK's `Server` would add a JSON
 * schema validator (130 KB of source, 0.7 MB of the binary) that checks a form's answer; here the tool that receives
 * the answer checks it by the same schema.
 */

// @ts-types="@modelcontextprotocol/sdk/shared/protocol"
import { Protocol, type RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type ElicitResult,
  ElicitResultSchema,
  ErrorCode,
  type Implementation,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  McpError,
  type ServerCapabilities,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";

import { isJsonObject } from "../../requests/json_object.ts";

export type CallContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface AskedQuestion {
  id: string;
  text: string;
  pre_amble?: string | null | undefined;
  answer_type: unknown;
}

export interface ServerIntroduction {
  serverInfo: Implementation;
  capabilities: ServerCapabilities;
  instructions: string;
}

interface CheckedRequest<Request> {
  safeParse(given: unknown):
    | { success: true; data: Request }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

type Answering = (request: unknown, call: CallContext) => ServerResult | Promise<ServerResult>;

/** One client's session. Register the request handlers before connecting. */
export class McpSession extends Protocol<ServerRequest, ServerNotification, ServerResult> {
  /** Undefined before the handshake. */
  clientCapabilities: ClientCapabilities | undefined;
  /** Undefined before the handshake. */
  clientName: string | undefined;

  /** The SDK's own handlers report a schema fault as an internal error. */
  readonly #answering = new Map<string, Answering>();

  constructor(introduction: ServerIntroduction) {
    super();
    this.fallbackRequestHandler = async (request, call) => {
      const answering = this.#answering.get(request.method);
      if (answering === undefined) {
        throw new McpError(ErrorCode.MethodNotFound, `Unknown method ${JSON.stringify(request.method)}`);
      }
      return await answering(request, call);
    };
    this.answerRequests("initialize", InitializeRequestSchema, ({ params }) => {
      const { protocolVersion, capabilities, clientInfo } = params;
      this.clientCapabilities = capabilities;
      this.clientName = clientInfo.name;
      const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion);
      return { protocolVersion: isKnown ? protocolVersion : LATEST_PROTOCOL_VERSION, ...introduction };
    });
  }

  /** Answers requests of `method`, checked by `schema`, with `answer`. */
  answerRequests<Request>(
    method: string,
    schema: CheckedRequest<Request>,
    answer: (request: Request, call: CallContext) => ServerResult | Promise<ServerResult>,
  ): void {
    this.#answering.set(method, (request, call) => {
      const parsed = schema.safeParse(request);
      if (parsed.success) return answer(parsed.data, call);
      const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
      throw new McpError(ErrorCode.InvalidParams, `Invalid ${method} request: ${faults.join("; ")}`);
    });
  }

  /**
   * Asks the user by a form and returns the answer, or that the user declined. Returns undefined if the user dismissed
   * the form or the client failed: the question stays open, and its handle must not be lost with the client's error.
   */
  async ask(
    question: AskedQuestion,
    signal: AbortSignal,
  ): Promise<{ answer: unknown } | "declined" | undefined> {
    const answer = answerField(question.answer_type);
    if (answer === undefined || this.clientCapabilities?.elicitation?.form === undefined) return undefined;
    const message = [question.pre_amble, question.text].filter((part) => part).join("\n\n");
    const requestedSchema: RequestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
    const params = { mode: "form", message, requestedSchema } as const;
    let response: ElicitResult;
    try {
      response = await this.request(
        { method: "elicitation/create", params },
        ElicitResultSchema,
        { signal, timeout: LONGEST_WAIT_MS },
      );
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
    const { action, content } = response;
    if (action === "decline") return "declined";
    if (action !== "accept" || content === undefined) return undefined;
    return { answer: content["answer"] };
  }

  /** Not needed: the server sends only forms and progress, and checks both itself. */
  protected override assertCapabilityForMethod(): void {}
  protected override assertNotificationCapability(): void {}
  protected override assertRequestHandlerCapability(): void {}

  protected override assertTaskCapability(method: string): void {
    throw noTasks(method);
  }

  protected override assertTaskHandlerCapability(method: string): void {
    throw noTasks(method);
  }
}

function noTasks(method: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `Tasks are not supported: call ${method} without a task`);
}

type RequestedSchema = ElicitRequestFormParams["requestedSchema"];

const LONGEST_WAIT_MS = 600_000;

/** The form's only field; undefined for a schema, which only content has: no user should type a file. */
function answerField(answerType: unknown): RequestedSchema["properties"][string] | undefined {
  if (answerType === "Boolean") return { type: "boolean" };
  if (answerType === "Text") return { type: "string" };
  const select = isJsonObject(answerType) ? answerType["Select"] : undefined;
  if (!isJsonObject(select) || !Array.isArray(select["options"])) return undefined;
  return { type: "string", enum: select["options"].map(String) };
}
