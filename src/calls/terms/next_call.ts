/**
 * The next step of an answer or failure, as data. It is written in the form that its reader can call: a command line
 * (`next_command.ts`) or a tool call (`agents/tool.ts`).
 */

import type { DiffRequest } from "../requests/diff_request.ts";
import type { EditRequest } from "../requests/edit_request.ts";
import type { LogRequest, UndoRequest } from "../requests/history_requests.ts";
import type {
  AnswerRequest,
  CancelRequest,
  CreateRequest,
  InquiriesRequest,
} from "../requests/inquiry_requests.ts";
import type { ListRequest, RefsRequest, StatRequest } from "../requests/list_request.ts";
import type { QueryRequest } from "../requests/query_request.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import type { SearchRequest } from "../requests/search_request.ts";
import type { ToFileRequest } from "../requests/to_file_request.ts";

/** The commands that are offered, with their arguments as in their requests. */
export interface NextArguments {
  /** The answer itself is the caller's to give; on the command line, from what `content` names, or as `answer`. */
  answer: Omit<AnswerRequest, "answer"> & { overwrite?: true; content?: string; answer?: string };
  cancel: CancelRequest;
  create: CreateRequest;
  diff: DiffRequest;
  doctor: Record<never, never>;
  edit: EditRequest;
  gc: { dry_run?: boolean; pack?: true | undefined; all?: boolean; trust_clock?: boolean };
  help: { command?: string | undefined };
  inquiries: InquiriesRequest;
  log: LogRequest;
  ls: ListRequest;
  plan: { action: "apply"; file: string };
  query: QueryRequest;
  read: ReadRequest;
  recover: Record<never, never>;
  refs: RefsRequest;
  search: SearchRequest;
  stat: StatRequest;
  store: { action: "check"; url?: string | undefined };
  stop: { fd: string; signal?: string };
  sync: { wait?: true };
  "to-file": ToFileRequest;
  tools: { for: string; only?: string | undefined };
  undo: UndoRequest;
  uninstall: {
    harness: string;
    project?: boolean | undefined;
    config?: string | undefined;
    via?: string | undefined;
  };
  verify: { repair?: boolean | undefined; remote?: true | undefined; all?: boolean };
  wait: { fd: string; until?: string; timeout?: string | undefined };
}

/** A call of a command. Its arguments are written in this order. */
export type NamedCall = {
  [Command in keyof NextArguments]: {
    command: Command;
    args: NextArguments[Command];
    /** The store's directory, if it is not the caller's. */
    store?: string | undefined;
  };
}[keyof NextArguments];

/** UTF-16 units of JSON: a longer call is not written out again. */
const LONGEST_RETRY = 4000;

/** A call that corrects another one; undefined if it is long. */
export function shortCall<Call extends NamedCall>(call: Call): Call | undefined {
  return JSON.stringify(call).length <= LONGEST_RETRY ? call : undefined;
}

/** A call as the user typed it, with one word corrected: the words after `fdtool`. */
interface TypedCall {
  words: readonly string[];
}

export type NextCall = NamedCall | TypedCall;

/** A parameter and its value, by the tools' name. Writers turn it into an option or a JSON member. */
export interface NamedParameter {
  parameter: string;
  value: string | true;
}

/** fdtool's own text, with the calls and parameters that it names. */
export type Message = string | readonly (string | NextCall | NamedParameter)[];

/** The words of an answer beside its facts. */
export interface Remarks {
  message?: Message | undefined;
  next?: NextCall | undefined;
}

/** Writes a call or parameter for one kind of reader; undefined for a call that this reader cannot make. */
export type CallWriter = (part: NextCall | NamedParameter) => string | undefined;

export type ParameterWriter = (named: NamedParameter) => string;
