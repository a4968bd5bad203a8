// Promise: the note of an upload has one owner at a time, and another process can finish it once the owner is dead.

import { assertEquals } from "@std/assert";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import { identityOf, thisWriter } from "../../store/writer_identity.ts";
import { listPending, readPending, startPending, takeOverPending } from "./pending_upload.ts";

function withDirectory(test: (directory: string) => void): void {
  const directory = join(mkdtempSync(join(tmpdir(), "fdtool-pending-")), "pending");
  try {
    test(directory);
  } finally {
    rmSync(join(directory, ".."), { recursive: true });
  }
}

const NONCE = new Uint8Array(16).fill(0xab);
const NAME = "ab".repeat(16);

/** Makes the owner of one turn a process that has ended. */
function endOwner(directory: string, turn: number): void {
  const ended = { ...thisWriter(), started: "1" };
  writeFileSync(`${directory}/${NAME}.${turn}`, encodeCheckedLine(ended));
}

Deno.test("a note keeps what was written to it, in another process too", () => {
  withDirectory((directory) => {
    const pending = startPending(directory, NONCE, { localId: 7 });
    pending.noteTry(12);
    pending.noteTry(12);
    pending.noteTry(14);
    pending.noteClaimed(14);
    const read = () => readPending(directory, NAME)!;
    const { localId, triedIds, claimedId, offlineId, nonce } = read();
    assertEquals([localId, triedIds, claimedId, offlineId], [7, [12, 14], 14, undefined]);
    assertEquals(nonce, NONCE);
    pending.startAgain(new Uint8Array(16).fill(1));
    assertEquals([read().triedIds, read().claimedId, read().nonce[0]], [[], undefined, 1]);
    pending.goOffline(2 ** 46);
    assertEquals(read().offlineId, 2 ** 46);
    pending.startAgain(new Uint8Array(16).fill(2));
    assertEquals(read().offlineId, undefined);
    pending.end();
    assertEquals([readPending(directory, NAME), readdirSync(directory)], [undefined, []]);
  });
});

Deno.test("a note is taken over once its owner has ended, by one process", () => {
  withDirectory((directory) => {
    startPending(directory, NONCE, { localId: 7 });
    assertEquals(listPending(directory), [NAME]);
    assertEquals(takeOverPending(directory, NAME), undefined);
    endOwner(directory, 0);
    assertEquals(takeOverPending(directory, NAME)?.localId, 7);
    assertEquals(takeOverPending(directory, NAME), undefined);
    endOwner(directory, 1);
    takeOverPending(directory, NAME)!.end();
    assertEquals(readdirSync(directory), []);
    assertEquals(takeOverPending(directory, NAME), undefined);
    assertEquals(readdirSync(directory), []);
  });
});

Deno.test("an owner that has not written its name yet counts as alive; a truncated line is skipped", () => {
  withDirectory((directory) => {
    const pending = startPending(directory, NONCE, { localId: 7 });
    pending.noteTry(3);
    writeFileSync(`${directory}/${NAME}.0`, "");
    assertEquals(takeOverPending(directory, NAME), undefined);
    writeFileSync(`${directory}/${NAME}`, '12345678 {"event":"tr', { flag: "a" });
    assertEquals(readPending(directory, NAME)?.triedIds.at(-1), 3);
    pending.noteTry(4);
    assertEquals(readPending(directory, NAME)?.triedIds.at(-1), 4);
  });
});

Deno.test("a released note can be taken over while its first process goes on", () => {
  withDirectory((directory) => {
    const pending = startPending(directory, NONCE, { localId: 7 });
    pending.release();
    assertEquals(takeOverPending(directory, NAME)?.localId, 7);
  });
});

Deno.test("a caller that is alive keeps others from a note whose uploader has ended, and can take it back", () => {
  withDirectory((directory) => {
    const pending = startPending(directory, NONCE, { localId: 7 });
    endOwner(directory, 1);
    assertEquals(takeOverPending(directory, NAME), undefined);
    const own = takeOverPending(directory, NAME, "self")!;
    assertEquals(own.localId, 7);
    own.release();
    assertEquals(takeOverPending(directory, NAME), undefined, "the caller is still there");
    pending.release();
    assertEquals(takeOverPending(directory, NAME)?.localId, 7);
  });
});

Deno.test("a process takes a note from the one that started it, and from no other", () => {
  withDirectory((directory) => {
    const pending = startPending(directory, NONCE, { localId: 7 });
    assertEquals(takeOverPending(directory, NAME, "parent"), undefined, "its owner is this process");
    pending.release();
    writeFileSync(`${directory}/${NAME}.0`, encodeCheckedLine(identityOf(process.ppid)));
    assertEquals(takeOverPending(directory, NAME), undefined);
    assertEquals(takeOverPending(directory, NAME, "parent")?.localId, 7);
    assertEquals(readdirSync(directory).sort(), [NAME, `${NAME}.0`, `${NAME}.1`]);
  });
});
