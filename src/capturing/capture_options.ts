/**
 * The options that `capture` and `run` share, and their parsed values (contract, Capturing).
 */

import { checkName, type Environment } from "../../fd/mod.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "../../fd/system.ts";
import type { CommandCall, OptionSpec } from "../calls/terms/command.ts";
import { optionTable } from "../calls/arguments/option_spellings.ts";
import { failValue } from "../calls/requests/usage_failure.ts";

export type PreviewKind = typeof PREVIEW_KINDS[number];

export const PREVIEW_KINDS = ["digest", "page", "head", "tail", "both", "none"] as const;

const DEFAULT_PREVIEW = "digest" satisfies PreviewKind;

export interface CaptureOptions {
  /** Shorter input is passed through, and so is input of exactly this many chars; 0 stores all but empty input. */
  thresholdChars: number;
  /** Store output of any size, even empty. */
  always: boolean;
  /** In chars. */
  pageSize: number;
  /** A name to bind to the fd, without `ref:`. */
  name: string | undefined;
  /** The record's `source` (default: the stream or the command). */
  source: string | undefined;
  preview: PreviewKind;
  /** Whether the call named the preview. */
  isPreviewAsked?: boolean | undefined;
  /** How many chars `digest`, `head`, `tail` and `both` show at most. */
  previewChars: number;
  /** The text of `--about`: words that lines of a digest are weighed by. */
  about: string | undefined;
  /** In bytes; 0: no limit; undefined: the store's limit. */
  maxBytes: number | undefined;
  tee: boolean;
  /** Fsync content and record before answering. */
  durable: boolean;
}

export const DEFAULT_THRESHOLD_CHARS = 8000;
const MAX_THRESHOLD_CHARS = 16_777_216;

export function captureOptionSpecs(): Readonly<Record<string, OptionSpec>> {
  return optionTable([
    [
      "threshold",
      "integer",
      "N",
      `pass output of at most N chars through without storing it (default ${DEFAULT_THRESHOLD_CHARS})`,
    ],
    ["page-size", "integer", "N", `chars per page (default ${DEFAULT_PAGE_SIZE})`],
    ["always", "flag", undefined, "store any size, even empty output"],
    ["name", "text", "NAME", "bind ref:NAME to the fd"],
    ["source", "text", "TEXT", "record TEXT as the source"],
    [
      "preview",
      "text",
      "WHICH",
      `show a digest (the lines that matter), the first page, head, tail, both, or none (default ${DEFAULT_PREVIEW})`,
      undefined,
      PREVIEW_KINDS,
    ],
    [
      "preview-chars",
      "integer",
      "N",
      "show at most N chars for digest, head, tail and both, ending at line ends (default: the page size)",
    ],
    [
      "about",
      "text",
      "TEXT",
      'show the lines that have the words of TEXT, such as "which package warned", first',
    ],
    [
      "max-bytes",
      "bytes",
      "N",
      "keep at most N bytes (or 2M, 1G), head and tail; 0 for all (default FDTOOL_MAX_BYTES, else 4 GiB)",
    ],
    ["durable", "flag", undefined, "fsync content and record before printing the result"],
    ["tee", "flag", undefined, "also pass everything through as it arrives; print the answer on stderr"],
  ]);
}

/**
 * Parses a call's options.
 *
 * @throws {UsageError} `bad_value` for a number out of range.
 * @throws {FdError} `invalid_parameter` for an invalid name.
 */
export function parseCaptureOptions(command: string, options: CommandCall["options"]): CaptureOptions {
  const integer = (option: string, least: number, most: number): number | undefined => {
    const value = options[option];
    if (typeof value !== "number") return undefined;
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    return failValue(command, `--${option}`, String(value), `a whole number from ${least} to ${most}`);
  };
  // Parsing the command line made texts of these, and checked the preview.
  const { about, name: named, source } = options as Environment;
  const asked = options["preview"] as PreviewKind | undefined ?? DEFAULT_PREVIEW;
  const pageSize = integer("page-size", MIN_PAGE_SIZE, MAX_PAGE_SIZE) ?? DEFAULT_PAGE_SIZE;
  const previewChars = integer("preview-chars", 1, MAX_PAGE_SIZE);
  if (about !== undefined && asked !== "digest") {
    failValue(command, "--preview", asked, "digest, with --about");
  }
  const name = named?.replace(/^ref:/, "");
  if (name !== undefined) checkName(name);
  return {
    thresholdChars: integer("threshold", 0, MAX_THRESHOLD_CHARS) ?? DEFAULT_THRESHOLD_CHARS,
    always: options["always"] === true,
    pageSize,
    name,
    source,
    // A first page smaller than a page is a head.
    preview: asked === "page" && previewChars !== undefined ? "head" : asked,
    isPreviewAsked: options["preview"] !== undefined || previewChars !== undefined,
    previewChars: previewChars ?? pageSize,
    about,
    maxBytes: integer("max-bytes", 0, Number.MAX_SAFE_INTEGER),
    tee: options["tee"] === true,
    durable: options["durable"] === true,
  };
}
