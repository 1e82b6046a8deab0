"""Twenty fixed trees, small enough to be struck at each of their steps.

Together they have every kind of work that an invocation does, and meet every limit: each at a
moment when other work is under way.
"""

from __future__ import annotations

from typing import Final

import attrs

from fuzz.trees import Tree
from trio_agent import LimitOverrides

LEAF: Final = Tree("leaf", ticks=1)
HINT: Final = Tree("leaf", ticks=2)


@attrs.frozen
class Fixed:
    """A tree, and what comes of it if nobody strikes.

    Attributes:
        story: second and type of each event as a quick consumer gets it, those of progress told
            once a second; then when it is over, cleaning up included.
        limits: that it runs under.
        code: of the error that the invocation fails with; None if it finishes.
    """

    story: str
    tree: Tree
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    code: str | None = None


def _suspense(*parts: Tree, fallback: Tree = HINT) -> Tree:
    return Tree("suspense", parts, fallback)


def _later(*parts: Tree, ticks: int = 1) -> Tree:
    return Tree("async", parts, ticks=ticks)


_BUSY: Final = _suspense(Tree("cleanup", (LEAF,), ticks=3))
"""Something that is under way when a limit is met, and that wants to clean up."""

FIXED: Final[dict[str, Fixed]] = {
    "nested": Fixed(
        "0 shell, 1 replace, 3 replace, 3 replace, 3 complete; 3",
        Tree(
            "result",
            (
                _later(LEAF, ticks=0),
                _later(LEAF, ticks=0),
                _suspense(
                    _later(LEAF, _suspense(Tree("valued", (_later(LEAF, ticks=2),), ticks=7))),
                    _suspense(_later(LEAF, ticks=3)),
                ),
            ),
        ),
    ),
    "failing": Fixed(
        "0 shell, 1 error, 2 replace, 3 error, 3 complete; 3",
        Tree(
            "result",
            (
                _suspense(
                    Tree("cleanup", ticks=4),
                    Tree("async", ticks=1, fault="error"),
                    _suspense(Tree("cleanup", ticks=5)),
                ),
                _suspense(_later(LEAF, ticks=2)),
                _suspense(Tree("async", ticks=1, fault="exit")),
            ),
        ),
    ),
    "failing root": Fixed(
        "; 2", Tree("result", (_BUSY, Tree("async", ticks=1, fault="group"))), code="render-failed"
    ),
    "working fallback": Fixed(
        "1 shell, 3 replace, 4 complete; 4",
        Tree(
            "result",
            (
                _suspense(
                    _later(LEAF, ticks=3),
                    fallback=Tree("list", (_later(LEAF), _suspense(Tree("cleanup", ticks=9)))),
                ),
            ),
        ),
    ),
    "failing fallback": Fixed(
        "; 2",
        Tree(
            "result",
            (
                _suspense(
                    _later(LEAF, _suspense(_later(LEAF), fallback=_later(LEAF, ticks=3)), ticks=2),
                    fallback=Tree("list", (Tree("async", ticks=1, fault="agent"),)),
                ),
                _BUSY,
            ),
        ),
        code="E_BROKEN",
    ),
    "progress": Fixed(
        "0 shell, 0 progress, 1 progress, 1 replace, 2 replace, 2 complete; 2",
        Tree(
            "result",
            (_suspense(Tree("report", (LEAF,), ticks=3)), _suspense(Tree("report", ticks=2))),
        ),
    ),
    "shared work": Fixed(
        "0 shell, 0 replace, 2 replace, 2 replace, 3 replace, 3 complete; 3",
        Tree("result", (_suspense(Tree("share", (LEAF, _suspense(_later(LEAF))), ticks=2)),)),
    ),
    "failing work": Fixed(
        "0 shell, 0 replace, 1 error, 1 error, 1 complete; 1",
        Tree("result", (_suspense(Tree("share", (LEAF, LEAF), ticks=1, fault="error")),)),
    ),
    "lost work": Fixed(
        "0 shell, 4 replace; 4",
        Tree("result", (Tree("background", (LEAF,), ticks=1, fault="error"), _BUSY)),
        code="deferred-failed",
    ),
    "work without end": Fixed(
        "0 shell, 1 replace, 1 complete; 2",
        Tree("result", (Tree("background", (LEAF,)), _suspense(_later(LEAF)))),
    ),
    "thread": Fixed(
        "0 shell, 2 progress, 2 replace, 4 replace, 4 complete; 4",
        Tree("result", (_suspense(Tree("thread", (LEAF,), ticks=2)), _BUSY)),
    ),
    "abandoned thread": Fixed(
        "1 shell, 1 progress, 4 replace, 4 complete; 4",
        Tree("result", (Tree("thread", ticks=1), _BUSY)),
    ),
    "nodes": Fixed(
        "0 shell; 2",
        Tree("result", (_BUSY, _suspense(_later(*[LEAF] * 9)))),
        {"max_document_nodes": 8},
        "document-node-count-exceeded",
    ),
    "bytes": Fixed(
        "0 shell; 2",
        Tree("result", (_BUSY, _suspense(_later(*[LEAF] * 9)))),
        {"max_document_bytes": 300},
        "document-bytes-exceeded",
    ),
    "media": Fixed(
        "0 shell; 2",
        Tree("result", (_BUSY, _suspense(_later(Tree("image", ticks=6))))),
        {"max_media_bytes": 20},
        "media-bytes-exceeded",
    ),
    "depth": Fixed(
        "0 shell; 2",
        Tree("result", (_BUSY, _suspense(_later(Tree("result", (Tree("result", (LEAF,)),)))))),
        {"max_document_depth": 2},
        "document-depth-exceeded",
    ),
    "component depth": Fixed(
        "0 shell; 2",
        Tree("result", (_BUSY, _suspense(_later(Tree("sync", (Tree("sync", (LEAF,)),)))))),
        {"max_component_depth": 6},
        "component-depth-exceeded",
    ),
    "time": Fixed(
        "0 shell; 3",
        Tree("result", (_BUSY, Tree("background"), _suspense(_later(LEAF, ticks=9)))),
        {"max_elapsed_s": 2.0},
        "elapsed-time-exceeded",
    ),
    "events": Fixed(
        "0 shell, 1 replace, 2 replace; 4",
        Tree("result", (_BUSY, _suspense(_later(LEAF)), _suspense(_later(LEAF, ticks=2)))),
        {"max_events": 3},
        "event-count-exceeded",
    ),
    "rate and event bytes": Fixed(
        "0 shell, 1 replace, 1 replace, 2 replace; 4",
        Tree(
            "result",
            (*[_suspense(_later(LEAF))] * 3, _suspense(_later(*[LEAF] * 9, ticks=3)), _BUSY),
        ),
        {"max_event_rate": 2, "max_event_bytes": 500},
        "event-bytes-exceeded",
    ),
}
