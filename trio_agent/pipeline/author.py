"""Author code: running it, and putting into words what it raised.

The one place where more than `Exception` is caught.  A `SystemExit` of author code fails the
invocation, not the process, and so does any other exception that is no `Exception`; of a group
that holds `Cancelled` the cancelled part goes on, since the invocation is ending anyway;
`Cancelled` and `KeyboardInterrupt` pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs
import trio

from actors import ActorError, LinkTruncatedError, PeerGoneError
from trio_agent.context.suspension import Suspended
from trio_agent.errors import (
    AgentError,
    AuthorExitError,
    AuthorRaiseError,
    LimitError,
    TrioAgentError,
)
from trio_agent.protocol.assembler import RootFailedError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from trio_agent.errors import ErrorCode

_WORDS: Final = (AgentError, TrioAgentError)
_WALKS: Final = ("trio_agent.pipeline.", "trio_agent.protocol.")
_RECURSION: Final = 50
"""Frames in a row that make a recursion; what a component calls without one is rarely deeper."""


@final
@attrs.frozen
class Fault:
    """A failure in words: the code and the sentence."""

    code: str
    message: str

    __repr__ = shown


_PASSING: Final = (trio.Cancelled, KeyboardInterrupt, GeneratorExit, Suspended)
"""What ends more than an invocation, and what is no error; the third closes a coroutine."""


async def await_author(name: str, begin: Callable[[], Awaitable[object]]) -> object:
    """Call an author's function and await what it returns.

    Args:
        name: of the function, for errors.
        begin: calls it.

    Raises:
        AuthorExitError: it called `sys.exit()`.
        AuthorRaiseError: see `find_substitute`.
        Exception: what it raised.
    """
    try:
        return await begin()
    except BaseException as error:
        if (substitute := find_substitute(name, error)) is None:
            raise
        raise substitute from substitute.__cause__  # noqa: ASYNC104  # never Cancelled


def find_substitute(name: str, error: BaseException) -> BaseException | None:
    """What is to go on instead of what came out of author code; None for that itself.

    No task of ours may end with anything but an `Exception` that has a `repr()`: with another one
    the process would end, since Trio asks every exception that a task ends with for it.

    Args:
        name: of the author's function, for errors.
        error: what it raised.
    """
    if isinstance(error, _PASSING):
        return None
    if isinstance(error, SystemExit):
        return AuthorExitError(name, error.code)
    known: BaseException = error
    if isinstance(error, BaseExceptionGroup):
        known = without_base(name, cast("BaseExceptionGroup[BaseException]", error))
        if known is not error:
            return known
    elif not isinstance(error, Exception):
        return AuthorRaiseError(name, known)
    return None if _has_repr(known) else AuthorRaiseError(name, known)


def without_base(name: str, group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What is to go on of a group that came out of author code."""
    if group.split(Exception)[1] is None:
        return group
    pressing, _ = group.split((trio.Cancelled, KeyboardInterrupt))
    if pressing is not None:
        return pressing
    plain, others = group.split(Exception)
    if plain is not None:
        return plain if _has_repr(plain) else AuthorRaiseError(name, plain)
    first = next(iterate_leaves(others or group))
    if isinstance(first, SystemExit):
        return AuthorExitError(name, first.code)
    return AuthorRaiseError(name, first)


def _has_repr(error: BaseException) -> bool:
    try:
        repr(error)
    except (Exception, SystemExit):  # noqa: BLE001  # boundary: a foreign __repr__
        return False
    return True


def raise_if_echo(error: Exception) -> None:
    """Tell the end of an author's own links from the end of ours, which means that a task left.

    Raises:
        ActorError: *error* says that a peer is gone, and nothing else; with the same words.
        Exception: what else is in the group.
    """
    # A group in a group changes nothing: it is split to the leaves.
    group = ExceptionGroup("", [error])
    echoes, others = group.split((PeerGoneError, LinkTruncatedError))
    if echoes is not None:
        raise (others or ActorError(str(next(iterate_leaves(echoes))))) from error


def unwrap_interrupt(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """A `KeyboardInterrupt` in a group by itself, since nobody looks for one in a group."""
    for leaf in iterate_leaves(group):
        if isinstance(leaf, KeyboardInterrupt):
            return leaf
    return group


def iterate_leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, however nested, in order; of another exception itself.

    Each comes once: a failure of deferred work is raised by everybody who awaits it.
    """
    stack = [error]
    seen: set[int] = set()
    while stack:
        one = stack.pop()
        if isinstance(one, BaseExceptionGroup):
            stack += reversed(cast("BaseExceptionGroup[BaseException]", one).exceptions)
        elif id(one) not in seen:
            seen.add(id(one))
            yield one


def find_limit(error: BaseException) -> LimitError | None:
    """The first broken limit in it: that fails an invocation, wherever it was met."""
    for leaf in iterate_leaves(error):
        if isinstance(leaf, LimitError):
            return leaf
        if isinstance(leaf, RecursionError) and _is_of_walk(leaf):
            return LimitError(
                "component-depth-exceeded",
                "the tree nests deeper than Python's stack has room for where it was started",
            )
    return None


def _is_of_walk(error: RecursionError) -> bool:
    """Whether a walk of ours used up Python's stack, and no recursion of an author's."""
    foreign = 0
    traceback = error.__traceback__
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__"))
        foreign = 0 if module.startswith(_WALKS) else foreign + 1
        traceback = traceback.tb_next
    return foreign < _RECURSION


def _text_of(error: BaseException) -> str:
    try:
        # What `__str__` gives may be of a class of the author's, which is no JSON.
        text = str.__str__(str(error)) or type(error).__name__
    except (Exception, SystemExit):  # noqa: BLE001  # boundary: a foreign __str__
        return type(error).__name__
    # The text of a KeyError is a key and nothing else: 'town' says too little to anybody.
    return f"{type(error).__name__}: {text}" if isinstance(error, KeyError) and error.args else text


def describe(error: BaseException, otherwise: ErrorCode) -> Fault:
    """A failure in words.

    The text is that of the exception; if empty, the name of its class, which also stands before
    the key of a `KeyError`; a group of one is its member; of more, their count and the first.

    Args:
        error: what was raised.
        otherwise: the code of an exception that brings none.
    """
    leaves = list(iterate_leaves(error))
    first = leaves[0]
    if isinstance(first, RootFailedError):
        return Fault(first.row.code, first.row.message)
    text = _text_of(first)
    if len(leaves) > 1:
        text = f"{len(leaves)} errors, the first: {text}"
    return Fault(first.code if isinstance(first, _WORDS) else otherwise, text)
