"""From what a client calls a directory or a file to one that may be looked at.

Used by every tool, the resource and the command, so that all of them refuse the same things with
the same words.  What the words mean is the library's business; here they become an `AgentError`,
which is shown whatever else is hidden.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import trio

from curator.library import LibraryError, Shelf, check_output, check_root
from trio_agent import AgentError, ToolContext


@contextmanager
def told() -> Generator[None]:
    """What the library refuses, told to whoever asked."""
    try:
        yield
    except LibraryError as error:
        raise AgentError(error.code, str(error)) from error


async def shelf_of(context: ToolContext) -> Shelf:
    """The directories that this server is allowed to look into."""
    return await context.provider("shelf", Shelf)


async def check_directory(directory: Path) -> None:
    """Refuse a directory that cannot be listed, before anything is promised.

    Raises:
        AgentError: it does not exist, is no directory or cannot be listed.
    """
    with told():
        await check_root(directory)


async def find_directory(context: ToolContext, directory: Path | None) -> Path:
    """A directory that this server may look into, and that can be listed; None is its library.

    Raises:
        AgentError: it is not on the shelf, or as `check_directory`.
    """
    shelf = await shelf_of(context)
    with told():
        found = await trio.to_thread.run_sync(shelf.directory, directory)
    await check_directory(found)
    return found


async def find_new_file(context: ToolContext, path: Path) -> Path:
    """Where a file that does not exist may be written.

    Raises:
        AgentError: it is not on the shelf, it exists, or it has no directory to be in.
    """
    found = await find_file(context, str(path))
    with told():
        await check_output(found)
    return found


async def find_file(context: ToolContext, path: str) -> Path:
    """Where the file that a receipt shows as *path* is, if it may be looked at at all.

    Raises:
        AgentError: it is not on the shelf.
    """
    shelf = await shelf_of(context)
    with told():
        return await trio.to_thread.run_sync(shelf.file, path)
