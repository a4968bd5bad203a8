/**
 * The cases in `projects/`, a text file each: lines that begin with `question:`, `fact:` (a string, or a pattern between
 * slashes) or `sound:`, then the command after `run:`, then the files of the project, each after a line `-- PATH --`.
 */

import { readdirSync } from "node:fs";
import type { Fact, WrittenCase } from "./corpus_case.ts";

const FOLDER = new URL("./projects/", import.meta.url);

/** The path, then the content. */
const FILE = /^-- (.+?)( \(no final newline\))? --\n((?:(?!-- .* --\n).*\n)*)/gm;

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
    files: () =>
      Object.fromEntries(
        text.matchAll(FILE).map(([, path, isOpen, content = ""]) =>
          [path!, isOpen === undefined ? content : content.slice(0, -1)] as const
        ),
      ),
  };
}

function toFact(value: string): Fact {
  const pattern = /^\/(.+)\/$/.exec(value)?.[1];
  return pattern === undefined ? value : new RegExp(pattern);
}
