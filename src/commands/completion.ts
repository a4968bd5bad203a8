/**
 * `completion`: scripts for shells, which ask this command again for the words that fit (`completion words-SHELL`).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import { completeCall } from "./completing/complete_call.ts";
import { type Fitting, NOTHING_FITS } from "./completing/fitting.ts";
import { fittingText, scriptOf, type Shell, SHELLS, typedWords } from "./completing/shell_scripts.ts";
import { valuesOfKind } from "./completing/value_kinds.ts";
import type { Host } from "../calls/terms/command.ts";
import { operationNamed } from "../calls/arguments/option_spellings.ts";
import { failValue } from "../calls/requests/usage_failure.ts";

/** Before a shell's name: its script asks for words. */
const ASK = "words-";

export const command = defineOperation({
  fields: { shell: { kind: "text", isRequired: true, isArgument: true } },
  usage: "bash|zsh|fish",
  takesRest: true,
  values: { shell: SHELLS },
  notes: [
    "Completes commands, options and their values, fds and names with descriptions, writes, questions, files, and " +
    "the command behind run --. In the current shell, eval the script, as in the example (in fish: " +
    "fdtool completion fish | source). For new shells, put it where they look for it:",
    "  # bash with the package bash-completion (without it, put the example into ~/.bashrc)\n" +
    "  mkdir -p ~/.local/share/bash-completion/completions\n" +
    "  fdtool completion bash >~/.local/share/bash-completion/completions/fdtool\n" +
    "  # zsh with this in ~/.zshrc: fpath=(~/.zfunc $fpath); autoload -U compinit; compinit\n" +
    "  mkdir -p ~/.zfunc\n" +
    "  fdtool completion zsh >~/.zfunc/_fdtool\n" +
    "  # fish\n" +
    "  mkdir -p ~/.config/fish/completions\n" +
    "  fdtool completion fish >~/.config/fish/completions/fdtool.fish",
  ],
  example: 'eval "$(fdtool completion bash)"',
  failsOpen: true,
  needsNoStore: true,
  exitCodes: { 0: "the script was printed", 2: "unknown shell" },
  async run({ shell: written }, host, { rest }) {
    const text = written.startsWith(ASK)
      ? await wordsFor(shellNamed(written.slice(ASK.length)), rest, host)
      : await scriptOf(shellNamed(written));
    return { exitCode: 0, answer: textAnswer(text) };
  },
});

function shellNamed(got: string): Shell {
  return SHELLS.find((name) => name === got) ??
    failValue("completion", "SHELL", got, `one of ${SHELLS.join(", ")}`);
}

async function wordsFor(shell: Shell, passed: readonly string[], host: Host): Promise<string> {
  const words = typedWords(shell, passed);
  let fitting: Fitting;
  try {
    fitting = await completeCall(words, {
      find: (name) => operationNamed(host.operations(), name),
      values: (kind, asked) => valuesOfKind(kind, asked, host),
    });
  } catch {
    // A user is typing: an error would end up in that line.
    fitting = NOTHING_FITS;
  }
  return fittingText(shell, words.at(-1) ?? "", fitting);
}
