/**
 * `rewrite`: replaces a whole file, with proof that the content is complete (contract, Writing files).
 *
 * @module
 */

import { type Command, type CommandCall, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { doneUntold } from "../../answering/done_untold.ts";
import { dryRunOption } from "../../options/dry_run_option.ts";
import type { RewriteRequest } from "../../requests/write_requests.ts";
import { contentOf, contentOptions, contextOf, eolOption } from "../../options/write_options.ts";
import { rewriteFile } from "../../writing/rewrite_file.ts";

/** The parsed call as a request, without the content. */
function rewriteRequestOf(call: CommandCall): RewriteRequest {
  const { positionals } = call;
  const options = optionsOf(OPTIONS, call);
  return {
    filePath: positionals[0]!,
    createIfMissing: options["create-if-missing"],
    acknowledgement: options["acknowledgement"],
    expectedLineCount: options["expected-line-count"],
    expectedSha256: options["expected-sha256"],
    expectedBytes: options["expected-bytes"],
    ifMatch: options["if-match"],
    checkStructure: options["check-structure"],
    allowPlaceholders: options["allow-placeholders"],
    eol: options["eol"],
    dry_run: options["dry-run"],
  };
}

const OPTIONS = {
  "expected-line-count": {
    kind: "integer",
    value: "N",
    help: "number of lines in the content (see fdtool count)",
  },
  acknowledgement: {
    kind: "text",
    value: "TEXT",
    help: 'exactly "I confirm this is the complete file content with no omissions or placeholders"',
  },
  "create-if-missing": { kind: "flag", help: "create a missing file" },
  "expected-sha256": { kind: "text", value: "H", help: "refuse if the content has another sha-256" },
  "expected-bytes": { kind: "integer", value: "N", help: "refuse if the content has another size" },
  "if-match": { kind: "text", value: "SHA256", help: "refuse if the current file has another sha-256" },
  "check-structure": { kind: "flag", help: "check JSON, TOML and YAML syntax, and that brackets match" },
  "allow-placeholders": { kind: "flag", help: 'allow lines such as "// ... existing code ..."' },
  ...contentOptions,
  ...eolOption,
  ...dryRunOption,
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "rewrite",
    aliases: ["rewrite_file"],
    summary: "replace a whole file, with proof that the content is complete",
    usage: "PATH --expected-line-count N --acknowledgement TEXT [options] <CONTENT",
    positionals: { least: 1, most: 1, names: ["path"] },
    options: OPTIONS,
    example: "fdtool rewrite src/a.js --from fd:12 --expected-line-count 120 --acknowledgement " +
      '"I confirm this is the complete file content with no omissions or placeholders"',
    exitCodes: [[0, "the file was rewritten"], [1, "refused or failed; the file is unchanged"], [
      2,
      "usage error",
    ], doneUntold],
  },
  async run(call, host) {
    const context = contextOf(this.spec.name, call, host);
    const content = contentOf(this.spec.name, call, context);
    return { exitCode: 0, answer: await rewriteFile(rewriteRequestOf(call), context, content) };
  },
};
