/**
 * Builds fdtool: one binary, for this system or another. Run by `scripts/build`, which finds the runtimes first.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, parse, relative, resolve } from "node:path";
import process from "node:process";
import { parseOptions } from "./parse_options.ts";
import { brotliCompressSync, constants } from "node:zlib";
import { minify_sync as minify } from "terser";
import { BUILD_TARGETS, type BuildTarget, targetOfRuntime } from "./build_target.ts";
import { CHECKOUT } from "./checkout.ts";
import { BuildFailure, fetchRuntime } from "./fetch_runtime.ts";
import { hardenRuntime } from "./hardened_runtime.ts";
import { setRuntimeOptions } from "./runtime_options.ts";
import { addLauncher } from "./launcher/add_launcher.ts";

const MAIN = "main.ts";

/** The program behind it; as an entry of its own it shares one chunk with all that a start loads. */
const PROGRAM = "src/cli.ts";

/** Embedded compressed, as `src/reading/querying/run_jq.ts` expects it. */
const JQ = "node_modules/jq-wasm/dist/build/jq.wasm";

/** Its files are embedded as one compressed JSON object, as `src/page/answer_request.ts` expects it. */
const PAGE = "src/page/browser";

const HELP = `usage: scripts/build [--target SYSTEM] [--engine bun|deno] [--outfile FILE] [--entry FILE]
                     [--if-needed]
       scripts/build --modules DIR
       scripts/build --metafile FILE

Builds dist/fdtool, and checks that it runs. For another system: dist/fdtool-SYSTEM, which cannot be run here.

  --target SYSTEM   ${BUILD_TARGETS.map(({ name }) => name).join(", ")}
  --engine deno     compile with Deno instead of Bun: larger, slower to start; dist/fdtool-deno
  --outfile FILE    where the binary goes
  --entry FILE      compile another program in the same way; scripts/bench compares fdtool with such a one
  --modules DIR     no binary: the program as JavaScript modules for Deno, fewer than the source has
  --metafile FILE   no binary: a list, as JSON, of what of which source file is in one
  --if-needed       do nothing when dist/fdtool is newer than its sources
`;

/** The output of a build, and its sources. */
interface BuildPlan {
  target: BuildTarget;
  /** Whether the binary can run on the system that builds it. */
  native: boolean;
  outfile: string;
  /** The program's main file, seen from the checkout. */
  entry: string;
}

function main(args: string[]): void {
  const { values } = parseOptions({
    args,
    options: {
      target: { type: "string" },
      engine: { type: "string", default: "bun" },
      outfile: { type: "string" },
      entry: { type: "string", default: MAIN },
      metafile: { type: "string" },
      modules: { type: "string" },
      "if-needed": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  if (values.modules !== undefined) {
    rmSync(values.modules, { recursive: true, force: true });
    const format = ["--target=node", "--format=esm", "--splitting", "--packages=external"];
    build(process.execPath, ["build", ...format, `--outdir=${resolve(values.modules)}`, MAIN]);
    return hideLateModules(values.modules);
  }
  if (values.metafile !== undefined) {
    const work = mkdtempSync(`${resolve(values.metafile)}-`);
    bundle(work, MAIN, resolve(values.metafile));
    rmSync(work, { recursive: true });
    return;
  }
  if (values.engine !== "bun" && values.engine !== "deno") {
    throw new BuildFailure(`--engine is bun or deno, not ${values.engine}.`);
  }
  const own = targetOfRuntime(process.execPath);
  const target = values.target === undefined ? own : BUILD_TARGETS.find(({ name }) => name === values.target);
  if (target === undefined) {
    const known = BUILD_TARGETS.map(({ name }) => name).join(", ");
    throw new BuildFailure(`--target ${values.target ?? process.execPath} is not known; known: ${known}.`);
  }
  const suffix = (values.target === undefined ? "" : `-${target.name}`) +
    (values.engine === "deno" ? "-deno" : "") + (target.name.startsWith("windows") ? ".exe" : "");
  const plan: BuildPlan = {
    target,
    native: target === own,
    outfile: resolve(values.outfile ?? join(CHECKOUT, "dist", `fdtool${suffix}`)),
    entry: values.entry,
  };
  const startedAt = new Date();
  const shown = relative(process.cwd(), plan.outfile);
  console.error(`fdtool: building ${shown} …`);
  mkdirSync(dirname(plan.outfile), { recursive: true });
  // Everything is built in a directory beside the result and renamed at the end, which disturbs no process that runs the
  // old binary or builds at the same time.
  const work = mkdtempSync(join(dirname(plan.outfile), ".build-"));
  try {
    const binary = join(work, plan.target.name.startsWith("windows") ? "fdtool.exe" : "fdtool");
    if (values.engine === "deno") compileWithDeno(plan, binary);
    else compileWithBun(plan, binary, work);
    if (plan.native && plan.entry === MAIN) checkThatItRuns(binary);
    // Gets the time when its sources were read, so that a source saved during the build counts as newer.
    utimesSync(binary, startedAt, startedAt);
    renameSync(binary, plan.outfile);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const megabytes = (statSync(plan.outfile).size / 1e6).toFixed(1);
  console.error(
    `fdtool: built ${shown} (${megabytes} MB)${plan.native ? "" : `; not run: it is for ${target.name}`}.`,
  );
  if (target.name === "darwin-arm64") {
    console.error(
      "fdtool: it is signed ad hoc; whether macOS accepts that is not checked here (codesign --verify).",
    );
  }
  if (target.name === "darwin-x64") {
    console.error(
      "fdtool: its signature is the runtime's and no longer fits; on a Mac: codesign --force --sign - FILE",
    );
  }
}

function compileWithBun(plan: BuildPlan, binary: string, work: string): void {
  const runtime = readFileSync(fetchRuntime(CHECKOUT, plan.target.runtimePackage));
  const { reachable } = hardenRuntime(runtime);
  for (const names of reachable) {
    console.error(
      `fdtool: note: on ${plan.target.name} the runtime still obeys ${names} in its environment.`,
    );
  }
  setRuntimeOptions(runtime);
  if (plan.target.name.startsWith("linux") && plan.entry === MAIN) {
    addLauncher(runtime, readFileSync(join(CHECKOUT, "scripts/launcher/without_runtime.sh"), "utf8"));
  }
  const hardened = join(work, "runtime");
  writeFileSync(hardened, runtime);
  chmodSync(hardened, 0o755);
  const jq = join(work, "jq.wasm.br");
  // At 11 a third of a build's processor time, for 30 KB less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(jq, brotliCompressSync(readFileSync(join(CHECKOUT, JQ)), { params }));
  const page = join(work, "ui-page.json.br");
  writeFileSync(page, brotliCompressSync(JSON.stringify(textsIn(join(CHECKOUT, PAGE)))));
  const parts = { chunks: chunksOf(work, plan.entry), assets: [jq, page] };
  const orders = plan.entry === MAIN ? ordersOfUse(plan, parts, work) : [];
  compileOnto(hardened, plan, { ...parts, orders }, binary);
}

/** Chunks, files that are embedded, and lists of functions in the order in which calls use them, the most frequent call first. */
interface Parts {
  chunks: string;
  assets: readonly string[];
  orders: readonly string[];
}

/**
 * Runs small calls of the program on the runtime that builds, which writes such lists. Code that they use then lies together:
 * fewer pages of the binary are touched, which is a thirtieth of a small call's processor time.
 */
function ordersOfUse(plan: BuildPlan, parts: Omit<Parts, "orders">, work: string): readonly string[] {
  const program = join(work, process.platform === "win32" ? "unordered.exe" : "unordered");
  const target = targetOfRuntime(process.execPath) ?? plan.target;
  compileOnto(process.execPath, { ...plan, target }, { ...parts, orders: [] }, program);
  const orderOf = (name: string, input: string, ...words: string[]) => {
    const order = join(work, `${name}.order`);
    writeFileSync(join(work, "input"), input);
    const stdin = openSync(join(work, "input"), "r");
    // The order depends on no path: no answer repeats the store's, and strings are left out.
    execFileSync(program, words, {
      cwd: work,
      stdio: [stdin, "ignore", "inherit"],
      env: { SystemRoot: process.env["SystemRoot"], FDTOOL_STORE: "store", BUN_BYTECODE_ORDER_OUT: order },
    });
    closeSync(stdin);
    writeFileSync(order, readFileSync(order, "latin1").replace(/^S .*\n/gm, ""));
    return order;
  };
  // Calls that wait for nothing: each build is to find the same order.
  const capture = orderOf("capture", "a line\n".repeat(40), "capture", "--always");
  const read = orderOf("read", "", "read", "fd:1", "--lines", "10-14");
  const lines = Array.from(
    { length: 600 },
    (_, at) => `10:00:00 ${at % 99 === 70 ? "ERROR no" : "INFO"} part ${at}\n`,
  );
  return [read, capture, orderOf("digest", lines.join(""), "capture")];
}

/** Reads the files of a folder, by name. */
function textsIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

interface Metafile {
  outputs: Record<string, {
    entryPoint?: string;
    imports: { path: string; kind: string }[];
    inputs: Record<string, { bytesInOutput: number }>;
  }>;
}

/** Hides modules that are loaded when they are needed from Deno, which would read all of them at each start. */
function hideLateModules(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    writeFileSync(path, readFileSync(path, "utf8").replace(/\bimport\(("\.[^"]*")\)/g, "import(String($1))"));
  }
}

/** Makes JavaScript of the program, in chunks in `folder`, and writes the list of their parts to `metafile`. */
function bundle(folder: string, entry: string, metafile: string): void {
  const entries = entry === MAIN ? [MAIN, PROGRAM] : [entry];
  const options = [
    `--outdir=${folder}`,
    `--metafile=${metafile}`,
    ...CHUNKS,
    "--target=bun",
    "--reject-unresolved",
  ];
  build(process.execPath, ["build", ...options, ...entries]);
}

/**
 * Makes the chunks of the program, and returns their folder. What every call loads is one chunk, in which a minifier joins
 * what is used once and drops what is not used, further than the bundler does: a fiftieth less of a small call's work.
 */
function chunksOf(work: string, entry: string): string {
  const folder = join(work, "chunks");
  const metafile = join(work, "meta.json");
  bundle(folder, entry, metafile);
  const { outputs }: Metafile = JSON.parse(readFileSync(metafile, "utf8"));
  for (const chunk of chunksAtStart(outputs, entry)) {
    if (entry === MAIN) checkStart(Object.keys(outputs[chunk]!.inputs));
    const path = join(folder, chunk);
    const { code } = minify(readFileSync(path, "utf8"), {
      module: true,
      ecma: 2020,
      mangle: false,
      compress: { passes: 2 },
    });
    writeFileSync(path, code!);
  }
  // Else the package.json above the binary's folder holds for the chunks. One without a name is not read.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "chunks", sideEffects: false }));
  return folder;
}

/** The chunks that every call loads. */
function chunksAtStart(outputs: Metafile["outputs"], entry: string): Set<string> {
  const open = Object.keys(outputs).filter((path) => outputs[path]!.entryPoint === entry);
  const chunks = new Set(open);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const { path: imported, kind } of outputs[path]!.imports) {
      if (kind !== "import-statement" || outputs[imported] === undefined || chunks.has(imported)) continue;
      chunks.add(imported);
      open.push(imported);
    }
  }
  return chunks;
}

/**
 * Refuses a build whose start loads a module of Node's besides `node:fs`. The bundler adds small files to the chunk that every
 * call loads; one that imports `node:buffer` made a `read` 4 % slower, and `node:process` has 1.4 % of its instructions.
 */
function checkStart(sources: readonly string[]): void {
  for (const source of sources) {
    const text = readFileSync(join(CHECKOUT, source), "utf8");
    for (const [, module] of text.matchAll(/^import (?!type\b)[^;]*?"(node:[^"]+)"/gm)) {
      if (module !== "node:fs") {
        throw new BuildFailure(
          `${source} is loaded at the start: load ${module} late, as fd/disk/loaded_late.ts does.`,
        );
      }
    }
  }
}

/** Code that is loaded late is in chunks of its own. */
const CHUNKS = [
  "--format=esm",
  "--splitting",
  // A chunk costs more than the little code that some calls then load in vain.
  "--min-chunk-size=16384",
];

/** Calls the compiler: it puts the program, bundled in the folder `chunks`, into a copy of `runtime`. */
function compileOnto(
  runtime: string,
  { target, entry }: BuildPlan,
  { chunks, assets, orders }: Parts,
  binary: string,
): void {
  // The names in the binary come from paths as the compiler sees them: from within the folder, whose own name is random.
  const options = [
    "build",
    "--compile",
    `--target=${target.bunTarget}`,
    `--compile-executable-path=${runtime}`,
    ...CHUNKS,
    "--bytecode",
    // A small call is over before a compiler could win back its start: at 3, a read that verifies two blocks starts the
    // compiler's thread for it, at 6 it does not. At 10 searching 256 MiB takes a tenth longer.
    "--compile-jit-policy=6",
    // What is nested deeper is compiled when it is first called. The minifier nests functions that are used once, and an
    // asynchronous function has two levels: with 3 a read has a tenth more instructions.
    "--bytecode-depth=6",
    "--minify",
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    "--no-compile-autoload-tsconfig",
    "--no-compile-autoload-package-json",
    `--outfile=${binary}`,
    ...assets.map((asset) => `--asset=${asset}`),
    ...orders.map((order) => `--bytecode-order=${order}`),
  ];
  build(process.execPath, [...options, `${parse(entry).name}.js`], chunks);
}

function compileWithDeno(plan: BuildPlan, binary: string): void {
  const deno = process.env["FDTOOL_DENO"];
  if (deno === undefined || deno === "") throw new BuildFailure("npm has no Deno for this system.");
  if (plan.target.denoTarget === undefined) {
    throw new BuildFailure(`Deno does not compile for ${plan.target.name}.`);
  }
  try {
    build(deno, [
      "compile",
      "--quiet",
      "--allow-all",
      "--no-lock",
      `--target=${plan.target.denoTarget}`,
      `--output=${binary}`,
      plan.entry,
    ]);
  } catch (failure) {
    if (!(failure instanceof BuildFailure) || !/denort|download/i.test(failure.message)) throw failure;
    throw new BuildFailure(
      "deno compile needs its runtime part (denort), which Deno fetches from its own site, and that cannot be reached. " +
        "Set DENORT_BIN to a denort of the pinned version, or build with Bun.",
    );
  }
}

/** Runs a compiler, in the checkout unless said; its output is shown only when it fails. */
function build(program: string, args: string[], cwd = CHECKOUT): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error !== undefined) throw new BuildFailure(`${program} cannot be started: ${error.message}`);
  if (status !== 0) throw new BuildFailure(`${program} ${args[0]} failed:\n${stdout}${stderr}`);
}

function checkThatItRuns(binary: string): void {
  const { version }: { version: string } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  const said = execFileSync(binary, ["--version"], { encoding: "utf8" });
  if (said !== `fdtool ${version}\n`) {
    throw new BuildFailure(
      `what was built answers --version with ${JSON.stringify(said)}, not fdtool ${version}.`,
    );
  }
}

try {
  main(process.argv.slice(2));
} catch (failure) {
  if (!(failure instanceof BuildFailure)) throw failure;
  console.error(`fdtool: ${failure.message}`);
  process.exitCode = 1;
}
