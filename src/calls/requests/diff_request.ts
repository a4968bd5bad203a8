/**
 * The request that `diff` answers (contract, Agents).
 */

import { countField, defineRequest, flagField, type RequestOf } from "./request_fields.ts";
import { contextField, sharedFields } from "./shared_fields.ts";

const { fdOrFileField } = sharedFields();

/** The amount shown by default. */
export const DEFAULT_CONTEXT = 3;
export const DEFAULT_CHARS = 8000;

export const DIFF_REQUEST = defineRequest({
  old_fd: { ...fdOrFileField, description: 'The older fd ("fd:12", "12" or "ref:NAME") or file.' },
  new_fd: { ...fdOrFileField, description: "The newer fd or file." },
  context: contextField(`Lines of context around each change (default ${DEFAULT_CONTEXT}).`, {
    short: "C",
    aliases: ["unified"],
    help: `show N lines around each change (default ${DEFAULT_CONTEXT})`,
  }),
  ignore_times: flagField("Ignore changes in dates, times of day, durations and epoch numbers.", {
    short: "t",
    instead: "--volatile hide",
  }),
  ignore_addresses: flagField("Ignore changes in memory addresses (0x7ffe…).", {
    instead: "--volatile hide",
  }),
  volatile: {
    kind: "text",
    choices: ["auto", "show", "hide"],
    description:
      "Lines that differ only in times, addresses and ids: auto (default) hides them if the diff is then ten times " +
      "smaller, and says so.",
    option: {
      value: "HOW",
      help:
        "show or hide lines that differ only in times, addresses and ids; auto (default): hide them if the " +
        "diff is then at least ten times smaller, and say so",
    },
  },
  ignore_space: flagField("Ignore changes in amount of whitespace, and trailing whitespace.", {
    short: "b",
    aliases: ["ignore-space-change"],
  }),
  ignore_case: flagField("Ignore changes in case.", { short: "i" }),
  exact: flagField("Compare the stored text, with escape sequences and overwritten text.", {
    help: "compare escape sequences and overwritten text, too",
  }),
  max_chars: countField(
    `Show at most this many chars of the diff (default ${DEFAULT_CHARS}); a longer one becomes an fd.`,
    {
      help:
        `show at most N chars (default ${DEFAULT_CHARS}); a longer diff becomes an fd. raw prints all of it`,
    },
  ),
});

export type DiffRequest = RequestOf<typeof DIFF_REQUEST.fields>;
