/** Servers and their clients: redis, PostgreSQL, SQLite, curl, JSON APIs. */

import { repeat, word, type WrittenCase } from "../corpus_case.ts";

const UNPACKED = "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES;";

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
    name: "redis-keys-in-order",
    sound: true,
    files: () => ({ "load.txt": repeat(1500, (part, at) => `SET ${part}:${at} ${at}`) + "\n" }),
    command:
      `${UNPACKED} redis-server --port 0 --unixsocket "$PWD/r.sock" --save '' >/dev/null & sleep 1; redis-cli -s r.sock <load.txt >/dev/null; ` +
      `redis-cli -s r.sock --scan | sort; kill %1`,
  },
  {
    name: "postgres-log-one-deadlock",
    question: "which processes blocked each other in a deadlock",
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
    question: "which account violated the foreign key",
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
    name: "sqlite-import-one-unique-violation",
    facts: ["UNIQUE constraint failed: orders.id"],
    files: () => ({
      "load.sql": `create table orders (id integer primary key, cents integer);\n` +
        repeat(1200, (_, at) => `insert into orders values (${at === 700 ? 15 : at}, ${at * 31});`) +
        "\nselect count(*) from orders;\n",
    }),
    command: "sqlite3 -echo shop.db <load.sql",
  },
];
