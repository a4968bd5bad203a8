/**
 * Fds as MCP resources: `fd://12` is an fd's content, `fd://12?mode=line&start=100&count=50` a slice of it. Slices follow the
 * rules and bounds of `read`.
 */

import { type FdEntry, listFds, parseFdArgument } from "../../../fd/mod.ts";
import { ifPossible } from "../../../fd/system.ts";
import { groupedDigits, linesText } from "../../answers/parts/grouped_digits.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { failValue } from "../../calls/requests/usage_failure.ts";
import type { Host } from "../../calls/terms/command.ts";
import type { CallWriter } from "../../calls/terms/next_call.ts";
import { findTool } from "../tool_table.ts";
import { ONE_MESSAGE } from "./answer_bounds.ts";
import { callBounded } from "./bounded_call.ts";

const LISTED = 100;

/** Lists a page of fds, newest first, with ids below `cursor`. */
export async function listResources(host: Host, cursor: string | undefined) {
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
    description: `${state}: ${linesText(lineCount)}, ${groupedDigits(charCount)} chars`,
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
