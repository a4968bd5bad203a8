/** The first answers of other tools, on the same outputs. */

import { join } from "node:path";
import { markdownTable } from "../result_pages.ts";
import { type CorpusCase, halfOf } from "./corpus_case.ts";
import { keptOutput } from "./kept_outputs.ts";
import { type Peer, PEERS_MEASURED } from "./peer_answers.ts";
import { median, number, share } from "./report_measures.ts";
import { charCount, showsAll } from "./score_answer.ts";

/** The results of one row. */
interface PeerRow {
  shown: { measured: boolean[]; tuning: boolean[] };
  faultyChars: number[];
  soundChars: number[];
}

/** A table with a row for each way a peer is used; a peer that cannot be used has a row that says so. */
export async function measurePeers(cases: readonly CorpusCase[]): Promise<string> {
  const homes = Deno.makeTempDirSync({ prefix: "first-answer-peers-" });
  const lines: string[][] = [];
  for (const peer of PEERS_MEASURED) {
    console.error(peer.rows[0]);
    lines.push(...await peerLines(peer, cases, homes));
  }
  // A server of a peer may still write for a moment; what it leaves is in the system's temporary directory.
  await Deno.remove(homes, { recursive: true }).catch(() => {});
  const head = ["peer", "version", "measured half", "tuning half", "median chars, fault"];
  return markdownTable([...head, "median chars, no fault", "chars of all"], lines);
}

async function peerLines(peer: Peer, cases: readonly CorpusCase[], homes: string): Promise<string[][]> {
  try {
    Deno.statSync(peer.program);
  } catch {
    return peer.rows.map((name) => [name, "not installed here", "", "", "", "", ""]);
  }
  const version = (await peer.version(homes)).trim();
  const rows: PeerRow[] = peer.rows.map(() => ({
    shown: { measured: [], tuning: [] },
    faultyChars: [],
    soundChars: [],
  }));
  for (const each of cases) {
    const output = keptOutput(each.name);
    if (output === undefined) continue;
    const home = Deno.makeTempDirSync({ dir: homes });
    const outputFile = join(home, "output.log");
    Deno.writeFileSync(outputFile, output);
    const answers = await peer.answers(outputFile, home);
    rows.forEach((row, index) => take(row, each, answers[index] ?? ""));
  }
  return rows.map((row, index) => [peer.rows[index] as string, version, ...cells(row)]);
}

function take(row: PeerRow, each: CorpusCase, answer: string): void {
  (each.sound ? row.soundChars : row.faultyChars).push(charCount(answer));
  if (!each.sound) row.shown[halfOf(each.name)].push(showsAll(answer, each.facts));
}

function cells({ shown, faultyChars, soundChars }: PeerRow): string[] {
  const part = (values: readonly boolean[]) => share(values.filter(Boolean).length, values.length);
  const total = [...faultyChars, ...soundChars].reduce((sum, count) => sum + count, 0);
  return [
    part(shown.measured),
    part(shown.tuning),
    ...[median(faultyChars), median(soundChars), total].map(number),
  ];
}
