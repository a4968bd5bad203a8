/** The first answers of other tools, on the same outputs. @module */

import { join } from "node:path";
import { type CorpusCase, halfOf } from "./corpus_case.ts";
import { keptOutput } from "./kept_outputs.ts";
import { type Peer, PEERS_MEASURED } from "./peer_answers.ts";
import { median, number, share, table } from "./report_measures.ts";
import { charCount, showsAll } from "./score_answer.ts";

/** A table with one row a peer; a peer that cannot be used has a row that says so. */
export async function measurePeers(cases: readonly CorpusCase[]): Promise<string> {
  const rows: string[][] = [];
  for (const peer of PEERS_MEASURED) {
    console.error(peer.name);
    rows.push(await peerRow(peer, cases));
  }
  return table(
    [
      "peer",
      "version",
      "measured half",
      "tuning half",
      "median chars, fault",
      "median chars, no fault",
      "chars of all",
    ],
    rows,
  );
}

async function peerRow(peer: Peer, cases: readonly CorpusCase[]): Promise<string[]> {
  try {
    Deno.statSync(peer.program);
  } catch {
    return [peer.name, "not installed here", "", "", "", "", ""];
  }
  const shown = { measured: [] as boolean[], tuning: [] as boolean[] };
  const faultyChars: number[] = [];
  const soundChars: number[] = [];
  let version = "";
  for (const each of cases) {
    const output = keptOutput(each.name);
    if (output === undefined) continue;
    const home = Deno.makeTempDirSync({ prefix: "first-answer-peer-" });
    try {
      version ||= (await peer.version(home)).trim();
      const outputFile = join(home, "output.log");
      Deno.writeFileSync(outputFile, output);
      const answer = await peer.answer(outputFile, home);
      const faulty = each.place !== "none";
      (faulty ? faultyChars : soundChars).push(charCount(answer));
      if (faulty) shown[halfOf(each.name)].push(showsAll(answer, each.facts));
    } finally {
      Deno.removeSync(home, { recursive: true });
    }
  }
  const part = (values: readonly boolean[]) => share(values.filter(Boolean).length, values.length);
  const total = [...faultyChars, ...soundChars].reduce((sum, count) => sum + count, 0);
  const chars = [median(faultyChars), median(soundChars), total].map(number);
  return [peer.name, version, part(shown.measured), part(shown.tuning), ...chars];
}
