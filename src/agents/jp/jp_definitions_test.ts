// Promise: jp loads the configuration that `tools --for jp` prints. jp refuses unknown fields and wants each
// parameter's whole shape; the grammar here follows jp's documentation.

import { assert, assertEquals } from "@std/assert";
import { parse } from "smol-toml";
import * as v from "valibot";
import { jpDefinitions } from "./jp_definitions.ts";
import { listOperations } from "../../commands/rows.ts";
import { jpToolsOf } from "./jp_tools.ts";

const JP_TOOLS = jpToolsOf(listOperations());

interface Parameter {
  type: string;
  required?: boolean | undefined;
  summary?: string | undefined;
  enum?: unknown[] | undefined;
  items?: Parameter | undefined;
  properties?: Record<string, Parameter> | undefined;
}

const name = v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/));

const parameter: v.GenericSchema<Parameter> = v.pipe(
  v.strictObject({
    type: v.picklist(["string", "integer", "number", "boolean", "array", "object"]),
    required: v.optional(v.boolean()),
    summary: v.optional(v.string()),
    enum: v.optional(v.array(v.unknown())),
    items: v.optional(v.lazy(() => parameter)),
    properties: v.optional(v.record(name, v.lazy(() => parameter))),
  }),
  v.check(({ type, items }) => (type === "array") === (items !== undefined), "an array defines its items"),
  v.check(
    ({ type, properties }) => (type === "object") === (properties !== undefined),
    "an object defines its fields",
  ),
);

const command = v.pipe(v.string(), v.regex(/^fdtool serve-jp \{\{context\}\} \{\{tool\}\}$/));

const configuration = v.strictObject({
  conversation: v.strictObject({
    tools: v.record(
      name,
      v.strictObject({
        enable: v.boolean(),
        source: v.literal("local"),
        command,
        summary: v.pipe(v.string(), v.minLength(1)),
        description: v.optional(v.pipe(v.string(), v.minLength(1))),
        examples: v.optional(v.pipe(v.string(), v.minLength(1))),
        style: v.strictObject({ parameters: command }),
        parameters: v.record(name, parameter),
        questions: v.optional(
          v.strictObject({
            file_content: v.strictObject({
              target: v.strictObject({ model: v.strictObject({ id: v.literal("inherit") }) }),
            }),
          }),
        ),
      }),
    ),
  }),
});

Deno.test("jp: every tool's definition is one that jp's configuration takes", () => {
  const { conversation: { tools } } = v.parse(configuration, parse(jpDefinitions(JP_TOOLS)));
  assertEquals(Object.keys(tools), JP_TOOLS.map((tool) => tool.name));
  const asking = Object.entries(tools).filter(([, { questions }]) => questions !== undefined);
  assertEquals(asking.map(([tool]) => tool), ["fs_create_file"]);
});

Deno.test("jp: each field says whether it is required, at every depth", () => {
  const { conversation: { tools } } = v.parse(configuration, parse(jpDefinitions(JP_TOOLS)));
  const { path, patterns, replace_all: replaceAll } = tools["fs_modify_file"]!.parameters;
  assertEquals([path?.required, patterns?.required, replaceAll?.required], [true, true, false]);
  const pattern = patterns?.items?.properties;
  assertEquals([pattern?.["old"]?.required, pattern?.["new"]?.required], [true, true]);
  const operation = tools["write_plan"]!.parameters["operations"]?.items?.properties;
  assertEquals([operation?.["type"]?.required, operation?.["find"]?.required], [true, false]);
});

Deno.test("jp: examples are separate from the description", () => {
  const { conversation: { tools } } = v.parse(configuration, parse(jpDefinitions(JP_TOOLS)));
  for (const { examples, description } of Object.values(tools)) {
    assert(description?.includes("Example:") !== true);
    for (const line of examples?.split("\n") ?? []) assert(line.startsWith("{"), line);
  }
});
