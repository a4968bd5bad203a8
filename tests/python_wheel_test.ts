/**
 * Promise: a wheel of a release installs with pip alone, brings the binary, and a client whose functions take what the tools
 * take and raise what they answer. Skipped without Python.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { BUILD_TARGETS } from "../scripts/build_target.ts";
import { pythonWheel } from "../scripts/releasing/python_wheel.ts";
import { CHECKOUT, makeWorld, programUnderTest, quoteForShell } from "./world.ts";

const [program, ...rest] = programUnderTest();
const TARGET = BUILD_TARGETS.find(({ name }) =>
  name === `linux-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}` && Deno.build.os === "linux"
);

function canMakeEnvironments(): boolean {
  try {
    const args = ["-c", "import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 9))"];
    return new Deno.Command("python3", { args, stderr: "null" }).outputSync().success;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return false;
  }
}

/** The README's example; what its comments say is what it prints. */
const [, EXAMPLE] = /```python\n([^]*?)```/.exec(
  Deno.readTextFileSync(join(CHECKOUT, "scripts/releasing/python_readme.md")),
)!;
const PRINTED = [...EXAMPLE!.matchAll(/print\(.*\) {2}# (.*)\n/g)].map(([, printed]) => `${printed}\n`).join(
  "",
);

const SCRIPT = String.raw`
import asyncio, decimal, fdtool, inspect, json, pathlib
for package in (fdtool, fdtool.aio):
    names = {name for name in dir(package) if not name.startswith("_")}
    assert names == set(package.__all__), names ^ set(package.__all__)
    assert [name for name in names if not inspect.getdoc(getattr(package, name))] in ([], ["Answer"])
assert fdtool.read_fd("fd:1", lines="2-3")["content"] == "2\n3\n"

# What is stored is what is read: escape sequences, CR, no newline at the end, ill-formed bytes.
for content in ("", "a", "é\r\n\x1b[1mб\x1b[0m\0 \U0001f600", b"a\xffb\n", "long " * 9000, '{"type": "fd_result", "fd": "fd:1"}'):
    text = content if isinstance(content, str) else content.decode(errors="replace")
    stored = fdtool.capture(content)
    assert stored.read() == text, stored.read()[:99]
    assert fdtool.Fd(stored.fd).read() == text
assert fdtool.capture(b"a\xffb").preview == "a\ufffdb"

ran = fdtool.run("echo $GREETING; cat; exit 5", env={"GREETING": "hi"}, input="in", cwd="/", name="it")
assert (ran.exit_code, ran.read(), ran.stored) == (5, "hi\nin", True), ran.answer
assert fdtool.Fd("ref:it").read("2-") == "in"
assert fdtool.run(["sleep", "60"], timeout=0.1).exit_code == 124
assert fdtool.run(["sleep", "60"], timeout=1e-9).exit_code == 124
for limit in (None, 60, 60.5, decimal.Decimal(60)):
    assert fdtool.run(["true"], timeout=limit, check=True).exit_code == 0
for limit in (0, 0.0, -1, True, False, float("inf"), float("nan")):
    try:
        assert not fdtool.run(["touch", "not-run"], timeout=limit)
    except ValueError as error:
        assert repr(limit) in str(error) and not pathlib.Path("not-run").exists()
try:
    assert not fdtool.run("echo why; exit 3", check=True)
except fdtool.FdtoolError as error:
    assert (error.kind, error.answer["exit_code"]) == ("command_failed", 3) and "why" in str(error), error
# What a command leaves running says so in an answer of its own.
left = fdtool.run("echo a; sleep 600 & echo b")
assert (left.stored, left.read()) == (True, "a\nb\n"), left.answer
assert fdtool.run(["fdtool", "stop", "last"], env={"FDTOOL_FORMAT": "xml"}).exit_code == 0
assert fdtool.run(["sh", "-c", "exit 127"]).exit_code == 127
assert fdtool.run(["printf", "%s", '{"type":"fd_error","error":"x"}']).read() == '{"type":"fd_error","error":"x"}'
many = fdtool.run(["seq", "20000"])
assert [match.line for match in many.search("7")] == [n for n in range(1, 20001) if "7" in str(n)]
assert many.search("no such line") == [] and many.search(".", fixed=True) == []
assert "…" in many.preview and len(many.preview) < 8000
assert fdtool.capture('"a\u2028b"\n{"c": [null]}').query(".") == ["a\u2028b", {"c": [None]}]
assert len(many.query(". + 1")) == 20000

def kind(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except fdtool.FdtoolError as error:
        return error.kind
assert kind(fdtool.run, ["no-such-program"]) == "file_not_found"
assert kind(fdtool.run, ["true"], cwd="/none") == "file_not_found"
assert kind(fdtool.run, ["/"]) == "permission_error"
assert kind(fdtool.capture, "a", name="a b") == "invalid_parameter"
assert kind(fdtool.Fd("fd:99999").read) == "not_found"
assert kind(many.search, "(") == kind(many.query, ".[") == "invalid_parameter"
assert kind(fdtool.capture("{").query, ".") == "parse_error"
assert kind(fdtool.edit_file, path="none.txt", old_string="a", new_string="b") == "file_not_found"

# Each tool's own answers arrive, of whatever type.
asked = fdtool.create_file(path="made.txt")
assert asked["type"] == "needs_input", asked
created = fdtool.answer_inquiry({"content": "a\nb\n"}, inquiry_id=asked["inquiry_id"])
assert (created["type"], created["created"]) == ("write_result", True), created
assert fdtool.edit_file(path="made.txt", old_string="b", new_string="c")["type"] == "write_result"
assert fdtool.undo_write()["path"] == "made.txt" and pathlib.Path("made.txt").read_text() == "a\nb\n"
assert fdtool.count_lines(content="a\nb")["lines"] == 2
assert fdtool.list_refs()["type"] == "ref_list"
assert kind(fdtool.rewrite_file, filePath="made.txt", content="x") != "unknown"
assert kind(fdtool.undo_write, tx="tx:99") == "not_found"
for wrong in (None, 3, ["a"]):
    try:
        assert not fdtool.capture(wrong)
    except TypeError:
        pass

# Nothing can be stored here: the command runs, and its output arrives.
lost = fdtool.run(["sh", "-c", "echo out; exit 2"], store="/dev/null/none")
assert (lost.stored, lost.exit_code, lost.read(), lost.preview) == (False, 2, "out\n", "out\n"), lost.answer
assert fdtool.run(["sh", "-c", "exit 2"], store="/dev/null/none").exit_code == 2
assert fdtool.capture("in", store="/dev/null/none").read() == "in"
assert kind(lost.search, "out") == lost.answer["error"]
assert kind(fdtool.run, ["no-such-program"], store="/dev/null/none") == "file_not_found"

async def use():
    ran, captured = await asyncio.gather(fdtool.aio.run(["seq", "3"]), fdtool.aio.capture("[4]"))
    assert await ran.read() == "1\n2\n3\n" and (await ran.search("2"))[0] == (2, "2")
    assert await captured.query(".[0]") == [4]
    assert (await fdtool.aio.read_fd(ran.fd))["content"] == "1\n2\n3\n"
    try:
        await fdtool.aio.read_fd("fd:99999")
    except fdtool.FdtoolError as error:
        assert error.kind == "not_found"
    # Cancelling ends the command: only then does the pipe that it holds open end.
    open_until_it_ends = asyncio.create_task(fdtool.aio.run("mkfifo pipe; echo started > pipe; exec sleep 600 > pipe"))
    while not __import__("os").path.exists("pipe"):
        await asyncio.sleep(0)
    with open("pipe") as pipe:
        assert pipe.readline() == "started\n"
        open_until_it_ends.cancel()
        try:
            await open_until_it_ends
        except asyncio.CancelledError:
            print("cancelled", json.dumps(pipe.read()))
asyncio.run(use())
`;

Deno.test({
  name: "a wheel brings the binary and a client that runs, captures, reads and calls all tools",
  ignore: TARGET === undefined || rest.length > 0 || !canMakeEnvironments(),
  async fn() {
    using world = makeWorld();
    // The binary itself takes long to pack, and is tried as it is by every other test.
    const binary = world.write("program", `#!/bin/sh\nexec ${quoteForShell(program)} "$@"\n`);
    const wheel = pythonWheel({ target: TARGET!, binary }, {
      checkout: CHECKOUT,
      notices: "notices",
    });
    const again = pythonWheel({ target: TARGET!, binary }, {
      checkout: CHECKOUT,
      notices: "notices",
    });
    assertEquals(wheel, again, "the same wheel, byte for byte");
    Deno.writeFileSync(world.path(wheel.name), wheel.bytes);
    const environment = join(world.home, "environment");
    const pip = `${
      quoteForShell(environment)
    }/bin/python -m pip install --no-index --disable-pip-version-check`;
    // Installing pip into the environment takes longer than all else here.
    const made = await world.shell(
      `python3 -c 'import pip' 2>&- && flags='--without-pip --system-site-packages'
      python3 -m venv $flags ${quoteForShell(environment)} && ${pip} ${quoteForShell(wheel.name)}`,
    );
    assertEquals(made.code, 0, made.stderr + made.text);
    const bin = `${quoteForShell(environment)}/bin`;
    assertStringIncludes((await world.shell(`${bin}/fdtool version`)).text, "fdtool ");
    world.write("example.py", EXAMPLE!);
    const example = await world.shell(`${bin}/python -W error example.py`);
    assertEquals(example.text, PRINTED, example.stderr);
    await world.shell(`rm -r "$FDTOOL_STORE"; seq 5 | ${bin}/fdtool capture --always`);
    world.write("use.py", SCRIPT);
    const used = await world.shell(`${bin}/python -W error use.py`);
    assertEquals(used.text, 'cancelled ""\n', used.stderr);
  },
});
