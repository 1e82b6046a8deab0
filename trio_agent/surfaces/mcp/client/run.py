"""Doing what `trio-agent mcp ...` was asked for.

Standard output gets the listing or the result and nothing else; what a tool that failed says is
on standard error, unless it was asked for as JSON.  A signal ends the server too, and then the
process with 128 and its number.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import trio

from actors import open_supervisor
from trio_agent.errors import ContractError
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.mcp.client.caller import Caller, UnansweredError
from trio_agent.surfaces.mcp.client.display import (
    ProgressDisplay,
    columns,
    show_json,
    show_text,
)
from trio_agent.surfaces.mcp.client.launch import find_launch
from trio_agent.surfaces.mcp.client.page import Listing, result_text
from trio_agent.surfaces.mcp.client.process import LaunchError, open_server_process
from trio_agent.surfaces.mcp.client.words import (
    PROGRAM,
    InvokeWish,
    ListWish,
    RunWish,
    UsageError,
    read_wish,
    stated_json,
)
from trio_agent.surfaces.mcp.process.interruption import SIGNALS
from trio_agent.surfaces.mcp.process.saying import LEFT, UnwritableError, complain
from trio_agent.surfaces.mcp.rpc import METHOD_NOT_FOUND, RpcError
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from typing import TextIO

    from actors import Supervisor
    from trio_agent.surfaces.mcp.client.caller import Introduction
    from trio_agent.surfaces.mcp.client.launch import Launch
    from trio_agent.surfaces.mcp.rpc import JsonObject

    Serve: TypeAlias = Callable[[RunWish], int]

SUCCESS: Final = 0
FAILURE: Final = 1
USAGE: Final = 2


def main(argv: Sequence[str], serve: Serve) -> int:
    """Do what the words say; the exit code.  Main thread only.

    Args:
        argv: the words after `mcp`.
        serve: does what `run` asks for; may raise `PluginError`.
    """
    try:
        return _answer(argv, serve)
    except BrokenPipeError:
        return LEFT
    except UnwritableError as error:
        complain(str(error))
        return FAILURE
    except (UsageError, PluginError, LaunchError, UnansweredError, RpcError) as error:
        return _complain(error, is_json=stated_json(argv))


def _complain(error: Exception, *, is_json: bool) -> int:
    """Say in one line what went wrong; the exit code."""
    code: str | int = "server-failed"
    wire: JsonObject = {"message": str(error)}
    prefix = hint = ""
    match error:
        case UsageError():
            code, hint = "CLI_INPUT_INVALID", f"Run `{PROGRAM} --help` for help.\n"
        case PluginError():
            code = error.code
        case RpcError():
            wire, code = error.to_wire(), error.code
            prefix = f"the server answered with error {code}: "
        case _:
            pass
    if is_json:
        show_json({"error": {"code": code, **wire}}, "stderr")
    else:
        show_text(f"trio-agent: {prefix}{error}\n{hint}", "stderr")
    return USAGE if isinstance(error, UsageError) else FAILURE


def _answer(argv: Sequence[str], serve: Serve) -> int:
    wish = read_wish(argv)
    if isinstance(wish, str):
        show_text(wish)
        return SUCCESS
    if isinstance(wish, RunWish):
        for path in wish.env_files or ():
            if not os.path.isfile(path) or os.pathsep in path:
                # They are handed on in one variable, separated like PATH.
                raise UsageError(
                    f"--env-file: expected a file without {os.pathsep!r} in its path, received"
                    f" {path!r:.200}"
                )
        return serve(wish)
    if isinstance(wish, ListWish):
        work = partial(_list, is_json=wish.is_json)
    else:
        work = partial(_invoke, wish=wish, arguments=read_arguments(wish))
    launch = find_launch(wish.server)
    return trio.run(_until_signal, partial(_with_server, launch, work))


def read_arguments(wish: InvokeWish) -> JsonObject:
    """The arguments of a call.

    Raises:
        UsageError: they cannot be read, or are no JSON object.
    """
    option = "--input" if wish.file is None else "--input-file"
    text = wish.text or ""
    if wish.file is not None:
        try:
            with open(wish.file, encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise UsageError(f"{option}: {wish.file!r:.200} cannot be read: {why}") from error
    try:
        value: object = Json.parse(text, "input").value
    except ContractError as error:
        raise UsageError(f"{option}: expected a JSON object: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{option}: expected a JSON object, received {text!r:.80}")
    return cast("JsonObject", value)


async def _until_signal(work: Callable[[], Awaitable[int]]) -> int:
    """Work until it is done or a signal comes; the exit code."""
    numbers = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
    heard: list[int] = []
    code = SUCCESS
    failure: Exception | None = None
    with trio.open_signal_receiver(*numbers) as signals:
        async with open_supervisor() as supervisor:
            supervisor.call(_watch, signals, heard, supervisor)
            try:
                code = await work()
            except Exception as error:  # noqa: BLE001  # boundary: out of here it would be a group
                failure = error
            supervisor.stop("it is done")
    if heard:
        return 128 + heard[0]
    if failure is not None:
        raise failure
    return code


async def _watch(signals: AsyncIterator[int], heard: list[int], supervisor: Supervisor) -> None:
    async for number in signals:
        heard.append(number)
        supervisor.stop(signal.Signals(number).name)


async def _with_server(
    launch: Launch, work: Callable[[Caller, Introduction], Awaitable[Callable[[], int]]]
) -> int:
    """Start a server, do something with it, end it, and then show what came of it."""
    # Python has none when it was closed.
    terminal = cast("TextIO | None", sys.stderr)
    is_watched = terminal is not None and terminal.isatty()
    progress = ProgressDisplay(terminal) if terminal is not None and is_watched else None
    async with open_server_process(launch) as process:
        caller = Caller(
            process,
            on_progress=None if progress is None else progress.show,
            on_noise=_say_noise,
        )
        try:
            show = await work(caller, await caller.open())
        finally:
            if progress is not None:
                progress.clear()
    return show()


def _say_noise(why: str) -> None:
    show_text(f"trio-agent: the server writes what is no message: {why}\n", "stderr")


async def _invoke(
    caller: Caller, _: Introduction, *, wish: InvokeWish, arguments: JsonObject
) -> Callable[[], int]:
    params: JsonObject = {"name": wish.tool, "arguments": arguments}
    return partial(_show_result, await caller.ask("tools/call", params), is_json=wish.is_json)


def _show_result(result: JsonObject, *, is_json: bool) -> int:
    has_failed = result.get("isError") is True
    if is_json:
        show_json(result)
    else:
        show_text(result_text(result), "stderr" if has_failed else "stdout")
    return FAILURE if has_failed else SUCCESS


async def _list(caller: Caller, introduction: Introduction, *, is_json: bool) -> Callable[[], int]:
    async def items(capability: str, method: str, key: str) -> list[JsonObject]:
        if capability not in introduction.capabilities:
            return []
        try:
            return await caller.list_all(method, key)
        except RpcError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            return []

    listing = Listing(
        server=introduction,
        tools=await items("tools", "tools/list", "tools"),
        resources=await items("resources", "resources/list", "resources"),
        templates=await items("resources", "resources/templates/list", "resourceTemplates"),
        prompts=await items("prompts", "prompts/list", "prompts"),
    )
    return partial(_show_listing, listing, is_json=is_json)


def _show_listing(listing: Listing, *, is_json: bool) -> int:
    if is_json:
        show_json(listing.to_wire())
    else:
        show_text(listing.to_page(columns()))
    return SUCCESS
