/**
 * Listings of everyday commands, and three questions to each that were written before any answer was looked at. In
 * `listings/questions.txt`, each listing has a line `== NAME`, `made:` and how, and `ask: QUESTION | FACT… -> CALL`: the facts
 * of an answer, and the one further call that a reader would make (`next`, or a command without the fd).
 */

import { gunzipSync } from "node:zlib";
import { join } from "node:path";
import { markdownTable } from "../result_pages.ts";
import { shell } from "./measure_case.ts";
import { median, number, share } from "./report_measures.ts";
import { charCount, nextCommand } from "./score_answer.ts";

const FOLDER = new URL("./listings/", import.meta.url);

interface Ask {
  question: string;
  facts: string[];
  call: string;
}

export interface Listing {
  name: string;
  content: Uint8Array;
  asks: Ask[];
}

export function listings(): Listing[] {
  return Deno.readTextFileSync(new URL("questions.txt", FOLDER)).split("\n\n").map((block) => {
    const [name = "", , ...asks] = block.trimEnd().split("\n");
    return {
      name: name.slice(3),
      content: gunzipSync(Deno.readFileSync(new URL(`${name.slice(3)}.gz`, FOLDER))),
      asks: asks.map((ask) => {
        const [, text = "", call = ""] = /^ask: (.*) -> (.*)$/.exec(ask) ?? [];
        const [question = "", ...facts] = text.split(" | ");
        return { question, facts, call };
      }),
    };
  });
}

/** Whether one of the lines has all facts. Digits may be grouped, and a number is a whole one. */
export function answers(lines: readonly string[], facts: readonly string[]): boolean {
  return lines.some((line) => {
    const plain = line.replace(/(?<=\d),(?=\d{3})/g, "");
    return facts.every((fact) =>
      /^\d+$/.test(fact) ? new RegExp(`(?<![\\w.])${fact}(?![\\w])`).test(plain) : plain.includes(fact)
    );
  });
}

/** The command of the one further call; undefined if there is none. */
function furtherCommand({ call }: Ask, answer: string): string | undefined {
  if (call === "next") return nextCommand(answer);
  return `fdtool ${call.replace(" ", " fd:1 ")}`;
}

/** How many questions the first answers hold, and how many with one further call. */
export async function reportListings(): Promise<string> {
  const rows: string[][] = [];
  const chars: number[] = [];
  let [atOnce, withCall, all] = [0, 0, 0];
  for (const { name, content, asks } of listings()) {
    const store = Deno.makeTempDirSync({ prefix: "listings-" });
    const file = join(store, "output");
    Deno.writeFileSync(file, content);
    const answer = await shell("fdtool capture --threshold 1000", store, file);
    const open: string[] = [];
    for (const ask of asks) {
      all++;
      if (answers(answer.split("\n"), ask.facts)) {
        atOnce++;
        withCall++;
        continue;
      }
      const command = furtherCommand(ask, answer);
      const further = command === undefined ? "" : await shell(command, store, "/dev/null");
      // The call says what is counted.
      const isAnswered = ask.facts.every((fact) =>
        answers(further.split("\n"), [fact]) || ask.call.includes(fact)
      );
      if (isAnswered) withCall++;
      open.push(`${ask.question}${isAnswered ? "" : " (not with one call)"}`);
    }
    Deno.removeSync(store, { recursive: true });
    chars.push(charCount(answer));
    rows.push([name, number(charCount(answer)), open.join("; ")]);
  }
  return `Answered by the first answer: ${share(atOnce, all)}. With one further call: ${
    share(withCall, all)
  }. Chars of an answer: median ${number(median(chars))}, most ${number(Math.max(...chars))}.

${markdownTable(["listing", "chars", "not in the first answer"], rows)}`;
}
