/**
 * The requests that `rewrite` and `count` answer (contract, Writing files and Agents).
 */

import { defineRequest, flagField, NEEDED_TEXT, type RequestOf } from "./request_fields.ts";
import { RANGES } from "./shared_fields.ts";
import { DRY_RUN_FIELD, EOL_FIELD, RANGES_OF_FD } from "./write_fields.ts";

/** The sentence that confirms a rewrite. */
export const ACKNOWLEDGEMENT =
  "I confirm this is the complete file content with no omissions or placeholders";

export const REWRITE_REQUEST = defineRequest({
  filePath: { ...NEEDED_TEXT, argumentName: "path", description: "The file to replace." },
  content: {
    kind: "text",
    description: "The whole new content.",
  },
  content_fd: {
    kind: "fd",
    description: 'Instead of content: the fd with it, "fd:12" or "ref:NAME".',
    option: {
      name: "from",
      value: "FD",
      instead: "--content FD",
      help: "use fd FD as the content, as --content does",
    },
  },
  ...RANGES_OF_FD,
  createIfMissing: flagField("Create a missing file (default false).", { help: "create a missing file" }),
  acknowledgement: {
    kind: "text",
    description: `Exactly: "${ACKNOWLEDGEMENT}"`,
    option: { value: "TEXT", help: `exactly "${ACKNOWLEDGEMENT}"` },
  },
  expectedLineCount: {
    kind: "integer",
    least: 0,
    description: "The number of lines in the content (a final line end starts no new line); see count_lines.",
    option: { value: "N", help: "number of lines in the content (see fdtool count)" },
  },
  expectedSha256: {
    kind: "text",
    description: "The sha-256 of the content, in hex.",
    option: { value: "H", help: "refuse if the content has a different SHA-256" },
  },
  expectedBytes: {
    kind: "integer",
    least: 0,
    description: "The size of the content in bytes.",
    option: { value: "N", help: "refuse if the content has a different size" },
  },
  ifMatch: {
    kind: "text",
    description: "Refuse if the current file has a different SHA-256.",
    option: { value: "SHA256" },
  },
  checkStructure: flagField(
    "Check JSON, TOML and YAML syntax, and that brackets match in common languages.",
    { help: "check JSON, TOML and YAML syntax, and that brackets match" },
  ),
  allowPlaceholders: flagField('Allow lines such as "// ... existing code ...".'),
  eol: EOL_FIELD,
  dry_run: DRY_RUN_FIELD,
}, [
  // On the command line, `--content` and stdin are the content, too.
  { oneOf: ["content", "content_fd"] },
  ...RANGES.map((field) => ({ field, needs: "content_fd" as const })),
]);
export type RewriteRequest = RequestOf<typeof REWRITE_REQUEST.fields>;

export const COUNT_REQUEST = defineRequest({
  path: { kind: "text", description: "A file." },
  fd: { kind: "fd", orFile: true, description: "Instead of a file: an fd." },
  ...RANGES_OF_FD,
  content: { kind: "text", description: "Instead of both: the content itself." },
}, [{ oneOf: ["path", "fd", "content"] }, ...RANGES.map((field) => ({ field, needs: "fd" as const }))]);
export type CountRequest = RequestOf<typeof COUNT_REQUEST.fields>;
