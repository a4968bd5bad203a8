/**
 * `read`: a slice of an fd as an answer, or as an fd of its own (contract, Commands).
 *
 * @module
 */

import type { FdEntry } from "../../../fd/mod.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../../terms/command.ts";
import { optionTable } from "../../arguments/option_rows.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { checkReadRequest, extractFd, readEntry, readFd } from "../../reading/read_fd.ts";
import type { ReadRequest } from "../../requests/read_request.ts";
import { sliceRequestOf, sliceRows } from "../../options/slice_options.ts";
import { failUsage } from "../../requests/usage_failure.ts";

const NAME = "read";

/** Made for the call that needs it: what a table of options costs to make, only its own command pays. */
function readSpec(): CommandSpec {
  return {
    name: NAME,
    aliases: ["read_fd"],
    summary: "print a slice of an fd, or make it a new fd",
    usage: "FD [options]",
    positionals: { least: 1, most: 1, names: ["fd"] },
    options: optionTable(sliceRows(), [
      [
        "since",
        "integer",
        "CURSOR",
        "read everything after the cursor of an earlier answer (0: from the start)",
      ],
      [
        "follow",
        "flag",
        undefined,
        "keep printing new content until the fd ends; in xml and json, one answer after another",
        undefined,
        undefined,
        "f",
      ],
      ["timeout", "text", "DURATION", "with --follow: wait at most 90s, 10m, 1h30m"],
      ["extract", "flag", undefined, "make the slice a new fd and print its handle, not the content", [
        "extract-to-new-fd",
      ]],
      ["name", "text", "NAME", "with --extract: bind ref:NAME to the new fd"],
      [
        "number",
        "flag",
        undefined,
        "print line numbers (never in raw)",
        undefined,
        undefined,
        "n",
      ],
      ["max-chars", "integer", "N", "show at most N chars, ending at a line end"],
      ["exact", "flag", undefined, "show escape sequences and overwritten text, too, as --format raw does"],
    ]),
    example: "fdtool read fd:12 --lines 100-150",
    exitCodes: [
      [0, "the slice was printed"],
      [1, "refused or failed"],
      [2, "usage error"],
      [124, "with --follow: timed out while the fd is still live"],
    ],
  };
}

/** The parsed call as a request: exactly one way to name a slice, or none (the first page). */
function readRequestOf(call: CommandCall): ReadRequest {
  const { options } = call;
  const slice = sliceRequestOf(NAME, options);
  const request: ReadRequest = {
    fd: call.positionals[0]!,
    read_all: slice.read_all,
    mode: slice.mode,
    start: slice.start,
    count: slice.count,
    tail: slice.tail,
    since: options["since"] as number | undefined,
    extract_to_new_fd: options["extract"] as boolean | undefined,
    name: options["name"] as string | undefined,
    number: options["number"] as boolean | undefined,
    max_chars: options["max-chars"] as number | undefined,
    exact: options["exact"] as boolean | undefined,
  };
  return request;
}

/** Answers with what arrives, for as long as it does. */
async function follow(call: CommandCall, request: ReadRequest, host: Host): Promise<Outcome> {
  const [{ checkFollowing, followFd }, { deadlineOf }] = await Promise.all([
    import("../../background/follow_fd.ts"),
    import("../../options/deadline.ts"),
  ]);
  checkReadRequest(request);
  checkFollowing(request);
  const store = openHostStore(host);
  const read = (entry: FdEntry, asked: ReadRequest) => readEntry(store, entry, asked);
  const deadlineMs = deadlineOf(NAME, call.options["timeout"]);
  return { exitCode: 0, stream: followFd(store, { request, deadlineMs, read }) };
}

async function extract(request: ReadRequest, host: Host): Promise<Outcome> {
  return { exitCode: 0, answer: await extractFd(openHostStore(host), request) };
}

/** The command, with its description. */
export function readCommand(): Command {
  return { spec: readSpec(), run };
}

async function run(call: CommandCall, host: Host): Promise<Outcome> {
  const request = readRequestOf(call);
  const timeout = call.options["timeout"];
  if (call.options["follow"] === true) return follow(call, request, host);
  if (timeout !== undefined) {
    failUsage({
      kind: "bad_value",
      command: NAME,
      option: "--timeout",
      got: String(timeout),
      wanted: "--follow too",
    });
  }
  if (request.extract_to_new_fd === true) return extract(request, host);
  return { exitCode: 0, answer: await readFd(openHostStore(host), request) };
}
