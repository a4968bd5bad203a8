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

const SCRIPT = `
import fdtool
answer = fdtool.read_fd("fd:1", lines="2-3")
print(answer["content"], end="")
try:
    fdtool.edit_file(path="none.txt", old_string="a", new_string="b")
except fdtool.FdtoolError as error:
    print(error.kind, "|", error)
print(fdtool.list_fds()["total"])
`;

Deno.test({
  name: "a wheel brings the binary and a client of all tools",
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
    await world.shell(`seq 5 | ${bin}/fdtool capture --always`);
    world.write("use.py", SCRIPT);
    const used = await world.shell(`${bin}/python -W error use.py`);
    assertEquals(
      used.text,
      "2\n3\nfile_not_found | Cannot change none.txt: it does not exist\n1\n",
      used.stderr,
    );
  },
});
