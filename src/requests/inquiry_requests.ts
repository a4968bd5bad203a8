/**
 * The requests that `create`, `answer`, `cancel` and `inquiries` answer (contract, Inquiries and Agents).
 */

import type { RequestField, RequestFields, RequestOf } from "./request_fields.ts";
import { REFS_FIELDS } from "./list_request.ts";
import { DRY_RUN_FIELD } from "./shared_fields.ts";

export const CREATE_FIELDS = {
  path: {
    kind: "text",
    isNeverEmpty: true,
    isRequired: true,
    isArgument: true,
    description: "The file to create. The answer asks for the content.",
  },
  dry_run: DRY_RUN_FIELD,
} as const satisfies RequestFields;
export type CreateRequest = RequestOf<typeof CREATE_FIELDS>;

const INQUIRY_FIELD = {
  kind: "text",
  isNeverEmpty: true,
  isRequired: true,
  isArgument: true,
  description: 'The question: "inq:4".',
} as const satisfies RequestField;

export const ANSWER_FIELDS = {
  inquiry_id: INQUIRY_FIELD,
  answer: {
    kind: "json",
    isRequired: true,
    description: "The answer, matching the question's schema.",
  },
} as const satisfies RequestFields;
export type AnswerRequest = RequestOf<typeof ANSWER_FIELDS>;

export const CANCEL_FIELDS = { inquiry_id: INQUIRY_FIELD } as const satisfies RequestFields;
export type CancelRequest = RequestOf<typeof CANCEL_FIELDS>;

export const INQUIRIES_FIELDS = {
  all: { kind: "flag", option: REFS_FIELDS.all.option },
} as const satisfies RequestFields;
export type InquiriesRequest = RequestOf<typeof INQUIRIES_FIELDS>;
