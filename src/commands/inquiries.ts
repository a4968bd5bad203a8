/**
 * `inquiries`: the questions that wait for an answer (SPEC section 7).
 *
 * @module
 */

import type { Command } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";
import { formatInquiry, openInquiries } from "../writing/inquiries.ts";

export const command: Command = {
  spec: {
    name: "inquiries",
    aliases: ["list_inquiries"],
    summary: "the questions that wait for an answer",
    usage: "",
    positionals: { least: 0, most: 0 },
    options: {},
    example: "fdtool inquiries",
    exitCodes: [[0, "listed"], [1, "failed"], [2, "wrong call"]],
  },
  run(_call, host) {
    const inquiries = openInquiries(openHostStore(host)).map(({ id, asked }) => ({
      inquiry_id: formatInquiry(id),
      tool: asked.tool,
      path: asked.files.map((file) => file.shown).join(", "),
      question: asked.question.text,
      asked: new Date(asked.at).toISOString(),
    }));
    return { exitCode: 0, answer: { type: "inquiry_list", inquiries } };
  },
};
