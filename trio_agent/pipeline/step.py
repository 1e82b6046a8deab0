"""The step: running a `def` component, which happens on the Trio thread in one piece.

The stage knows the component meanwhile, so that `use` may suspend it and `defer` may refuse.  What
comes out of it besides a node is put into an error that names it.  A step that blocks the thread
for long is logged: nothing else runs meanwhile, no other invocation either.

It does not look at the node.  Above: `walk`.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from trio_agent.pipeline.author import find_substitute
from trio_agent.pipeline.refusal import close_coroutines, raise_if_misused, refuse_swallowing

if TYPE_CHECKING:
    from trio_agent.context.stage import Stage
    from trio_agent.vocabulary.element import Element

SLOW_STEP_S: Final = 0.25
"""A `def` component blocks everything that runs on the Trio thread; a person notices this."""

_log: Final = logging.getLogger("trio_agent")


def run_step(stage: Stage, element: Element) -> object:
    """Run a `def` component once.

    Returns:
        What it returned; a node, if its author did right.

    Raises:
        Suspended: it `use`s a `Deferred` that is not settled.
        ContractError: `invalid-element`, wrong arguments or a swallowed suspension.
        AuthorExitError: it called `sys.exit()`.
        AuthorRaiseError: what it raised cannot go on as it is.
        Exception: what it raised.
    """
    definition = element.definition
    stage.component, stage.suspended = definition.name, False
    started = time.perf_counter()
    try:
        node = definition.function(*element.args, **element.kwargs)
    except BaseException as error:
        if stage.suspended and isinstance(error, Exception):
            raise refuse_swallowing(definition) from error  # noqa: ASYNC104  # no await in it
        if isinstance(error, TypeError):
            raise_if_misused(definition, error)
        if (substitute := find_substitute(definition.name, error)) is None:
            raise
        raise substitute from substitute.__cause__  # noqa: ASYNC104  # never Cancelled
    finally:
        stage.component = None
        elapsed_s = time.perf_counter() - started
        if elapsed_s > SLOW_STEP_S:
            _log.warning(
                "component %s blocked the Trio thread for %.2f s; make it async or use a thread",
                definition.name,
                elapsed_s,
            )
    if stage.suspended:
        close_coroutines(node)
        raise refuse_swallowing(definition)
    return node
