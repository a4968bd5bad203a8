/**
 * Checks an answer against its question's schema and returns every fault (contract, Inquiries). Supports the part of
 * JSON Schema that questions use; the schema that is shown is the one that is checked.
 */

import type { AnswerType } from "../../calls/terms/answers.ts";
import { schemaOfAnswer } from "./inquiries.ts";
import type { SchemaFault } from "../../calls/terms/write_failure.ts";

/** The faults of `answer`; empty if it is valid. */
export function answerFaults(answer: unknown, answerType: AnswerType): SchemaFault[] {
  return faultsOf(answer, schemaOfAnswer(answerType), "answer");
}

function faultsOf(value: unknown, schema: Readonly<Record<string, unknown>>, at: string): SchemaFault[] {
  const { type, enum: choices } = schema;
  if (Array.isArray(choices) && !choices.includes(value)) {
    return [{
      at,
      problem: `${shown(value)} is not one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`,
    }];
  }
  if (typeof type === "string" && typeName(value) !== type) {
    return [{ at, problem: `got ${shown(value)}, expected ${withArticle(type)}` }];
  }
  if (type !== "object") return [];
  const properties = schema["properties"] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const given = value as Readonly<Record<string, unknown>>;
  const faults: SchemaFault[] = [];
  for (const name of schema["required"] as readonly string[]) {
    if (!Object.hasOwn(given, name)) faults.push({ at: `${at}.${name}`, problem: "is missing" });
  }
  for (const [name, inner] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) faults.push(...faultsOf(inner, property, `${at}.${name}`));
    else {faults.push({
        at: `${at}.${name}`,
        problem: `is unknown; known: ${Object.keys(properties).join(", ")}`,
      });}
  }
  return faults;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A value in a message. Content is never echoed, only its type. */
function shown(value: unknown): string {
  if (typeof value === "string" && value.length > 40) return `a string of ${value.length} chars`;
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? withArticle(typeName(value)) : text;
}
