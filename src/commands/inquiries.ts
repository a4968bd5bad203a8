/**
 * `inquiries`: lists open questions (contract, Inquiries).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { INQUIRIES_REQUEST } from "../calls/requests/inquiry_requests.ts";
import { firstFew, listFew } from "../answers/parts/first_few.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { formatInquiry, openInquiries } from "../writing/inquiries/inquiries.ts";
import { pathsFromHere } from "../writing/commit/resolve_path.ts";

/** The most paths of a question that are named. */
const MAX_PATHS = 10;

export const command = defineOperation({
  ...INQUIRIES_REQUEST,
  usage: "[--all]",
  example: "fdtool inquiries",
  noticesInterrupted: true,
  exitCodes: { 0: "the list was printed", 1: "failed" },
  answer({ all }, host) {
    const open = openInquiries(openHostStore(host));
    const { shown, more } = firstFew(open, all === true ? Infinity : MAX_LISTED);
    const inquiries = shown.map(({ id, asked }) => ({
      inquiry_id: formatInquiry(id),
      tool: asked.tool,
      path: listFew(pathsFromHere(asked.files.map((file) => file.path), host.cwd), MAX_PATHS),
      question: asked.question.text,
      asked: new Date(asked.at).toISOString(),
    }));
    const cut = more === undefined ? {} : {
      total: open.length,
      message: `Showing the first ${shown.length} of ${open.length} questions.`,
      next: { command: "inquiries" as const, args: { all: true } },
    };
    return Promise.resolve({ exitCode: 0, answer: { type: "inquiry_list", ...cut, inquiries } });
  },
});
