/**
 * THE guard of new text: every write of a user's file that brings text has it checked here before anything is asked or
 * written (contract, Writing files).
 */

import type { Message } from "../../calls/terms/next_call.ts";
import { refuseFaults } from "../../calls/terms/write_failure.ts";
import type { WriteFault } from "../../calls/terms/write_faults.ts";
import { type LineEndStyle, styleOf, tallyLineEnds } from "../checks/line_ends.ts";
import { findPlaceholders } from "../checks/placeholder_lines.ts";
import { currentContent, type NewContent, type Target } from "./inspect_target.ts";

/** The text that a write brings. */
export interface NewText {
  /** How messages call it. */
  what: string;
  /** All that the file will contain. */
  content: Pick<NewContent, "chunks">;
  /** The texts that are new, if the rest of the content is the file's. */
  added?: readonly Uint8Array[] | undefined;
  allowPlaceholders?: boolean | undefined;
}

/** The faults of new text. */
export function newTextFaults(
  target: Target,
  { content, added, allowPlaceholders }: Omit<NewText, "what">,
  parameter = "allow_placeholders",
): WriteFault[] {
  if (allowPlaceholders === true) return [];
  const { path, realPath } = target;
  const before = currentContent(target);
  const lines = findPlaceholders({ content: content.chunks(), added, fileName: realPath, before });
  return lines.length === 0 ? [] : [{ kind: "placeholder_found", path, lines, parameter }];
}

/** Refuses new text that has faults. Returns notes about it. */
export function checkNewText(target: Target, text: NewText, convertible?: boolean): Message[] {
  refuseFaults(target.path, newTextFaults(target, text));
  return newTextNotes(target, text, convertible);
}

const STYLE_NAMES: Readonly<Record<LineEndStyle, string>> = {
  lf: "LF",
  crlf: "CRLF",
  cr: "CR",
  mixed: "mixed line ends",
  none: "no line ends",
};

/** A note if the line ends differ from those of the file; it says how to convert them if the caller could. */
export function newTextNotes(
  target: Target,
  { what, content, added }: NewText,
  convertible = true,
): Message[] {
  const its = styleOf(tallyLineEnds(added ?? content.chunks()));
  if (its === "none") return [];
  const own = styleOf(tallyLineEnds(currentContent(target)));
  if (own === its || own === "none") return [];
  const sentence = `Line ends: ${what} has ${STYLE_NAMES[its]}, the file had ${STYLE_NAMES[own]}`;
  if (!convertible || (own !== "lf" && own !== "crlf")) return [`${sentence}.`];
  return [[`${sentence}; use `, { parameter: "eol", value: own }, " to convert."]];
}
