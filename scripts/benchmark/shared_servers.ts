/**
 * The object store of the group `shared`, and the proxy that delays and counts: `shared_servers.ts DELAY_MS FAR_MS`,
 * run by Deno. It prints where they are as one line of JSON, answers at `counts`, and ends with its stdin.
 */

import { startFaultProxy } from "../../tests/remote/fault_proxy.ts";
import { BUCKET, isMissing, startVersitygw, VERSITYGW } from "../../tests/remote/object_servers.ts";

/** The line this program prints. `plain`, `delayed` and `far` are endpoints of one object store. */
export type SharedServers = { missing: string } | {
  bucket: string;
  plain: string;
  delayed: string;
  far: string;
  /** The bucket as a directory. */
  directory: string;
  counts: string;
  env: Readonly<Record<string, string>>;
};

/** Traffic through the proxies since they were asked last. */
export interface Counts {
  requests: number;
  /** Of bodies, in both directions. */
  bytes: number;
}

function print(servers: SharedServers): void {
  console.log(JSON.stringify(servers));
}

if (isMissing(VERSITYGW)) {
  print({ missing: "versitygw is not there; scripts/object-servers makes it" });
} else {
  await using server = await startVersitygw();
  await using delayed = startFaultProxy(server);
  await using far = startFaultProxy(server);
  const proxies = [delayed, far];
  for (const [at, proxy] of proxies.entries()) proxy.delayMs = Number(Deno.args[at]);
  await using counting = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    const counts: Counts = { requests: 0, bytes: 0 };
    for (const proxy of proxies) {
      counts.requests += proxy.requests.length;
      counts.bytes += proxy.sentBytes + proxy.receivedBytes;
      proxy.reset();
    }
    return Response.json(counts);
  });
  print({
    bucket: BUCKET,
    plain: server.endpoint,
    delayed: delayed.endpoint,
    far: far.endpoint,
    directory: server.directory,
    counts: `http://127.0.0.1:${counting.addr.port}`,
    env: { ...server.env, AWS_REGION: "us-east-1", FDTOOL_UPLOAD_WAIT: "60s" },
  });
  for await (const _ of Deno.stdin.readable) { /* Until the bench ends. */ }
}
