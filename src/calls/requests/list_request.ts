/**
 * The requests that `ls`, `stat` and `refs` answer (contract, Agents).
 */

import { countField, defineRequest, flagField, type RequestOf } from "./request_fields.ts";
import { limitRule, MAX_LISTED, sharedFields } from "./shared_fields.ts";

const { fdField } = sharedFields();

/** The number of fds listed by default. */
export const DEFAULT_LIMIT = 100;

export const LIST_REQUEST = defineRequest({
  limit: countField(`Show the newest N (default ${DEFAULT_LIMIT}).`),
  all: flagField("Show all.", { short: "a" }),
  before: {
    kind: "fd",
    description: "Show those older than this fd.",
    option: { value: "FD", help: "show those older than FD" },
  },
  removed: flagField("List removed fds instead, with when and why.", {
    help: "show removed fds instead, with when and why",
  }),
}, [limitRule()]);
export type ListRequest = RequestOf<typeof LIST_REQUEST.fields>;

export const STAT_REQUEST = defineRequest({ fd: fdField });
export type StatRequest = RequestOf<typeof STAT_REQUEST.fields>;

export const REFS_REQUEST = defineRequest({
  limit: countField(`Show at most so many (default ${MAX_LISTED}).`, {
    help: `list at most N (default ${MAX_LISTED})`,
  }),
  all: flagField(`Show all, not only the first ${MAX_LISTED}.`, {
    short: "a",
    help: `list all, not only the first ${MAX_LISTED}`,
  }),
  after: {
    kind: "text",
    isNeverEmpty: true,
    description: "Show those that follow this name.",
    option: { value: "NAME", help: "list those that follow NAME" },
  },
}, [limitRule()]);
export type RefsRequest = RequestOf<typeof REFS_REQUEST.fields>;
