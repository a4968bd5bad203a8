/**
 * Races: several calls at once on the same file, question, step or name. Every append must be in the file, in the order of
 * the journal. Exactly one answer to a question, and one undo of a step, succeeds. One of the fds keeps the name.
 */

import { assertBytes } from "../../tests/store_calls.ts";
import { must } from "./inner_world.ts";
import { textOf } from "./walk_contents.ts";
import { type Answer, type Json, toolCall } from "./walk_doors.ts";
import { FILES, mustHold } from "./walk_file_steps.ts";
import { judge } from "./walk_judge.ts";
import {
  addStep,
  changeWith,
  fromLatin1,
  latin1,
  newestInEffect,
  numberOf,
  sameFile,
  setFile,
  utf8,
} from "./walk_model.ts";
import type { PlannedStep, Walk } from "./walk_step.ts";
import { mustSay, someFd } from "./walk_store_steps.ts";

/** Calls to make at once, and the check of their results. */
export interface Race {
  steps: readonly PlannedStep[];
  judge(answers: readonly Answer[]): void | Promise<void>;
}

/** A random race; undefined if the model has nothing to race for. */
export function someRace(walk: Walk): Race | undefined {
  return walk.choices.one([appends, appends, answers, undos, namings])(walk);
}

function appends(walk: Walk): Race {
  const { known, choices } = walk;
  const path = choices.one(FILES);
  const steps = Array.from({ length: choices.whole(2, 5) }, (_, at): PlannedStep => {
    const block = `${at} ${textOf(choices, 2)}\n`;
    const plan = {
      intent: "append",
      target_file: path,
      operations: [{ type: "append", content_block: block }],
    };
    return {
      call: toolCall("write_plan", { ...plan, yes: true }),
      check: (_answer, json) => mustSay(json, { type: "write_result", path }),
    };
  });
  return {
    steps,
    async judge(answers) {
      for (const [at, answer] of answers.entries()) await judge(steps[at]!, answer);
      const inOrder = answers.map(({ json }, at) => ({ json: json!, at }))
        .sort((one, other) => numberOf(one.json["tx"], "tx") - numberOf(other.json["tx"], "tx"));
      for (const { json, at } of inOrder) {
        const before = known.files.get(path) ?? new Uint8Array(0);
        const block =
          (steps[at]!.call.tool![1]["operations"] as { content_block: string }[])[0]!.content_block;
        const backup = addWrite(walk, json, path, fromLatin1(latin1(before) + latin1(utf8(block))));
        if (backup !== undefined) {
          assertBytes(await walk.fetch(backup), before, `the backup of ${json["tx"]}`);
        }
      }
      mustHold(walk, path);
    },
  };
}

/** The answer of the one call that succeeded. The others must have failed with one of `losses`. */
function winner(answers: readonly Answer[], losses: readonly string[]): Json {
  const won = answers.filter(({ error }) => error === undefined);
  must(
    won.length === 1 && won[0]!.json !== undefined,
    () =>
      `${won.length} of ${answers.length} won: ${
        JSON.stringify(answers.map(({ json }) => json)).slice(0, 1500)
      }`,
  );
  for (const { error, json } of answers) {
    must(error === undefined || losses.includes(error), () => `lost with ${JSON.stringify(json)}`);
  }
  return won[0]!.json!;
}

function answers(walk: Walk): Race | undefined {
  const { known, choices } = walk;
  const question = [...known.questions.values()].find(({ state, path, file }) =>
    state === "open" && sameFile(file, known.files.get(path))
  );
  if (question === undefined) return undefined;
  const { id, path, file } = question;
  const contents = Array.from(
    { length: choices.whole(2, 4) },
    (_, at) => `answer ${at}\n${textOf(choices, 3)}`,
  );
  const steps = contents.map((content): PlannedStep => {
    const answer = file === undefined ? { content } : { overwrite: true, content };
    return {
      call: toolCall("answer_inquiry", { inquiry_id: `inq:${id}`, answer }),
    };
  });
  return {
    steps,
    judge(given) {
      const json = winner(given, ["invalid_answer"]);
      const after = utf8(contents[given.findIndex(({ error }) => error === undefined)]!);
      addWrite(walk, json, path, after);
      mustHold(walk, path);
      question.state = "closed";
    },
  };
}

function undos(walk: Walk): Race | undefined {
  const { known, choices } = walk;
  const step = newestInEffect(known);
  const [change] = step?.changes ?? [];
  if (step === undefined || change === undefined || step.changes.length > 1) return undefined;
  if (sameFile(change.before, change.after) || !sameFile(known.files.get(change.path), change.after)) {
    return undefined;
  }
  const tx = `tx:${step.id}`;
  const steps = Array.from(
    { length: choices.whole(2, 4) },
    (): PlannedStep => ({ call: toolCall("undo_write", { tx }) }),
  );
  return {
    steps,
    judge(given) {
      addWrite(walk, winner(given, ["stale_file"]), change.path, change.before, step.id);
      mustHold(walk, change.path);
    },
  };
}

/** Adds the write that succeeded to the model; returns its backup. */
function addWrite(
  { known }: Walk,
  json: Json,
  path: string,
  after: Uint8Array | undefined,
  undoes?: number,
): number | undefined {
  const change = changeWith(known, { path, after }, json["backup_fd"]);
  addStep(known, json["tx"], [change], undoes);
  setFile(known, path, after);
  return change.backup;
}

function namings(walk: Walk): Race | undefined {
  const { known, choices } = walk;
  const name = choices.one(["log", "build"]);
  const fds = [someFd(walk), someFd(walk), someFd(walk)].flatMap((fd) => fd === undefined ? [] : [fd.id]);
  if (fds.length < 2) return undefined;
  const steps = fds.map((id): PlannedStep => ({ call: { words: ["name", `fd:${id}`, name] } }));
  return {
    steps,
    async judge(given) {
      for (const [at, answer] of given.entries()) await judge(steps[at]!, answer);
      const { json } = await (walk.ask("list_refs", {}));
      const bound = (json?.["refs"] as { id: string; fd: string }[]).find(({ id }) => id === `ref:${name}`);
      const id = numberOf(bound?.fd, "fd");
      must(fds.includes(id), () => `ref:${name} is fd:${id}, wanted one of ${fds}`);
      known.names.set(name, id);
    },
  };
}
