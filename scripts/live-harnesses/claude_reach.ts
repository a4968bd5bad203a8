/**
 * Asks Claude Code with fdtool's rules what runs unasked, and looks at what that reached: no server is asked, and no
 * store but the usual one is read, whatever the command line names.
 */

import { verdictsOn } from "./claude_permissions.ts";
import { type Check, same, type TrialContext, type TrialResult } from "./live_harness.ts";

const SECRET = "content of another store";

/** Arguments that name another store, for each command that runs unasked. */
const READING = ["read fd:1", "search fd:1 store", "ls", "stat fd:1", "diff fd:1 fd:2"];

export async function compareReach(context: TrialContext): Promise<TrialResult> {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    requests.push(`${request.method} ${request.url}`);
    return new Response(null, { status: 404 });
  });
  const url = `s3://bucket/SECRET?endpoint=http://127.0.0.1:${server.addr.port}`;
  const other = `${context.world.root}/other`;
  context.world.write("secret.txt", SECRET);
  const file = `${context.world.root}/secret.txt`;
  for (const _ of [1, 2]) {
    context.fdtool("capture", "--always", "--store", other, file);
  }
  const keys = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const environment: TrialContext["environment"] = (options) => ({
    ...context.environment(options),
    ...keys,
  });
  const commands = [
    // The first loads what Claude Code judges the others with.
    "fdtool ls",
    ...READING.flatMap((words) => [
      `fdtool ${words} --store '${url}'`,
      `fdtool ${words} "--sto"re='${url}'`,
      `fdtool ${words} --store ${other}`,
      `fdtool ${words} --store=../other`,
    ]),
    ...[`'${url}'`, other].flatMap((store) => [
      `FDTOOL_STORE=${store} fdtool ls`,
      `FDTOOL_STORE=${store}; fdtool ls`,
      `export FDTOOL_STORE=${store}; fdtool ls`,
      `env FDTOOL_STORE=${store} fdtool ls`,
      `CLAUDECODE= fdtool read fd:1 --store ${store}`,
      `CLAUDECODE=; fdtool read fd:1 --store ${store}`,
      `env -u CLAUDECODE fdtool read fd:1 --store ${store}`,
      `unset CLAUDECODE; fdtool read fd:1 --store ${store}`,
      `fdtool --store ${store} read fd:1`,
      `fdtool store connect ${store}`,
      `fdtool store check ${store}`,
    ]),
    "FDTOOL_PAGER='touch paged' fdtool ls --format text",
    ...[`read ${file}`, `read ${file}:1`, `read --all ../secret.txt`, `search ${file} store`].flatMap((
      words,
    ) => [
      `fdtool ${words}`,
      `CLAUDECODE= fdtool ${words}`,
    ]),
    `fdtool search store ${file}`,
    `fdtool diff fd:1 ${file}`,
    `fdtool diff ${file} ${file}`,
  ];
  const setUp = { name: "no rules", permissions: {} };
  const verdicts = await verdictsOn(commands, setUp, "default", { ...context, environment }, {
    fdtool: true,
  });
  await server.shutdown();
  const texts = context.seen().results.map(({ text }) => text);
  const checks: Check[] = [
    same("every command has a verdict", verdicts.filter((each) => each === undefined).length, 0),
    same("the usual store is read unasked", verdicts[0]?.kind, "ran"),
    same("no request reaches the server", requests, []),
    same("no other store or file is shown", texts.filter((text) => text.includes(SECRET)), []),
  ];
  const ran = verdicts.filter((each) => each?.kind === "ran").length;
  return { checks, permissions: `${ran} of ${commands.length} ran, ${requests.length} requests` };
}
