"""A server for tests that start one: `python child_server.py [WORD ...]`.

The words change what happens while it loads.  What its conversation can do, `Talk` says.
"""

import ctypes
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import trio

from trio_agent.surfaces.mcp.exchange import Audience, Call
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.wire.dispatcher import MakeConversation


class Talk:
    """A conversation whose methods are its attributes."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience

    def admit(self, method: str, params: JsonObject) -> JsonObject | None:
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": {}}
        if method == "ping":
            return {}
        if not hasattr(self, f"do_{method}"):
            raise RpcError(-32601, "Method not found", method)
        return None

    async def answer(self, method: str, params: JsonObject, call: Call) -> JsonObject:
        handler: Callable[[JsonObject, Call], Awaitable[JsonObject]] = getattr(self, f"do_{method}")
        return await handler(params, call)

    def receive(self, method: str, params: JsonObject) -> None:
        print("noticed", method, params, file=sys.stderr)
        if method == "notifications/tell":
            self._audience.tell("notifications/told", params)

    async def do_echo(self, params: JsonObject, call: Call) -> JsonObject:
        return params

    async def do_sleep(self, params: JsonObject, call: Call) -> JsonObject:
        if "name" in params:
            print("asleep", params["name"], file=sys.stderr)
        try:
            await trio.sleep(float(str(params["s"])))
        finally:
            if "cleanup" in params:
                with trio.move_on_after(float(str(params["cleanup"])), shield=True):
                    await trio.sleep_forever()
            if "name" in params:
                print("slept", params["name"], file=sys.stderr)
        return params

    async def do_big(self, params: JsonObject, call: Call) -> JsonObject:
        return {"text": "x" * int(str(params["size"]))}

    async def do_length(self, params: JsonObject, call: Call) -> JsonObject:
        return {"length": len(str(params["text"]))}

    async def do_ask(self, params: JsonObject, call: Call) -> JsonObject:
        return {"answer": await call.request("ask/it", params)}

    async def do_progress(self, params: JsonObject, call: Call) -> JsonObject:
        for number in range(int(str(params["count"]))):
            await call.notify("notifications/progress", {"progress": number})
        print("progress was sent", file=sys.stderr)
        return {}

    async def do_print(self, params: JsonObject, call: Call) -> JsonObject:
        print("printed in a handler")
        sys.stdout.write("written to sys.stdout\n")
        os.write(1, b"written to descriptor 1\n")
        libc = ctypes.CDLL(None)
        libc.puts(b"put by C")
        libc.fflush(None)
        command = [sys.executable, "-c", "print('printed by a child', input.__name__)"]
        subprocess.run(command, check=True)
        return {"stdin": os.read(0, 10).decode()}

    async def do_grumble(self, params: JsonObject, call: Call) -> JsonObject:
        for _ in range(int(str(params["lines"]))):
            print("grumble " * 128, file=sys.stderr)
        return {}

    async def do_thread(self, params: JsonObject, call: Call) -> JsonObject:
        def work() -> None:
            print("started", file=sys.stderr)
            time.sleep(60)

        await trio.to_thread.run_sync(work, abandon_on_cancel=True)
        return {}

    async def do_linger(self, params: JsonObject, call: Call) -> JsonObject:
        threading.Thread(target=time.sleep, args=(60,)).start()
        print("started", file=sys.stderr)
        return {}

    async def do_block(self, params: JsonObject, call: Call) -> JsonObject:
        print("blocking", file=sys.stderr)
        time.sleep(60)
        return {}

    async def do_exit(self, params: JsonObject, call: Call) -> JsonObject:
        sys.exit(7)

    async def do_boom(self, params: JsonObject, call: Call) -> JsonObject:
        raise ValueError("secret")

    async def do_group(self, params: JsonObject, call: Call) -> JsonObject:
        raise BaseExceptionGroup("two", [SystemExit(3), ValueError("secret")])

    async def do_interrupt(self, params: JsonObject, call: Call) -> JsonObject:
        raise KeyboardInterrupt


def load(words: list[str]) -> MakeConversation:
    """What a plugin would do while it is imported."""
    if "print" in words:
        print("printed at import")
        os.write(1, b"written at import\n")
    if "wrap" in words:
        sys.stdout = io.StringIO()
    if "broken" in words:
        return lambda audience: Talk(audience, *words)
    if "nothing" in words:
        return cast("MakeConversation", None)
    if "hang" in words:
        print("loading", file=sys.stderr)
        time.sleep(60)
    if "mark" in words:
        import atexit

        atexit.register(Path(words[-1]).write_text, "ended", encoding="utf-8")
    return Talk


def main() -> int:
    from trio_agent.surfaces.mcp.stdio.serving import run_stdio_server

    words = sys.argv[1:]
    return run_stdio_server(lambda: load(words), name="talker")


if __name__ == "__main__":
    from trio_agent.surfaces.mcp.stdio.serving import end_process

    end_process(main())
