/**
 * The one door to the file system for the store and the write path: a plain record of `node:fs` calls. It is a record,
 * and not direct imports, so that the fault tests can make the Nth call fail, be short, or forget what was not synced.
 *
 * @module
 */

// Not `* as fs`: an object of all its names is slow to make.
import fs from "node:fs";

/** The calls that the project makes to a disk. Tests replace single members and put them back. */
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
  rename: fs.renameSync,
  link: fs.linkSync,
  copyFile: fs.copyFileSync,
  unlink: fs.unlinkSync,
  rmdir: fs.rmdirSync,
  removeTree: fs.rmSync,
  chmod: fs.chmodSync,
  utimes: fs.utimesSync,
};
