/**
 * The cases in `projects/`, a text file each: lines that begin with `question:`, `fact:` (a string, or a pattern between
 * slashes) or `sound:`, then the command after `run:`, then the files of the project, each after a line `-- PATH --`. In
 * `-- PATH (N files) --` and what follows it, `{word}` and `{number}` are those of each file.
 */

import { readdirSync } from "node:fs";
import { type Fact, word, type WrittenCase } from "./corpus_case.ts";

const FOLDER = new URL("./projects/", import.meta.url);

/** The path, how many files it makes, and the content. */
const FILE = /^-- (.+?)(?: \((\d+) files\))?( \(no final newline\))? --\n((?:(?!-- .* --\n).*\n)*)/gm;

export function textCases(): WrittenCase[] {
  return readdirSync(FOLDER).sort().map((file) =>
    textCase(file.replace(/\.txt$/, ""), Deno.readTextFileSync(new URL(file, FOLDER)))
  );
}

function textCase(name: string, text: string): WrittenCase {
  const head = text.split(/^-- .* --\n/m, 1)[0]!;
  const values = (key: string) =>
    [...head.matchAll(new RegExp(`^${key}: (.*)$`, "gm"))].map(([, value]) => value!);
  const [question] = values("question");
  const command = /^run: ([^]*)\n$/m.exec(head)?.[1];
  if (command === undefined) {
    throw new Error(`projects/${name}.txt has no line "run: COMMAND" before its files`);
  }
  return {
    name,
    sound: values("sound").length > 0,
    facts: values("fact").map(toFact),
    ...question !== undefined && { question },
    command,
    files: () => filesOf(text),
  };
}

/** The files of a project by their paths; of two with one path, the later one counts. */
export function filesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.matchAll(FILE).flatMap(([, path, count, isOpen, lines = ""]) => {
      const content = isOpen === undefined ? lines : lines.slice(0, -1);
      if (count === undefined) return [[path!, content]];
      return Array.from({ length: Number(count) }, (_, at) => [filled(path!, at), filled(content, at)]);
    }),
  );
}

function filled(text: string, number: number): string {
  return text.replaceAll("{word}", word(number)).replaceAll("{number}", `${number}`);
}

function toFact(value: string): Fact {
  const pattern = /^\/(.+)\/$/.exec(value)?.[1];
  return pattern === undefined ? value : new RegExp(pattern);
}
