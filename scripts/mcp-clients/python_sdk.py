"""fdtool's MCP server under the Python SDK's client, every answer checked by its schema: python_sdk.py VERSION FDTOOL PATHS

It calls each tool so that it succeeds, and so that it fails, and prints a line for each. The last line is N passed, N failed.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

import anyio
import jsonschema
import mcp
from mcp import Client, StdioServerParameters

VERSION, FDTOOL, CALLS = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3]))
passed = failed = asked = 0


def note(is_right, what):
    global passed, failed
    passed, failed = passed + is_right, failed + (not is_right)
    print("ok" if is_right else "FAILED", what)


async def elicit(_context, _params):
    global asked
    asked += 1
    return mcp.types.ElicitResult(action="accept", content={"answer": True})


async def main():
    home = tempfile.mkdtemp()
    env = {"HOME": home, "PATH": os.environ["PATH"], "FDTOOL_STORE": f"{home}/store"}
    for command in CALLS["before"]:
        subprocess.run(["/bin/sh", "-c", command], env={**env, "FDTOOL": FDTOOL}, cwd=home, check=True)
    server = StdioServerParameters(
        command=FDTOOL, args=["mcp", "--all", "--run", "--output-schemas"], env=env, cwd=home
    )
    mode = "legacy" if VERSION == "2025-11-25" else "auto"
    async with Client(server, mode=mode, elicitation_callback=elicit) as client:
        note(client.protocol_version == VERSION, f"speaks {client.protocol_version}")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)
        for call in CALLS["calls"]:
            tool = tools[call["name"]]
            for arguments, fails in ((call["arguments"], False), (call["wrong"], True)):
                if not fails:
                    jsonschema.validate(arguments, tool.input_schema)
                result = await client.call_tool(tool.name, arguments)
                answer = result.structured_content
                jsonschema.validate(answer, tool.output_schema)
                note(bool(result.is_error) == fails, f"{tool.name} {'fails' if fails else 'succeeds'} {answer['type']}")
        uncalled = set(tools) - {call["name"] for call in CALLS["calls"]}
        if uncalled:
            note(False, f"no call of {uncalled}")

        resources = (await client.list_resources()).resources
        read = await client.read_resource(f"{resources[-1].uri}?mode=line&start=2&count=2")
        note(read.contents[0].text == "2\n3\n", f"resources: {len(resources)}, a slice: {read.contents[0].text!r}")

        with open(f"{home}/many.txt", "w") as file:
            file.write("x\n" * 12)
        before = asked
        edit = {"path": f"{home}/many.txt", "old_string": "x", "new_string": "y", "replace_all": True}
        edited = (await client.call_tool("edit_file", edit)).structured_content
        note(asked == before + 1 and edited["type"] == "write_result", f"a form, accepted: {edited['type']}")

        # The command says its process id once it runs, and never ends by itself.
        command = f"echo $$ >{home}/part && mv {home}/part {home}/pid; exec sleep 100000"
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "run_command", {"command": command})
            while not os.path.exists(f"{home}/pid"):
                await anyio.sleep(0.005)
            group.cancel_scope.cancel()
        following = await client.call_tool("read_fd", {"fd": "ref:log", "count": 1})
        note(not following.is_error, "a call after a cancelled one is answered")
        while os.path.exists(f"/proc/{open(f'{home}/pid').read().strip()}"):
            await anyio.sleep(0.005)
        note(True, "the command of the cancelled call ended")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(asyncio.run(main()))
