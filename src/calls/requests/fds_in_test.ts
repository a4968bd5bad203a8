// Promise: what names an fd is known by its field, at any depth and from each interface.

import { assertEquals } from "@std/assert";
import { fdsIn } from "./fds_in.ts";
import type { RequestFields } from "./request_fields.ts";

const FIELDS = {
  fd: { kind: "fd" },
  preload: { kind: "fds" },
  text: { kind: "text" },
  edits: { kind: "list", fields: { new_fd: { kind: "fd" }, old: { kind: "text" } } },
  plan: { kind: "object", fields: { content_fd: { kind: "fd" } } },
} as const satisfies RequestFields;

Deno.test("fds are found in fields of their kinds, without the line of a place", () => {
  const request = {
    fd: "fd:4:36",
    preload: ["ref:a", "12"],
    text: "fd:9",
    edits: [{ new_fd: "fd:5", old: "fd:6" }, { old: "ref:b" }],
    plan: { content_fd: "NAME" },
  };
  assertEquals([...fdsIn(FIELDS, request)], ["fd:4", "ref:a", "12", "fd:5", "NAME"]);
});

Deno.test("fields that are missing or malformed name none", () => {
  assertEquals([...fdsIn(FIELDS, { text: "ref:a", edits: "fd:5", plan: null })], []);
});
