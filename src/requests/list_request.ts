/**
 * The requests that `ls`, `stat` and `refs` answer (contract, Agents).
 */

import type { RequestFields, RequestOf } from "./request_fields.ts";
import { FD_FIELD, LIMIT_RULE, MAX_LISTED } from "./shared_fields.ts";

/** The number of fds listed by default. */
export const DEFAULT_LIMIT = 100;

export const LIST_FIELDS = {
  limit: {
    kind: "integer",
    least: 1,
    description: `Show the newest N (default ${DEFAULT_LIMIT}).`,
    option: { value: "N", help: `show the newest N (default ${DEFAULT_LIMIT})` },
  },
  all: { kind: "flag", description: "Show all.", option: { short: "a", help: "show all" } },
  before: {
    kind: "text",
    isNeverEmpty: true,
    description: "Show those older than this fd.",
    option: { value: "FD", help: "show those older than FD" },
  },
  removed: {
    kind: "flag",
    description: "List removed fds instead, with when and why.",
    option: { help: "show removed fds instead, with when and why" },
  },
} as const satisfies RequestFields;
export const LIST_RULES = [LIMIT_RULE];
export type ListRequest = RequestOf<typeof LIST_FIELDS>;

export const STAT_FIELDS = { fd: FD_FIELD } as const satisfies RequestFields;
export type StatRequest = RequestOf<typeof STAT_FIELDS>;

export const REFS_FIELDS = {
  limit: {
    kind: "integer",
    least: 1,
    description: `Show at most so many (default ${MAX_LISTED}).`,
    option: { value: "N", help: `list at most N (default ${MAX_LISTED})` },
  },
  all: {
    kind: "flag",
    description: `Show all, not only the first ${MAX_LISTED}.`,
    option: { short: "a", help: `list all, not only the first ${MAX_LISTED}` },
  },
  after: {
    kind: "text",
    isNeverEmpty: true,
    description: "Show those that follow this name.",
    option: { value: "NAME", help: "list those that follow NAME" },
  },
} as const satisfies RequestFields;
export const REFS_RULES = [LIMIT_RULE];
export type RefsRequest = RequestOf<typeof REFS_FIELDS>;
