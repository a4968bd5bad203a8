/** Servers and their clients: nginx, redis, PostgreSQL, SQLite, curl, JSON APIs. */

import { manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

const UNPACKED = "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES;";

/** nginx in the project's directory, before a Node server that answers with what the path says. */
function nginx(logFormat: string): Record<string, string> {
  return {
    "nginx.conf":
      `worker_processes 1;\nerror_log error.log info;\npid nginx.pid;\nuser root;\nevents { worker_connections 512; }\nhttp {\n` +
      `  client_body_temp_path body;\n  proxy_temp_path proxy;\n  fastcgi_temp_path fastcgi;\n  uwsgi_temp_path uwsgi;\n  scgi_temp_path scgi;\n` +
      `  log_format shop ${logFormat};\n  access_log access.log shop;\n  keepalive_requests 100000;\n  upstream shop { server 127.0.0.1:18081; keepalive 8; }\n` +
      `  server { listen 127.0.0.1:18080; location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://shop; } }\n}\n`,
    "serve.js": `require("http").createServer((request, response) => {
  if (request.url.includes("order=31337")) { response.statusCode = 500; return response.end("out of stock"); }
  if (request.url.includes("slow")) return setTimeout(() => response.end("late"), 250);
  response.end("x".repeat(200 + request.url.length % 90));
}).listen(18081, "127.0.0.1");
`,
    "load.js": `const http = require("http");
const [, , count, odd] = process.argv;
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
let sent = 0;
function next() {
  const number = sent++;
  if (number >= count) return;
  const path = number === 27183 % count ? odd : "/products/" + number * 7919 % 4000 + "?page=" + number % 12;
  http.get({ host: "127.0.0.1", port: 18080, path, agent, headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) shop/" + number % 9 } },
    (response) => { response.resume(); response.on("end", next); }).on("error", next);
}
for (let lane = 0; lane < 8; lane++) next();
`,
  };
}

const COMMON =
  `'$remote_addr - - [$time_local] "$request" $status $body_bytes_sent "-" "$http_user_agent" $request_time'`;
const JSON_LINES =
  `escape=json '{"time":"$time_iso8601","method":"$request_method","uri":"$request_uri","status":$status,"bytes":$body_bytes_sent,"seconds":$request_time}'`;

/** Waits until something listens on the port. */
function listening(port: number): string {
  return `until (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.1; done;`;
}

function served(count: number, odd: string): string {
  return `${UNPACKED} node serve.js & nginx -p "$PWD" -e error.log -c "$PWD/nginx.conf" -g 'daemon off;' >/dev/null 2>&1 & ${
    listening(18080)
  } ${listening(18081)} ` +
    `node load.js ${count} '${odd}'; kill $(jobs -p); wait; cat access.log`;
}

/** A PostgreSQL server that runs without privileges, its socket in the directory of the project. */
const POSTGRES =
  `export PATH=/usr/lib/postgresql/15/bin:$PATH; chmod 777 .; as() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
as initdb -D data -U shop --no-sync >/dev/null; as postgres -D data -k "$PWD" -c listen_addresses= -c fsync=off "$@" 2>server.log &
for attempt in $(seq 1 50); do psql -h "$PWD" -U shop -c 'select 1' postgres >/dev/null 2>&1 && break; sleep 0.2; done
sql() { psql -h "$PWD" -U shop "$@" postgres; }
stop() { as pg_ctl -D data stop -m fast >/dev/null; wait; }
`;

export const SERVER_CASES: readonly WrittenCase[] = [
  {
    name: "access-log-one-500-among-50000",
    facts: ['"GET /orders?order=31337 HTTP/1.1" 500'],
    files: () => nginx(COMMON),
    command: served(50_000, "/orders?order=31337"),
  },
  {
    name: "access-log-one-slow-request",
    facts: ["GET /reports/slow?year=2025"],
    files: () => nginx(COMMON),
    command: served(12_000, "/reports/slow?year=2025"),
  },
  {
    name: "access-log-one-strange-path",
    facts: ["/static/..%2f..%2f..%2fetc/passwd"],
    files: () => nginx(COMMON),
    command: served(20_000, "/static/..%2f..%2f..%2fetc/passwd"),
  },
  {
    name: "access-log-json-one-500",
    facts: ["/orders?order=31337"],
    files: () => nginx(JSON_LINES),
    command: served(15_000, "/orders?order=31337"),
  },
  {
    name: "access-log-in-order",
    sound: true,
    files: () => nginx(COMMON),
    command: served(6000, "/products/1?page=1"),
  },
  {
    name: "redis-monitor-one-flushall",
    facts: ['"FLUSHALL"'],
    files: () => ({
      "load.sh":
        repeat(5000, (_, at) => at === 2600 ? "FLUSHALL" : `SET ${word(at % 300)}:${at} ${at * 31} EX 60`) +
        "\n",
    }),
    command:
      `${UNPACKED} redis-server --port 0 --unixsocket "$PWD/r.sock" --save '' >/dev/null & sleep 1; timeout 8 redis-cli -s r.sock monitor & sleep 0.5; ` +
      `redis-cli -s r.sock <load.sh >/dev/null; sleep 1; kill $(jobs -p)`,
  },
  {
    name: "redis-truncated-append-only-file",
    facts: ["Expected \\r\\n, got:", "AOF analyzed:"],
    files: () => ({
      "load.txt": repeat(900, (part, at) => `SET ${part} ${at}`) + "\n",
    }),
    command:
      `${UNPACKED} redis-server --port 0 --unixsocket "$PWD/r.sock" --save '' --appendonly yes --loglevel debug --dir "$PWD" & sleep 1; redis-cli -s r.sock <load.txt | cat -n; ` +
      `kill %1; wait; aof=$(ls appendonlydir/*.incr.aof); sed -i 's/^market\\r$/marke\\r/' $aof; redis-check-aof $aof`,
  },
  {
    name: "redis-keys-in-order",
    sound: true,
    files: () => ({ "load.txt": repeat(1500, (part, at) => `SET ${part}:${at} ${at}`) + "\n" }),
    command:
      `${UNPACKED} redis-server --port 0 --unixsocket "$PWD/r.sock" --save '' >/dev/null & sleep 1; redis-cli -s r.sock <load.txt >/dev/null; ` +
      `redis-cli -s r.sock --scan | sort; kill %1`,
  },
  {
    name: "postgres-log-one-deadlock",
    facts: ["ERROR:  deadlock detected", "DETAIL:  Process"],
    files: () => ({
      "work.sql":
        repeat(900, (_, at) => `update accounts set cents = cents + ${at} where id = ${at % 50 + 3};`) + "\n",
    }),
    command: `set -- -c log_statement=all -c log_line_prefix='%m [%p] ' -c deadlock_timeout=200ms\n${POSTGRES}
sql -qc "create table accounts (id int primary key, cents int); insert into accounts select n, 0 from generate_series(1, 60) n" >/dev/null
sql -q -f work.sql >/dev/null
sql -qc "begin" -c "update accounts set cents = 1 where id = 1" -c "select pg_sleep(0.5)" -c "update accounts set cents = 1 where id = 2" -c commit >/dev/null 2>&1 &
client=$!
sql -qc "begin" -c "update accounts set cents = 2 where id = 2" -c "select pg_sleep(0.5)" -c "update accounts set cents = 2 where id = 1" -c commit >/dev/null 2>&1
wait $client; sql -q -f work.sql >/dev/null; stop; cat server.log`,
  },
  {
    name: "psql-migration-one-violation",
    facts: [
      'load.sql:1500: ERROR:  insert or update on table "lines" violates foreign key constraint',
      'Key (account)=(9999) is not present in table "accounts".',
    ],
    files: () => ({
      "load.sql":
        `create table accounts (id int primary key);\ninsert into accounts select n from generate_series(0, 99) n;\ncreate table lines (id int primary key, account int references accounts);\n` +
        repeat(2500, (_, at) => `insert into lines values (${at}, ${at === 1496 ? 9999 : at % 100});`) + "\n",
    }),
    command: `${POSTGRES} sql -a -f load.sql; stop`,
  },
  {
    name: "psql-explain-and-tables",
    sound: true,
    facts: ["(1200 rows)"],
    command:
      `${POSTGRES} sql -c "select n as id, md5(n::text) as token, n * 31 % 977 as cents from generate_series(1, 1200) n"; stop`,
  },
  {
    name: "sqlite-import-one-unique-violation",
    facts: ["UNIQUE constraint failed: orders.id"],
    files: () => ({
      "load.sql": `create table orders (id integer primary key, cents integer);\n` +
        repeat(1200, (_, at) => `insert into orders values (${at === 700 ? 15 : at}, ${at * 31});`) +
        "\nselect count(*) from orders;\n",
    }),
    command: "sqlite3 -echo shop.db <load.sql",
  },
  {
    name: "sqlite-table-of-rows",
    sound: true,
    command:
      `sqlite3 -box :memory: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 600) select i, i * 31 % 977 as cents, hex(i * 7919) as token from n"`,
  },
  {
    name: "curl-verbose-one-503-among-60",
    facts: ["HTTP/1.1 503 Service Unavailable", "retry-after: 120"],
    command: `node serve.js & ${listening(18083)} curl -sS -v 'http://127.0.0.1:18083/[1-60]'`,
  },
  {
    name: "json-api-one-failed-payment",
    facts: ["card_declined: issuer unavailable"],
    command: `node serve.js & ${listening(18084)} curl -sS http://127.0.0.1:18084/payments`,
  },
  {
    name: "json-api-pretty-one-null-price",
    facts: ["PK-0417-DISCONTINUED"],
    command: `node serve.js & ${listening(18085)} curl -sS http://127.0.0.1:18085/products | jq -C .`,
  },
  {
    name: "json-api-in-order",
    sound: true,
    command: `node serve.js & ${listening(18086)} curl -sS http://127.0.0.1:18086/customers`,
  },
  {
    name: "python-http-server-one-500",
    facts: ["code 501, message Unsupported method ('PATCH')"],
    files: () => manyFiles(40, "site/*.html", () => "<p>page</p>\n"),
    command:
      `cd site; python3 -m http.server 18087 --bind 127.0.0.1 & ${
        listening(18087)
      } for number in $(seq 1 12); do for page in *.html; do echo url=http://127.0.0.1:18087/$page; echo output=/dev/null; done; done >../urls; ` +
      "curl -s -K ../urls; curl -s -o /dev/null -X PATCH http://127.0.0.1:18087/account.html; curl -s -K ../urls; kill %1",
  },
];
