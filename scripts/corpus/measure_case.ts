/** Measures the first answers of fdtool and of plain cuts, and the cost of following `next` to the fact. */

import { join } from "node:path";
import { CHECKOUT } from "../checkout.ts";
import type { CorpusCase } from "./corpus_case.ts";
import { perturb, PERTURBATIONS } from "./perturbations.ts";
import { charCount, cut, nextCommand, shownFacts, showsAll } from "./score_answer.ts";

/** The folder of the fdtool that is measured: `$FDTOOL_MEASURED`, to look at another version, else the built one. */
const MEASURED = Deno.env.get("FDTOOL_MEASURED") ?? join(CHECKOUT, "dist");

/** The most chars of a first answer: 4,000 of preview and the tags and lines around it. */
export const BUDGET = 4600;

/** Plain cuts that hosts make, as chars of the head and of the tail. */
export const CUTS = [
  { name: "cut 2,000 + 2,000", head: 2000, tail: 2000 },
  { name: "cut 30,000 head", head: 30_000, tail: 0 },
  { name: "cut 15,000 + 15,000", head: 15_000, tail: 15_000 },
] as const;

/** The most calls: the first answer, and five times its `next`. */
const MAX_CALLS = 6;

export interface Shown {
  charCount: number;
  fact: boolean;
}

export interface Measured {
  name: string;
  outputCharCount: number;
  faulty: boolean;
  /** It names strings to look for; a case without a fault need not. */
  sought: boolean;
  /** The case has a question. */
  question: boolean;
  first: Shown;
  cuts: readonly Shown[];
  /** Calls, the first included, and chars until the fact was shown; undefined if it never was. */
  followed?: { callCount: number; charCount: number };
  /** The first answer to a caller who says the question; undefined if there is none, or no `--about`. */
  asked?: Shown;
  /** Whether the first answer shows the fact after each of `PERTURBATIONS`; undefined if that took the fact away. */
  perturbed: readonly (boolean | undefined)[];
}

/** Measures a case in a store of its own, following `next` until the fact is shown or `MAX_CALLS` calls were made. */
export async function measureCase(each: CorpusCase, output: Uint8Array): Promise<Measured> {
  const store = Deno.makeTempDirSync({ prefix: "first-answer-" });
  try {
    const text = new TextDecoder().decode(output);
    const outputFile = join(store, "output");
    Deno.writeFileSync(outputFile, output);
    let answer = await shell("fdtool capture", store, outputFile);
    const first = { charCount: charCount(answer), fact: showsAll(answer, each.facts) };
    const missing = new Set(each.facts);
    let callCount = 1;
    let total = first.charCount;
    while (true) {
      for (const fact of shownFacts(answer, each.facts)) missing.delete(fact);
      const next = nextCommand(answer);
      if (missing.size === 0 || next === undefined || callCount >= MAX_CALLS) break;
      answer = await shell(next, store, "/dev/null");
      callCount++;
      total += charCount(answer);
    }
    const asked = each.question !== undefined && canBeAsked()
      ? await shell(`fdtool capture --about '${each.question.replaceAll("'", "'\\''")}'`, store, outputFile)
      : undefined;
    const perturbed: (boolean | undefined)[] = [];
    for (const perturbation of each.sound ? [] : PERTURBATIONS) {
      const changed = perturb(text, perturbation);
      Deno.writeTextFileSync(outputFile, changed);
      const isThere = showsAll(changed, each.facts);
      perturbed.push(
        isThere ? showsAll(await shell("fdtool capture", store, outputFile), each.facts) : undefined,
      );
    }
    return {
      name: each.name,
      outputCharCount: charCount(text),
      faulty: !each.sound,
      sought: each.facts.length > 0,
      question: each.question !== undefined,
      first,
      cuts: CUTS.map(({ head, tail }) => {
        const shown = cut(text, head, tail);
        return { charCount: charCount(shown), fact: showsAll(shown, each.facts) };
      }),
      ...missing.size === 0 && { followed: { callCount, charCount: total } },
      ...asked !== undefined && { asked: { charCount: charCount(asked), fact: showsAll(asked, each.facts) } },
      perturbed,
    };
  } finally {
    Deno.removeSync(store, { recursive: true });
  }
}

/** Whether the measured fdtool has `--about`. */
function canBeAsked(): boolean {
  askable ??= new TextDecoder().decode(
    new Deno.Command(join(MEASURED, "fdtool"), { args: ["capture", "--help"] }).outputSync().stdout,
  ).includes("--about");
  return askable;
}
let askable: boolean | undefined;

/** Returns the output of a line of sh, with the measured fdtool first on PATH. */
export async function shell(
  command: string,
  store: string,
  stdinFile: string,
  cwd?: string,
): Promise<string> {
  const { stdout } = await new Deno.Command("sh", {
    ...cwd !== undefined && { cwd },
    args: ["-c", `exec <"$1"; ${command}`, "sh", stdinFile],
    env: {
      FDTOOL_STORE: store,
      PATH: `${MEASURED}:${Deno.env.get("PATH")}`,
      LC_ALL: "C.UTF-8",
    },
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout);
}
