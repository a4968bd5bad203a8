/** An object store in this process, whose check of conditions is atomic, or made before the object has arrived. */

interface Stored {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

/**
 * Starts one with any bucket. `isRacy`: of writers at the same time, several pass a check of the same condition. `server` is its
 * `Server` header.
 */
export function startMemoryStore(isRacy: boolean, server = "memory"): Deno.HttpServer<Deno.NetAddr> {
  const objects = new Map<string, Stored>();
  let writes = 0;
  const allows = (path: string, headers: Headers) => {
    const etag = objects.get(path)?.etag;
    const wanted = headers.get("if-match");
    return wanted === null ? headers.get("if-none-match") === null || etag === undefined : wanted === etag;
  };
  const put = async (path: string, request: Request): Promise<Response> => {
    if (isRacy && !allows(path, request.headers)) return answer(412);
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (!isRacy && !allows(path, request.headers)) return answer(412);
    const etag = `"${++writes}"`;
    objects.set(path, { bytes, etag });
    return answer(200, undefined, { etag, server });
  };
  const get = (path: string, range: string | null): Response => {
    const stored = objects.get(path);
    if (stored === undefined) return answer(404);
    const { bytes, etag } = stored;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (first === undefined) return answer(200, bytes, { etag });
    const from = Number(first);
    if (from >= bytes.length) return answer(416);
    const to = Math.min(Number(last) + 1, bytes.length);
    return answer(206, bytes.slice(from, to), {
      etag,
      "content-range": `bytes ${from}-${to - 1}/${bytes.length}`,
    });
  };
  const list = (bucket: string, query: URLSearchParams): Response => {
    const prefix = query.get("prefix") ?? "";
    const most = Number(query.get("max-keys") ?? 1000);
    const keys = [...objects.keys()].map((path) => path.slice(bucket.length + 1)).filter((key) =>
      key.startsWith(prefix) && key > (query.get("start-after") ?? "")
    ).sort();
    const contents = keys.slice(0, most).map((key) => {
      const { etag, bytes } = objects.get(`${bucket}/${key}`)!;
      return `<Contents><Key>${key}</Key><LastModified>${new Date().toISOString()}</LastModified>` +
        `<ETag>${etag}</ETag><Size>${bytes.length}</Size></Contents>`;
    });
    const isCut = keys.length > most;
    return answer(
      200,
      new TextEncoder().encode(
        `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${contents.join("")}</ListBucketResult>`,
      ),
    );
  };
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    switch (request.method) {
      case "PUT":
        return put(pathname, request);
      case "DELETE":
        objects.delete(pathname);
        return answer(204);
      default:
        return searchParams.has("list-type")
          ? list(pathname, searchParams)
          : get(pathname, request.headers.get("range"));
    }
  });
}

function answer(
  status: number,
  body?: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Response {
  const now = new Date().toUTCString();
  return new Response(body ?? null, { status, headers: { date: now, "last-modified": now, ...headers } });
}
