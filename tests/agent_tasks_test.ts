/**
 * The cost of fdtool for an agent in a shell (`scripts/agent-tasks`): each of ten tasks is done by the commands that its answers
 * name, and all together within their bound of calls and chars.
 */

import { assertEquals } from "@std/assert";
import { doTasks, faultsIn } from "../scripts/agent_tasks.ts";

Deno.test("ten tasks of an agent are done in few calls, and each answer has its decisive fact", async () => {
  assertEquals(faultsIn(await doTasks()), []);
});
