// Promise: the proxy of the tests loses, cuts and counts exactly what it was asked to, and passes on all else unchanged.

import { assertEquals, assertRejects } from "@std/assert";
import { type Fault, startFaultProxy } from "./fault_proxy.ts";

Deno.test({
  name: "requests and answers pass through unchanged and are counted; each fault does what its name says",
  // The runtime keeps connections open for later requests.
  sanitizeResources: false,
  sanitizeOps: false,
  async fn() {
    let seen = 0;
    const date = "Mon, 23 Nov 2026 16:00:00 GMT";
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        seen++;
        const body = new Uint8Array(await request.arrayBuffer());
        // A stream has no length, so it is sent in chunks.
        const answer = request.headers.has("x-chunked") ? new Blob([body]).stream() : body;
        return new Response(answer, { status: 201, headers: { etag: '"e"', date } });
      },
    );
    await using proxy = startFaultProxy({ host: "127.0.0.1", port: server.addr.port });
    const put = async (headers = {}) => {
      const answer = await fetch(`${proxy.endpoint}/a?b=c`, { method: "PUT", body: "12345", headers });
      return [answer.status, answer.headers.get("etag"), answer.headers.get("date"), await answer.text()];
    };
    assertEquals(await put(), [201, '"e"', date, "12345"]);
    assertEquals(await put({ "x-chunked": "1" }), [201, '"e"', date, "12345"]);
    assertEquals(proxy.requests.map(({ method, path, byteCount }) => [method, path, byteCount]), [
      ["PUT", "/a?b=c", 5],
      ["PUT", "/a?b=c", 5],
    ]);
    assertEquals(proxy.sentBytes, 10);
    proxy.clockAheadMs = -3_600_000;
    assertEquals(await put(), [201, '"e"', "Mon, 23 Nov 2026 15:00:00 GMT", "12345"]);
    proxy.clockAheadMs = 0;

    const always = (fault: Fault) => proxy.fault = () => fault;
    always({ kind: "refused", status: 503, code: "SlowDown" });
    seen = 0;
    assertEquals((await put())[0], 503);
    always({ kind: "lost_before" });
    await assertRejects(() => put());
    assertEquals(seen, 0, "the server saw neither");
    always({ kind: "lost_after" });
    await assertRejects(() => put());
    assertEquals(seen > 0, true);
    always({ kind: "cut", byteCount: 3 });
    await assertRejects(() => put());
  },
});
