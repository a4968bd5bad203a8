/**
 * Makes the wheels of a release for PyPI, one for each system: the binary as a script, as ruff and uv ship theirs, and a
 * typed client, some of whose functions are made of the tools' schemas (PEP 427, PEP 561; names of systems as in PEP 600 and 656).
 */

import { strToU8, type ZipOptions, zipSync } from "fflate";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { definitionsFor } from "../../src/agents/tool_definitions.ts";
import { toolsOf } from "../../src/agents/tool_table.ts";
import { listOperations } from "../../src/commands/rows.ts";
import { binaryName, type SystemBinary } from "./npm_packages.ts";
import { readOwnPackage, webPages } from "./own_package.ts";

/** The names that wheels have for the systems that binaries are made for. */
const PLATFORMS: Readonly<Record<string, string>> = {
  "linux-x64": "manylinux_2_17_x86_64",
  "linux-arm64": "manylinux_2_17_aarch64",
  "linux-x64-musl": "musllinux_1_2_x86_64",
  "linux-arm64-musl": "musllinux_1_2_aarch64",
  "darwin-x64": "macosx_13_0_x86_64",
  "darwin-arm64": "macosx_13_0_arm64",
  "windows-x64": "win_amd64",
  "windows-arm64": "win_arm64",
};
const UNIX = 3;
const EXECUTABLE: ZipOptions = { os: UNIX, attrs: 0o100755 << 16, level: 6 };
const PLAIN: ZipOptions = { os: UNIX, attrs: 0o100644 << 16, level: 6 };
/** The earliest time that a zip archive can say, so that a wheel can be made again, byte for byte. */
const MTIME = new Date(1980, 0, 1);

/** The name and bytes of the wheel of a system. */
export function pythonWheel(
  { target, binary }: SystemBinary,
  { checkout, notices }: { checkout: string; notices: string },
): { name: string; bytes: Uint8Array } {
  const own = readOwnPackage(checkout);
  const { version, description } = own;
  const tag = `py3-none-${PLATFORMS[target.name]}`;
  const info = `fdtool-${version}.dist-info`;
  const { homepage } = webPages(own);
  const files: Record<string, [Uint8Array, ZipOptions]> = {};
  const add = (path: string, content: string | Uint8Array, options = PLAIN) =>
    files[path] = [typeof content === "string" ? strToU8(content) : content, { ...options, mtime: MTIME }];
  for (const [file, source] of Object.entries(clientSources(checkout))) add(`fdtool/${file}`, source);
  add("fdtool/py.typed", "");
  add(`fdtool-${version}.data/scripts/${binaryName(target)}`, readFileSync(binary), EXECUTABLE);
  add(`${info}/licenses/LICENSE`, readFileSync(join(checkout, "LICENSE")));
  add(`${info}/licenses/THIRD-PARTY-NOTICES.txt`, notices);
  add(
    `${info}/WHEEL`,
    `Wheel-Version: 1.0\nGenerator: fdtool ${version}\nRoot-Is-Purelib: false\nTag: ${tag}\n`,
  );
  add(
    `${info}/METADATA`,
    `Metadata-Version: 2.4\nName: fdtool\nVersion: ${version}\nSummary: ${description}\nLicense-Expression: MIT\n` +
      `License-File: LICENSE\nLicense-File: THIRD-PARTY-NOTICES.txt\nRequires-Python: >=3.9\n` +
      (homepage === undefined ? "" : `Project-URL: Homepage, ${homepage}\n`) +
      `Description-Content-Type: text/markdown\n\n` +
      readFileSync(join(checkout, "scripts", "releasing", "python_readme.md"), "utf8"),
  );
  const record = Object.entries(files).map(([path, [bytes]]) =>
    `${path},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}\n`
  ).join("");
  add(`${info}/RECORD`, `${record}${info}/RECORD,,\n`);
  return { name: `fdtool-${version}-${tag}.whl`, bytes: zipSync(files) };
}

/** A part of a JSON schema. */
interface Schema {
  type?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}

/**
 * The client's modules. It is written once, for asyncio; the form without has those words left out. The packages' own modules
 * import only what they offer.
 */
function clientSources(checkout: string): Record<string, string> {
  const definitions = definitionsFor("mcp", toolsOf(listOperations())) as unknown as {
    name: string;
    description: string;
    inputSchema: Schema;
  }[];
  const written = (name: string) => readFileSync(join(checkout, "scripts", "releasing", name), "utf8");
  const forAsyncio = [written("python_client.py"), ...definitions.map(functionSource)].join("\n\n");
  const ofClient = ["Fd", "call", "capture", "run", ...definitions.map(({ name }) => name)];
  const ofProcess = ["Answer", "FdtoolError", "Match", "binary"];
  const list = (names: readonly string[]) => names.map((name) => `    ${name},\n`).join("");
  const offering = (about: string, imports: Record<string, string[]>) =>
    `"""${about}"""\n\n` +
    Object.entries(imports).map(([from, names]) => `from ${from} import (\n${list(names)})\n`).join("") +
    `\n__all__ = [\n${list(Object.values(imports).flat().map((name) => JSON.stringify(name)))}]\n`;
  return {
    "__init__.py": offering(ABOUT, { ".": ["aio"], "._client": ofClient, "._process": ofProcess }),
    "aio.py": offering(ABOUT_ASYNCIO, { "._aio_client": ofClient, "._process": ofProcess }),
    "_process.py": written("python_process.py"),
    "_aio_client.py": forAsyncio,
    "_client.py": forAsyncio.replaceAll("async def ", "def ").replaceAll("await ", "")
      .replace("execute_async as ", ""),
  };
}

const ABOUT = `fdtool: large output as fds, and safe writing. Each call starts the binary once.

run and capture store output and return an Fd, which reads, searches and queries it. The other functions are made of the
schemas that \`fdtool tools\` prints; \`fdtool help\` and the answers say the rest.
`;
const ABOUT_ASYNCIO = "The functions of fdtool for asyncio. A call that is cancelled ends its command.";

function functionSource(
  { name, description, inputSchema: { properties = {}, required = [] } }: {
    name: string;
    description: string;
    inputSchema: Schema;
  },
): string {
  const parameters = Object.entries(properties).map(([field, schema]) =>
    required.includes(field)
      ? `${field}: ${pythonType(schema)}`
      : `${field}: Optional[${pythonType(schema)}] = None`
  );
  const fields = Object.entries(properties).map(([field, schema]) =>
    `    ${field}: ${schema.description ?? ""}`
  );
  const text = [...description.split("\n").map((line) => `    ${line}`), "", ...fields].join("\n").trim()
    .replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  const given = Object.keys(properties).map((field) => `${field}=${field}`);
  // A caller names what may be left out, so that a new field breaks no call.
  const ordered = parameters.filter((each) => !each.includes("= None"));
  const signature = [...ordered, "*", ...parameters.filter((each) => each.includes("= None"))];
  return `async def ${name}(\n${
    signature.map((each) => `    ${each},\n`).join("")
  }) -> Answer:\n    """${text}"""\n` +
    `    return await call("${name}", ${given.join(", ")})\n`;
}

const PLAIN_TYPES: Readonly<Record<string, string>> = { string: "str", integer: "int", boolean: "bool" };

/** The Python type that a caller writes; models may write numbers and booleans as strings, too. */
function pythonType({ type, anyOf, items }: Schema): string {
  if (anyOf !== undefined) {
    const types = anyOf.map(pythonType);
    const strict = types[0] === "int" || types[0] === "bool" ? types.filter((each) => each !== "str") : types;
    return strict.length === 1 ? strict[0]! : `Union[${strict.join(", ")}]`;
  }
  if (type === "array") return `Sequence[${items === undefined ? "Any" : pythonType(items)}]`;
  return PLAIN_TYPES[type ?? ""] ?? "Mapping[str, Any]";
}
