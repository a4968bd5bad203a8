/**
 * Lists which of Bun's own modules frequent commands load, for `scripts/builtin_bytecode.ts`. Run it when Bun changes:
 *
 *     deno run -A scripts/list_hot_builtins.ts
 *
 * The bytecode of one module after the other is destroyed: a command that loads the module crashes.
 */

import { Buffer } from "node:buffer";
import { join } from "node:path";
import { readBuiltins } from "./builtin_bytecode.ts";

/** Each finds the fd, the file and the edit of those before it. `F` is the binary. */
const FREQUENT = [
  "seq 1 3000 | F capture",
  "F read fd:1 --count 2",
  "F read fd:1 --mode line --count 2",
  "F search fd:1 77",
  "F ls",
  "F run --always -- echo hi",
  "F run --background -- true",
  "F wait fd:3",
  "F edit a.txt --old a --new b --yes",
  "F undo --yes",
  "echo '{}' | F hook claude-code PostToolUse",
  "seq 1 300000 | F capture --tee",
];
/** The version, the kind, and what else is checked before the bytecode is used. */
const HEADER_BYTES = 28;
const MODULE_ENTRY_BYTES = 52;
const HASH_BYTES = 4;

const checkout = join(import.meta.dirname!, "..");
const work = Deno.makeTempDirSync({ prefix: "fdtool-builtins-" });
try {
  const whole = join(work, "whole");
  const build = ["--keep-bytecode", "--outfile", whole];
  const { success } = new Deno.Command(join(checkout, "scripts/build"), { args: build }).outputSync();
  if (!success) throw new Error("the build failed");
  const elf = Buffer.from(Deno.readFileSync(whole));
  const trailerAt = elf.lastIndexOf("\n---- Bun! ----\n") - 32;
  const start = trailerAt - Number(elf.readBigUInt64LE(trailerAt));
  const tableLength = elf.readUInt32LE(trailerAt + 12);
  const modulesAt = elf.readUInt32LE(trailerAt + 8) + tableLength;
  const program = elf.subarray(start, trailerAt);
  const { modules } = readBuiltins(program, modulesAt + tableLength / MODULE_ENTRY_BYTES * HASH_BYTES);
  const expected = exitCodes(whole);
  const hot: number[] = [];
  for (const { id, bytecodeAt, bytecodeLength } of modules) {
    const kept = Buffer.from(program.subarray(bytecodeAt, bytecodeAt + bytecodeLength));
    program.fill(0xff, bytecodeAt + HEADER_BYTES, bytecodeAt + bytecodeLength);
    const broken = join(work, `broken-${id}`);
    Deno.writeFileSync(broken, elf, { mode: 0o755 });
    if (exitCodes(broken).join() !== expected.join()) hot.push(id);
    Deno.removeSync(broken);
    kept.copy(program, bytecodeAt);
  }
  console.log(`Bun ${JSON.parse(Deno.readTextFileSync(join(checkout, "package.json"))).devDependencies.bun}`);
  console.log(hot.sort((one, other) => one - other).join(" "));
} finally {
  Deno.removeSync(work, { recursive: true });
}

/** Runs the commands in a fresh directory. */
function exitCodes(binary: string): number[] {
  const directory = Deno.makeTempDirSync({ dir: work });
  Deno.writeTextFileSync(join(directory, "a.txt"), "a\n");
  return FREQUENT.map((line) =>
    new Deno.Command("/bin/sh", {
      args: ["-c", line.replace(/\bF\b/, binary)],
      cwd: directory,
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", HOME: directory, FDTOOL_STORE: join(directory, "store") },
      stdout: "null",
      stderr: "null",
    }).outputSync().code
  );
}
