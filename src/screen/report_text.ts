/** Reports: their message, their facts as rows, their lists as tables. @module */

import { plainText } from "../terms/control_chars.ts";
import type { Report } from "../terms/answers.ts";
import { groupedDigits } from "../answering/grouped_digits.ts";
import { sizeText } from "../answering/size_text.ts";
import { factLines } from "./fd_text.ts";
import { remarkLines, type Screen } from "./screen.ts";
import { type Column, tableText } from "./table.ts";

type Item = Readonly<Record<string, unknown>>;

export function reportText(report: Report, screen: Screen): string {
  const rows: [string, string][] = [];
  let tables = "";
  for (const [name, value] of Object.entries(report.facts)) {
    if (value === undefined) continue;
    if (typeof value === "object") tables += itemTable(value, screen);
    else rows.push([wordsOf(name), valueText(name, value)]);
  }
  return tables + remarkLines({ message: report.message }, screen) + factLines(rows, screen) +
    remarkLines({ next: report.next }, screen);
}

/** A list as a table with a column for each field. The longest text comes last. */
function itemTable(items: readonly Item[], screen: Screen): string {
  const lengths = new Map<string, number>();
  for (const item of items) {
    for (const [name, value] of Object.entries(item)) {
      if (value === undefined) continue;
      lengths.set(name, Math.max(lengths.get(name) ?? 0, valueText(name, value).length));
    }
  }
  const longest = [...lengths].reduce((most, each) => each[1] > most[1] ? each : most, ["", -1])[0];
  const names = [...lengths.keys()].filter((name) => name !== longest);
  if (longest !== "") names.push(longest);
  const columns = names.map((name): Column<Item> => ({
    title: wordsOf(name).toUpperCase(),
    cell: (item) => item[name] === undefined ? "" : valueText(name, item[name]),
    paint: name === "fd" ? screen.ink.handle : undefined,
    isRight: items.every((item) => typeof item[name] === "number"),
  }));
  return tableText(items, columns, Infinity, screen.ink.heading);
}

function wordsOf(name: string): string {
  return name.replaceAll("_", " ");
}

function valueText(name: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return /(?:^|_)bytes/.test(name) ? sizeText(value) : groupedDigits(value);
  return plainText(Array.isArray(value) ? value.join(" ") : String(value));
}
