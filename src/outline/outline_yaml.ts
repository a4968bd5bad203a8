/** Outlines YAML, and flat records of keys and values: `dpkg -s`, `systemctl show`, headers of HTTP. */

import { groupedDigits } from "../answering/grouped_digits.ts";
import {
  contentLines,
  type ContentOutline,
  OUTLINED_BYTES,
  type OutlinedContent,
} from "./outlined_content.ts";
import { countsOf, oneLine, outlinedPart, outlineOfLines } from "./outline_paths.ts";
import { foldDictionaries, valueCount } from "./path_node.ts";
import { scanYaml } from "./scan_yaml.ts";
import { textPaths } from "./text_paths.ts";

/** In so many bytes it must be sure that content is YAML, or consists of records. */
const TRIAL_BYTES = 4096;
const FLAT_TRIAL_BYTES = 65_536;
const MIN_KEYS = 8;
const MIN_RECORDS = 3;

/** Outlines content that looks like YAML or records, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineYaml(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  return outlined(content, budgetChars, false) ?? outlined(content, budgetChars, true);
}

function outlined(
  content: OutlinedContent,
  budgetChars: number,
  isFlat: boolean,
): ContentOutline | undefined {
  const table = textPaths(isFlat);
  const { root } = table.paths;
  const scan = scanYaml(table, isFlat);
  // All lines of YAML must fit at first, and most records must have two keys in common.
  const isKnown = () =>
    isFlat
      ? scan.documentCount >= MIN_RECORDS &&
        root.children.filter((child) => valueCount(child) >= scan.documentCount * 0.9).length > 1
      : scan.badCount === 0 && !table.paths.hasTwice && scan.deepest > 1 && scan.keyCount >= MIN_KEYS;
  let trialBytes = isFlat ? FLAT_TRIAL_BYTES : TRIAL_BYTES;
  for (const line of contentLines(content)) {
    if (line.byteOffset + line.text.length > trialBytes) {
      if (!isKnown()) return undefined;
      trialBytes = Infinity;
    }
    // The status of an answer of HTTP is a value, too.
    if (isFlat) line.text = line.text.replace(/^HTTP\/[\d.]+ (\d{3})\b.*/, "status: $1");
    scan.take(line);
    if (scan.badCount > 3 && scan.badCount * 50 > scan.lineCount) return undefined;
  }
  if (content.byteCount <= OUTLINED_BYTES) scan.end();
  if (trialBytes < Infinity && !isKnown()) return undefined;
  if (!isFlat) foldDictionaries(root);
  const bad = scan.badCount === 0 ? "" : `, ${groupedDigits(scan.badCount)} lines are something else`;
  const counts = isFlat
    ? `key-value text: ${groupedDigits(scan.documentCount)} records`
    : countsOf(root, "YAML", "YAML documents");
  const heading = `${counts}${outlinedPart(content)}${bad}`;
  return outlineOfLines(isFlat ? "records" : "YAML", heading, root, content, budgetChars, oneLine);
}
