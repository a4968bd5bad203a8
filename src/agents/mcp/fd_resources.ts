/**
 * Fds as MCP resources: `fd://12` is an fd's content, `fd://12?mode=line&start=100&count=50` a slice of it. Slices
 * follow the rules and bounds of `read`.
 */

import { type FdEntry, listFds, parseFdArgument } from "../../../fd/mod.ts";
import type { Host } from "../../terms/command.ts";
import type { CallWriter } from "../../terms/next_call.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { failUsage } from "../../requests/usage_failure.ts";
import { ONE_MESSAGE } from "./answer_bounds.ts";
import { callBounded } from "./bounded_call.ts";
import { findTool } from "../tool_table.ts";

const LISTED = 100;

export interface FdResource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  size: number;
}

/** Lists a page of fds, newest first, with ids below `cursor`. */
export async function listResources(
  host: Host,
  cursor: string | undefined,
): Promise<{ resources: FdResource[]; nextCursor?: string }> {
  const below = cursor === undefined ? Infinity : Number(cursor);
  if (Number.isNaN(below)) {
    const wanted = "a cursor of this list";
    failUsage({ kind: "bad_value", command: "mcp", option: "cursor", got: cursor!, wanted });
  }
  const store = openHostStore(host);
  await store.shared?.prepare({ kind: "records" });
  const entries = listFds(store).filter(({ id }) => id < below).reverse();
  const page = entries.slice(0, LISTED);
  const last = page.at(-1);
  return {
    resources: page.map(resourceOf),
    ...(entries.length > page.length && last !== undefined ? { nextCursor: String(last.id) } : {}),
  };
}

function resourceOf({ id, source, command, state, byteCount, charCount, lineCount }: FdEntry): FdResource {
  return {
    uri: `fd://${id}`,
    name: `fd:${id}`,
    title: command === undefined ? source : command.join(" ").slice(0, 200),
    description: `${state}: ${lineCount} lines, ${charCount} chars`,
    mimeType: "text/plain",
    size: byteCount,
  };
}

export const SLICE_TEMPLATE = {
  uriTemplate: "fd://{fd}{?mode,start,count,tail}",
  name: "fd slice",
  title: "A slice of a file descriptor",
  description:
    "mode is page, line or char; start and count are in its units; tail is the last lines, or units of mode. Without them: the whole content, " +
    "as far as one message holds it. fd is a number, or a name as in fd://ref:NAME.",
  mimeType: "text/plain",
};

/** Reads the content that `uri` names. `_meta` says which part of it that is. */
export async function readResource(
  host: Host,
  uri: string,
  writeCall: CallWriter,
): Promise<Record<string, unknown>> {
  const match = /^fd:\/\/([^/?#]+)\/?(?:\?([^#]*))?$/.exec(uri);
  if (match === null) {
    const wanted = "fd://N, or fd://N?mode=line&start=A&count=B";
    return failUsage({ kind: "bad_value", command: "mcp", option: "uri", got: uri, wanted });
  }
  const parameters = Object.fromEntries(new URLSearchParams(match[2] ?? ""));
  const name = decodedName(match[1]!);
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

function decodedName(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch (thrown) {
    // An invalid percent sign: look up the name as it is.
    if (!(thrown instanceof URIError)) throw thrown;
    return written;
  }
}
