// Promise: an answer too long for one message is stored whole, whatever limits captures have.

import { assert, assertEquals } from "@std/assert";
import { findFd, readSlice, readWhole } from "../../../fd/mod.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import { commandWriter } from "../../answers/parts/next_command.ts";
import { ONE_MESSAGE } from "./answer_bounds.ts";
import { callBounded } from "./bounded_call.ts";
import { defineTool } from "../tool.ts";

const names = Array.from({ length: 2000 }, (_, at) => `name number ${at}`);

const longTool = defineTool({
  name: "long_tool",
  title: "",
  part: "refs",
  description: "",
  fields: {},
  answers: ["ref_list"],
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: () => {
    const refs = names.map((id) => ({ id, fd: "fd:1", created: "", lines: 1, chars: 1 }));
    return Promise.resolve({ exitCode: 0, answer: { type: "ref_list", refs } });
  },
});

Deno.test("a size limit does not truncate an answer that is stored", async () => {
  using world = temporaryStore();
  const { store, dir: cwd } = world;
  const env = { FDTOOL_STORE: store.path, FDTOOL_MAX_BYTES: "2000" };
  const host = { env, cwd, storeOption: undefined, root: undefined, version: "", operations: () => [] };
  const { json } = await callBounded(longTool, {}, host, commandWriter(undefined), ONE_MESSAGE);
  assertEquals(json["type"], "fd_result");
  const entry = findFd(store, String(json["fd"]));
  const kept = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
  const { refs } = JSON.parse(new TextDecoder().decode(kept)) as { refs: { id: string }[] };
  assert(refs.length === names.length && refs.every(({ id }, at) => id === names[at]));
});
