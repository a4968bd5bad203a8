/**
 * The requests that `create`, `answer`, `cancel` and `inquiries` answer (contract, Inquiries and Agents).
 */

import { defineRequest, NEEDED_TEXT, type RequestFields, type RequestOf } from "./request_fields.ts";
import { REFS_REQUEST } from "./list_request.ts";
import { DRY_RUN_FIELD, PLACEHOLDERS_FIELD } from "./write_fields.ts";

/** Members of an answer that are often sent beside or before it: accepted, and not listed. */
const ANSWER_FIELDS = {
  content: { kind: "text" },
  content_fd: { kind: "fd" },
  overwrite: { kind: "flag" },
} as const satisfies RequestFields;

export const CREATE_REQUEST = defineRequest({
  path: { ...NEEDED_TEXT, description: "the file" },
  ...ANSWER_FIELDS,
  allow_placeholders: PLACEHOLDERS_FIELD,
  dry_run: DRY_RUN_FIELD,
});
export type CreateRequest = RequestOf<typeof CREATE_REQUEST.fields>;

const INQUIRY_FIELD = { ...NEEDED_TEXT, description: '"inq:4"' } as const;

export const ANSWER_REQUEST = defineRequest({
  inquiry_id: INQUIRY_FIELD,
  answer: { kind: "json", description: "true or false, one of the options, text, or an object" },
  ...ANSWER_FIELDS,
  allow_placeholders: PLACEHOLDERS_FIELD,
});
export type AnswerRequest = RequestOf<typeof ANSWER_REQUEST.fields>;

export const CANCEL_REQUEST = defineRequest({ inquiry_id: INQUIRY_FIELD });
export type CancelRequest = RequestOf<typeof CANCEL_REQUEST.fields>;

export const INQUIRIES_REQUEST = defineRequest({
  all: { kind: "flag", option: REFS_REQUEST.fields.all.option },
});
export type InquiriesRequest = RequestOf<typeof INQUIRIES_REQUEST.fields>;
