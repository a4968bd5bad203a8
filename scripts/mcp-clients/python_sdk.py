"""fdtool's MCP server under the Python SDK's client, every answer checked by its schema: python_sdk.py FDTOOL PATHS

It calls each tool so that it succeeds, and so that it fails, and prints a line for each. The last line is N passed, N failed.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

import jsonschema
import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

FDTOOL, CALLS = sys.argv[1], json.load(open(sys.argv[2]))


def field(thing, *names):
    """The SDK's own names changed from camel to snake case between its versions."""
    return next((getattr(thing, name) for name in names if hasattr(thing, name)), None)


async def elicit(_context, _params):
    return mcp.types.ElicitResult(action="accept", content={"answer": True})


async def main():
    passed = failed = 0
    home = tempfile.mkdtemp()
    env = {"HOME": home, "PATH": os.environ["PATH"], "FDTOOL_STORE": f"{home}/store"}
    for command in CALLS["before"]:
        subprocess.run(["/bin/sh", "-c", command], env={**env, "FDTOOL": FDTOOL}, cwd=home, check=True)
    server = StdioServerParameters(
        command=FDTOOL, args=["mcp", "--all", "--run", "--output-schemas"], env=env, cwd=home
    )
    async with (
        stdio_client(server) as (read, write),
        ClientSession(read, write, elicitation_callback=elicit) as session,
    ):
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        for tool in tools.values():
            for names in (("inputSchema", "input_schema"), ("outputSchema", "output_schema")):
                jsonschema.Draft7Validator.check_schema(field(tool, *names))
        for call in CALLS["calls"]:
            for arguments, fails in ((call["arguments"], False), (call["wrong"], True)):
                if not fails:
                    jsonschema.validate(arguments, field(tools[call["name"]], "inputSchema", "input_schema"))
                result = await session.call_tool(call["name"], arguments)
                answer = field(result, "structuredContent", "structured_content")
                jsonschema.validate(answer, field(tools[call["name"]], "outputSchema", "output_schema"))
                is_right = bool(field(result, "isError", "is_error")) == fails
                passed, failed = passed + is_right, failed + (not is_right)
                print("ok" if is_right else "FAILED", call["name"], "fails" if fails else "succeeds", answer["type"])
        uncalled = set(tools) - {call["name"] for call in CALLS["calls"]}
        if uncalled:
            failed += 1
            print("FAILED no call of", *uncalled)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(asyncio.run(main()))
