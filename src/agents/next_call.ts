/**
 * The next step that an answer offers, as a call of a tool: its command line is of no use to a model that has no shell.
 *
 * @module
 */

/** How a command's words become a tool's arguments. */
interface CallForm {
  tool: string;
  /** The argument that the command's one word is; undefined for a command that takes none. */
  word: string | undefined;
  /** The options that the tool has too, and whether each is a number, a text or a flag. Any other: there is no such call. */
  options: Readonly<Record<string, readonly [name: string, kind: "number" | "text" | "flag"]>>;
  /** What the model has to fill in. */
  open?: string | undefined;
}

const FORMS: Readonly<Record<string, CallForm>> = {
  read: {
    tool: "read_fd",
    word: "fd",
    options: {
      "--mode": ["mode", "text"],
      "--start": ["start", "number"],
      "--count": ["count", "number"],
      "--tail": ["tail", "number"],
      "--max-chars": ["max_chars", "number"],
      "--number": ["number", "flag"],
      "--all": ["read_all", "flag"],
      "--extract": ["extract_to_new_fd", "flag"],
    },
  },
  ls: {
    tool: "list_fds",
    word: undefined,
    options: { "--all": ["all", "flag"], "--removed": ["removed", "flag"], "--limit": ["limit", "number"] },
  },
  refs: { tool: "list_refs", word: undefined, options: { "--all": ["all", "flag"] } },
  undo: { tool: "undo_write", word: "tx", options: {} },
  answer: { tool: "answer_inquiry", word: "inquiry_id", options: {}, open: "answer" },
};

/**
 * The command line `next` as a call, such as `read_fd {"fd":"fd:1","start":2}`; undefined where none of `tools` does what it
 * does.
 *
 * ```ts
 * import { nextCall } from "./next_call.ts";
 * import { assertEquals } from "@std/assert";
 * const tools = new Set(["read_fd", "list_fds"]);
 * assertEquals(nextCall("fdtool read fd:1 --start 2", tools), 'read_fd {"fd":"fd:1","start":2}');
 * assertEquals(nextCall("fdtool ls --all", tools), 'list_fds {"all":true}');
 * assertEquals(nextCall("fdtool undo tx:1", tools), undefined);
 * ```
 */
export function nextCall(next: string, tools: { has(name: string): boolean }): string | undefined {
  // Words in quotes are paths and patterns, which none of these calls has.
  const [program, command = "", ...words] = next.split(" ");
  const form = Object.hasOwn(FORMS, command) ? FORMS[command] : undefined;
  if (program !== "fdtool" || form === undefined || !tools.has(form.tool)) return undefined;
  const given: Record<string, unknown> = {};
  while (words.length > 0) {
    const word = words.shift()!;
    if (word === "--store") {
      // A server has one store, which its calls need not name.
      words.length = 0;
    } else if (word.startsWith("-")) {
      const [name, kind] = form.options[word] ?? [];
      if (name === undefined) return undefined;
      given[name] = kind === "flag" ? true : kind === "number" ? Number(words.shift()) : words.shift();
    } else {
      if (form.word === undefined || form.word in given) return undefined;
      given[form.word] = word;
    }
  }
  if (form.word !== undefined && !(form.word in given)) return undefined;
  const written = JSON.stringify(given);
  if (form.open === undefined) return `${form.tool} ${written}`;
  return `${form.tool} ${written.slice(0, -1)},"${form.open}":…}`;
}
