/**
 * `read`: a slice of an fd as an answer, or as an fd of its own (contract, Commands).
 */

import { findFd, namedId, parseFdArgument } from "../../fd/mod.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../calls/terms/command.ts";
import { checkRules } from "../calls/arguments/check_rules.ts";
import {
  argumentsFrom,
  commandLineFrom,
  optionOfField,
  requestFrom,
} from "../calls/arguments/field_options.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { STDOUT } from "../calls/streams/standard_streams.ts";
import { isTerminal } from "../calls/streams/terminal.ts";
import { extractFd, readEntry, readFd } from "../reading/read_fd.ts";
import { readFields, type ReadRequest, readRules } from "../calls/requests/read_request.ts";
import { placeIn, withPlainSlice } from "../calls/requests/requested_slice.ts";
import { failValue } from "../calls/requests/usage_failure.ts";

const NAME = "read";

/** The command, with its description. Made when it is called: other commands load this file, too. */
export function readCommand(): Command {
  const spec: CommandSpec = {
    usage: "FD|FILE [options]",
    values: { fd: "FD|FILE" },
    positionals: argumentsFrom(readFields()),
    get options() {
      return allOptions();
    },
    optionsFor: (name) => name === undefined ? allOptions() : optionOfField(readFields(), name),
    countOf: { flag: "number", option: "head" },
    example: "fdtool read fd:12 --lines 100-150",
    // Made for help only: an object with a member 124 has room for 221.
    get exitCodes() {
      return {
        0: "the slice was printed",
        1: "refused or failed",
        124: "with --follow: timed out while the fd is still live",
      };
    },
  };
  return { spec, line: readFields(), run, answer };
}

function allOptions(): CommandSpec["options"] {
  const { options } = commandLineFrom(readFields());
  options["follow"] = {
    kind: "flag",
    short: "f",
    help: "keep printing new content until the fd ends; in xml and json, one answer after another",
  };
  options["timeout"] = {
    kind: "text",
    value: "DURATION",
    help: "with --follow: wait at most 90s, 10m, 1h30m",
  };
  return options;
}

/** Answers with what arrives, for as long as it does. */
async function answerFollowing(call: CommandCall, request: ReadRequest, host: Host): Promise<Outcome> {
  const { follow } = await import("../capturing/background/follow_fd.ts");
  return await follow(request, call.options["timeout"], host, readEntry);
}

function run(call: CommandCall, host: Host): Promise<Outcome> {
  const request = requestFrom(readFields(), call);
  let optionCount = 0;
  for (const _ in call.options) optionCount++;
  // One option alone breaks no rule between fields, but a name that names nothing.
  if (optionCount > 1 || request.name !== undefined) checkRules(NAME, readFields(), readRules(), request);
  const { follow: follows, timeout } = call.options;
  if (follows === true) return answerFollowing(call, request, host);
  if (timeout !== undefined) failValue(NAME, "--timeout", String(timeout), "--follow too");
  return host.takesWhole === true && !selectsSlice(call, request)
    ? wholeOf(request, host)
    : answer(request, host);
}

/** Whether the call names a part of the content, or what becomes of it. */
function selectsSlice({ options }: CommandCall, { fd }: ReadRequest): boolean {
  return Object.keys(options).some((name) => name !== "number" && name !== "exact") ||
    parseFdArgument(fd) === undefined && placeIn(fd) !== undefined;
}

/** All of the content, opened at the line that matters most if its command failed. */
async function wholeOf(request: ReadRequest, host: Host): Promise<Outcome> {
  const outcome = await answer({ ...request, read_all: true }, host);
  const store = openHostStore(host);
  // What a person scrolls in is not fetched as a whole first.
  if (outcome.answer?.type !== "fd_content" || !store.backend.hasWholeFiles) return outcome;
  const entry = findFd(store, outcome.answer.fd);
  if ((entry.exitCode ?? 0) === 0 || !(await isTerminal(STDOUT))) return outcome;
  const { failuresIn } = await import("../capturing/fd_findings.ts");
  const { decisive: openAt } = failuresIn(store, entry, 1);
  return { ...outcome, openAt };
}

/** Answers with a digest: the first one for what the caller looks for, or one that follows. */
async function answerDigest(request: ReadRequest, host: Host): Promise<Outcome> {
  const { digestResult } = await import("../capturing/background/ended_result.ts");
  const store = openHostStore(host);
  return { exitCode: 0, ...await digestResult(store, findFd(store, request.fd), request) };
}

function answer(request: ReadRequest, host: Host): Promise<Outcome> {
  const isFd = parseFdArgument(request.fd) !== undefined ||
    namedId(openHostStore(host), request.fd) !== undefined;
  return isFd ? answerOfFd(request, host) : answerOfFile(request, host);
}

async function answerOfFile(request: ReadRequest, host: Host): Promise<Outcome> {
  const { takingFiles } = await import("../reading/file_as_fd.ts");
  return await takingFiles(NAME, readFields(), answerOfFd)(request, host);
}

async function answerOfFd(asked: ReadRequest, host: Host): Promise<Outcome> {
  if (asked.about !== undefined || asked.digest !== undefined) return await answerDigest(asked, host);
  const request = withPlainSlice(asked);
  const store = openHostStore(host);
  const answer = request.extract_to_new_fd === true
    ? await extractFd(store, request)
    : await readFd(store, request);
  return { exitCode: 0, answer };
}
