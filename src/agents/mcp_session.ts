/**
 * The server's half of an MCP session, on the protocol engine of the official SDK: handshake, what may be sent when,
 * and elicitation.
 *
 * The SDK's own `Server` is the same and more, and brings a JSON schema validator (130 KB of source, 0.7 MB of the
 * binary) to check what a form was answered. Here the tool that takes the answer checks it, by the same schema.
 *
 * @module
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

/** What a call of this session may use: its signal, and a way to tell progress. */
export type CallContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** What the server says of itself in the handshake. */
export interface ServerIntroduction {
  serverInfo: Implementation;
  capabilities: ServerCapabilities;
  instructions: string;
}

/** One client's session: connect it, and set its request handlers before. */
export class McpSession extends Protocol<ServerRequest, ServerNotification, ServerResult> {
  /** What the client said that it can do; undefined before the handshake. */
  clientCapabilities: ClientCapabilities | undefined;

  constructor(introduction: ServerIntroduction) {
    super();
    this.setRequestHandler(InitializeRequestSchema, ({ params: { protocolVersion, capabilities } }) => {
      this.clientCapabilities = capabilities;
      const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion);
      return { protocolVersion: isKnown ? protocolVersion : LATEST_PROTOCOL_VERSION, ...introduction };
    });
  }

  /** Puts a form to the user of the client. Only for a client with `elicitation.form`. */
  elicitForm(
    params: ElicitRequestFormParams,
    options: { signal: AbortSignal; timeout: number },
  ): Promise<ElicitResult> {
    return this.request({ method: "elicitation/create", params }, ElicitResultSchema, options);
  }

  /** Nothing is sent to a client but what it asked for or can do: see {@link elicitForm} and progress tokens. */
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
  return new McpError(ErrorCode.InvalidParams, `There are no tasks here: call ${method} without one`);
}
