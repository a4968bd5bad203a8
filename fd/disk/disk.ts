/**
 * The single access point to the file system for the store and the write path: a record of `node:fs` calls.
 * It is a record, not direct imports, so that fault tests can make the Nth call fail, be short, or lose what
 * was not synced.
 */

// Not `* as fs`: building an object of all its names is slow.
import fs from "node:fs";
import { systemCode } from "./errors.ts";

const isWindows = process.platform === "win32";

/** File system calls the project makes. Tests replace single members and restore them. */
export const disk = {
  open: fs.openSync,
  close: fs.closeSync,
  read: fs.readSync,
  write: fs.writeSync,
  fsync: fs.fsyncSync,
  fstat: fs.fstatSync,
  ftruncate: fs.ftruncateSync,
  fchmod: fs.fchmodSync,
  fchown: fs.fchownSync,
  stat: fs.statSync,
  lstat: fs.lstatSync,
  mkdir: fs.mkdirSync,
  readdir: fs.readdirSync,
  readlink: fs.readlinkSync,
  realpath: fs.realpathSync,
  rename: isWindows ? patient(fs.renameSync) : fs.renameSync,
  link: fs.linkSync,
  copyFile: fs.copyFileSync,
  unlink: isWindows ? patient(fs.unlinkSync) : fs.unlinkSync,
  rmdir: fs.rmdirSync,
  removeTree: fs.rmSync,
  chmod: fs.chmodSync,
  utimes: fs.utimesSync,
};

/** The last of the pauses, which double: half a second in all. */
const LONGEST_PAUSE_MS = 256;

/** Returns `call`, repeated while it fails because the file is held. */
export function patient<Args extends unknown[]>(
  call: (...args: Args) => void,
  wait: (waitMs: number) => void = pause,
): (...args: Args) => void {
  return (...args) => {
    for (let pauseMs = 1;; pauseMs *= 2) {
      try {
        call(...args);
        return;
      } catch (thrown) {
        // Windows refuses so to replace or delete a file that another process has open, such as a virus scanner that looks
        // at what was just written. Lasting refusals have the same codes.
        const isHeld = ["EPERM", "EACCES", "EBUSY"].includes(systemCode(thrown) ?? "");
        if (pauseMs > LONGEST_PAUSE_MS || !isHeld) throw thrown;
        wait(pauseMs);
      }
    }
  };
}

/** Sleeps for `waitMs` milliseconds without spinning. */
export function pause(waitMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
}
