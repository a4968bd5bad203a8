/**
 * The single access point to the file system for the store and the write path: a record of `node:fs` calls.
 * It is a record, not direct imports, so that fault tests can make the Nth call fail, be short, or lose what
 * was not synced.
 */

// Not `* as fs`: building an object of all its names is slow.
import fs from "node:fs";
import { patient } from "./patient.ts";

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
