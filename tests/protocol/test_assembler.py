"""The assembler: what each row makes the outside see, and the document after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from trio_agent.errors import ContractError, StreamError
from trio_agent.protocol import rope, tree
from trio_agent.protocol.assembler import (
    Assembler,
    BoundaryFailed,
    BoundaryReplaced,
    Decision,
    RootFailedError,
    ShellShown,
)
from trio_agent.protocol.rows import (
    ROOT_ROW,
    BoundaryItem,
    ErrorRow,
    Item,
    LazyItem,
    ModelRow,
    ResultItem,
)
from trio_agent.vocabulary import result
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.result import Chunk, DocumentNode, ResultNode

SHELL = MarkdownNode("# Shell")
A, B = MarkdownNode("A ready"), MarkdownNode("B ready")
WAIT_A, WAIT_B = ProgressNode(0, None, "loading-a"), ProgressNode(0, None, "loading-b")
TEXT = TextNode("text")


def boundary(row: int, *fallback: Item) -> BoundaryItem:
    return BoundaryItem(LazyItem(row), fallback)


def model(row: int, *items: Item) -> ModelRow:
    return ModelRow(row, items)


def broken(row: int) -> ErrorRow:
    return ErrorRow(row, "boundary", f"{row} failed")


def start(*items: Item) -> Assembler:
    """An assembler that has shown a root of these items."""
    assembler = Assembler()
    assert assembler.feed(model(ROOT_ROW, *items))[:1] == (ShellShown(),)
    return assembler


def children_of(assembler: Assembler) -> tuple[DocumentNode, ...]:
    root = assembler.document().root
    assert isinstance(root, ResultNode)
    return root.children


def names(decisions: Sequence[Decision]) -> list[str]:
    """Decisions as short words."""
    words = []
    for one in decisions:
        if isinstance(one, ShellShown):
            words.append("shell")
        elif isinstance(one, BoundaryReplaced):
            words.append(f"replace {one.boundary_id}")
        else:
            words.append(f"error {one.boundary_id}")
    return words


def only_document(*items: Item) -> AgentDocument:
    assembler = start(*items)
    assembler.finish()
    return assembler.document()


# ---------------------------------------------------------------------------------- event order


def test_what_waits_for_nothing_is_a_shell_and_complete() -> None:
    ready = ResultItem([MarkdownNode("# Ready")], Json.of({"ready": True}))
    document = only_document(ready)
    assert document.status == "success"
    assert document.value == Json.of({"ready": True})
    assert document.root == ResultNode.of([MarkdownNode("# Ready")])


def test_one_boundary_shows_its_fallback_and_then_its_content() -> None:
    assembler = start(ResultItem([SHELL, boundary(1, WAIT_A)]))
    assert children_of(assembler) == (SHELL, WAIT_A)
    assert names(assembler.feed(model(1, A))) == ["replace b:1"]
    assert children_of(assembler) == (SHELL, A)
    assembler.finish()


def test_two_boundaries_are_replaced_as_they_settle() -> None:
    assembler = start(ResultItem([SHELL, boundary(1, WAIT_A), boundary(2, WAIT_B)]))
    assert names(assembler.feed(model(2, B))) == ["replace b:2"]
    assert children_of(assembler) == (SHELL, WAIT_A, B)
    assert names(assembler.feed(model(1, A))) == ["replace b:1"]
    assert children_of(assembler) == (SHELL, A, B)


def test_a_nested_boundary_is_told_of_when_it_settles_after_its_surroundings() -> None:
    assembler = start(ResultItem([SHELL, boundary(1, WAIT_A)]))
    inner_shell = MarkdownNode("inner-shell")
    assert names(assembler.feed(model(1, [inner_shell, boundary(2, WAIT_B)]))) == ["replace b:1"]
    assert children_of(assembler) == (SHELL, inner_shell, WAIT_B)
    assert names(assembler.feed(model(2, B))) == ["replace b:1.1"]
    assert children_of(assembler) == (SHELL, inner_shell, B)


def test_what_settled_unseen_is_revealed_without_a_word() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)]))
    assert assembler.feed(model(2, B)) == []
    assert names(assembler.feed(model(1, boundary(2, WAIT_B)))) == ["replace b:0"]
    assert children_of(assembler) == (B,)


def test_what_settles_before_the_root_is_complete_is_in_the_shell() -> None:
    assembler = Assembler()
    assert assembler.feed(model(2, A)) == ()
    root = model(ROOT_ROW, ResultItem([LazyItem(1), boundary(2, WAIT_A)]))
    assert assembler.feed(root) == ()
    with pytest.raises(StreamError, match="before the root was complete"):
        assembler.finish()
    assert names(assembler.feed(model(1, SHELL))) == ["shell"]
    assert children_of(assembler) == (SHELL, A)


def test_what_failed_before_the_shell_is_told_right_after_it() -> None:
    assembler = Assembler()
    assembler.feed(broken(1))
    decisions = assembler.feed(model(ROOT_ROW, ResultItem([boundary(1, WAIT_A)])))
    assert decisions == (ShellShown(), BoundaryFailed("b:0", broken_like(decisions[1])))
    assert assembler.document().status == "represented-error"


def broken_like(decision: Decision) -> ErrorRow:
    assert isinstance(decision, BoundaryFailed)
    return decision.error


def test_a_failure_carries_its_row() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)]))
    row = ErrorRow(1, "E_X", "message", Json.of(1))
    assert assembler.feed(row) == [BoundaryFailed("b:0", row)]
    assert children_of(assembler) == (ErrorNode("E_X", "message"),)


def test_hidden_failures_are_told_right_after_the_replace_in_document_order() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)]))
    assembler.feed(broken(3))
    assembler.feed(broken(4))
    deep = BoundaryItem([boundary(3, WAIT_A)])
    decisions = assembler.feed(model(1, deep, boundary(4, WAIT_A), boundary(5, WAIT_A)))
    assert names(decisions) == ["replace b:0", "error b:0.0.0", "error b:0.1"]


def test_a_failure_unseen_until_the_end_is_never_told() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)]))
    assembler.feed(broken(3))
    row = model(2, boundary(3, WAIT_A))
    assembler.feed(row)
    assert names(assembler.feed(broken(1))) == ["error b:0"]
    assembler.finish()


def test_a_boundary_in_a_fallback_is_told_of_while_the_fallback_is_seen() -> None:
    assembler = start(ResultItem([boundary(1, boundary(2, WAIT_B), boundary(3, WAIT_B))]))
    assert names(assembler.feed(model(2, B))) == ["replace b:0.f.0"]
    assert names(assembler.feed(model(1, A))) == ["replace b:0"]
    assert assembler.feed(broken(3)) == []
    assert children_of(assembler) == (A,)


def test_content_that_is_a_boundary_has_an_id_of_its_own() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)]))
    assert names(assembler.feed(model(1, boundary(2, WAIT_B)))) == ["replace b:0"]
    assert names(assembler.feed(model(2, B))) == ["replace b:0.0"]


def test_the_root_context_failing_ends_it_all() -> None:
    assembler = Assembler()
    assembler.feed(model(ROOT_ROW, ResultItem([LazyItem(1), LazyItem(2)])))
    row = broken(2)
    with pytest.raises(RootFailedError, match="2 failed") as caught:
        assembler.feed(row)
    assert caught.value.row is row


def test_of_two_failures_that_one_row_lets_in_the_first_in_the_document_wins() -> None:
    assembler = Assembler()
    assembler.feed(broken(2))
    assembler.feed(broken(1))
    with pytest.raises(RootFailedError, match="1 failed"):
        assembler.feed(model(ROOT_ROW, ResultItem([LazyItem(1), LazyItem(2)])))


def test_what_a_failed_boundary_holds_never_reaches_the_document() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)]))
    assembler.feed(model(1, LazyItem(2), boundary(3, WAIT_B), ResultItem([LazyItem(4)])))
    assert names(assembler.feed(broken(2))) == ["error b:0"]
    before = assembler.document()
    two_values = [ResultItem([], Json.of(1)), ResultItem([], Json.of(2))]
    assert assembler.feed(model(3, *two_values)) == []
    assert assembler.feed(broken(4)) == []
    assert assembler.document() == before
    assembler.finish()


# ---------------------------------------------------------------------------------- the end


def test_a_stream_that_ends_while_a_visible_boundary_waits_is_truncated() -> None:
    assembler = start(ResultItem([BoundaryItem([boundary(1, WAIT_A)])]))
    with pytest.raises(StreamError, match=r"boundary b:0\.0 was pending") as caught:
        assembler.finish()
    assert caught.value.code == "flight-truncated"


def test_rows_owed_to_what_was_dropped_are_not_missed() -> None:
    assembler = start(ResultItem([boundary(1, boundary(2, WAIT_B)), boundary(3, WAIT_A)]))
    assembler.feed(model(1, A))
    assembler.feed(model(3, LazyItem(4), LazyItem(5)))
    assembler.feed(broken(4))
    assembler.finish()


def test_a_row_that_comes_twice_is_refused() -> None:
    assembler = start(ResultItem([]))
    with pytest.raises(ContractError, match="row 0 came twice"):
        assembler.feed(model(ROOT_ROW))


# ---------------------------------------------------------------------------------- the root


def async_root() -> Assembler:
    assembler = Assembler()
    assembler.feed(model(ROOT_ROW, LazyItem(1)))
    assembler.feed(model(1, LazyItem(2)))
    assembler.feed(model(2, ResultItem([TEXT, boundary(3, WAIT_A)], None, Json.of("m"))))
    return assembler


def test_a_root_that_comes_through_a_chain_of_rows_is_the_root() -> None:
    assembler = async_root()
    document = assembler.document()
    assert document.root == ResultNode.of([TEXT, WAIT_A], Json.of("m"))
    assert names(assembler.feed(model(3, A))) == ["replace b:1"]


@pytest.mark.parametrize("empty", [[], [[]], [[], ()]])
def test_a_root_in_lists_with_nothing_else_is_the_root(empty: list[Item]) -> None:
    root = ResultItem([TEXT, boundary(3, WAIT_A)], None, Json.of("m"))
    assembler = start(empty, [[root], empty])
    assert assembler.document().root == ResultNode.of([TEXT, WAIT_A], Json.of("m"))
    assert names(assembler.feed(model(3, A))) == ["replace b:1"]


def test_a_root_that_is_finished_already_is_the_root() -> None:
    root = ResultNode.of([TEXT, A])
    assert only_document(root).root == root


@pytest.mark.parametrize(
    ("items", "children"),
    [
        ((), ()),
        ((TEXT,), (TEXT,)),
        ((TEXT, A), (TEXT, A)),
        ((BoundaryItem([ResultItem([TEXT])]),), (ResultNode.of([TEXT]),)),
        ((ResultItem([TEXT]), ResultItem([])), (ResultNode.of([TEXT]), ResultNode.of([]))),
    ],
    ids=["nothing", "leaf", "list", "boundary", "results"],
)
def test_a_root_that_is_not_one_result_is_wrapped_in_one(
    items: tuple[Item, ...], children: tuple[DocumentNode, ...]
) -> None:
    assert only_document(*items).root == ResultNode.of(children)


def test_the_wrapper_stays_when_a_boundary_becomes_a_result() -> None:
    assembler = start(boundary(1, WAIT_A))
    assembler.feed(model(1, ResultItem([TEXT])))
    assert assembler.document().root == ResultNode.of([ResultNode.of([TEXT])])


# ---------------------------------------------------------------------------------- merging

KEYS = Json.of({"layout": "root"})


def test_a_layout_dissolves_the_result_of_its_route() -> None:
    route = ResultItem([SHELL], Json.of({"ready": True}), Json.of({"layout": "route"}))
    footer = ContextNode("footer")
    document = only_document(ResultItem([TEXT, route, footer], None, KEYS))
    assert document.root == ResultNode.of([TEXT, SHELL, footer], KEYS)
    assert document.value == Json.of({"ready": True})


@pytest.mark.parametrize(
    ("outer", "inner", "joined"),
    [
        (None, {"from": "route"}, {"from": "route"}),
        ("container", {"from": "route"}, "container"),
        (None, None, None),
        ({"a": 1}, {"b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_metadata_of_a_dissolved_result_join_those_around_it(
    outer: object, inner: object, joined: object
) -> None:
    def frozen(metadata: object) -> Json | None:
        return None if metadata is None else Json.of(metadata)

    route = ResultItem([TEXT], Json.of(1), frozen(inner))
    document = only_document(ResultItem([route], None, frozen(outer)))
    assert document.root == ResultNode.of([TEXT], frozen(joined))


def test_layouts_dissolve_one_into_the_other() -> None:
    route = ResultItem([TEXT], Json.of(1), Json.of({"route": 1, "who": "route"}))
    server = ResultItem([route], None, Json.of({"server": 1, "who": "server"}))
    document = only_document(ResultItem([A, server], None, Json.of({"root": 1})))
    joined = Json.of({"route": 1, "who": "server", "server": 1, "root": 1})
    assert document.root == ResultNode.of([A, TEXT], joined)


def test_two_values_end_it_with_both_places() -> None:
    with pytest.raises(ContractError, match=r"result: root and 0; ") as caught:
        start(ResultItem([ResultItem([TEXT], Json.of("inner"))], Json.of("outer")))
    assert caught.value.code == "ambiguous-value"


def test_a_second_value_that_comes_late_ends_it_too() -> None:
    assembler = start(ResultItem([boundary(1, WAIT_A)], Json.of("outer")))
    with pytest.raises(ContractError, match=r"result: root and 0\.1; ") as caught:
        assembler.feed(model(1, TEXT, ResultItem([TEXT], Json.of("inner"))))
    assert caught.value.code == "ambiguous-value"


def test_results_without_values_stay_nested_and_give_no_value() -> None:
    document = only_document(ResultItem([ResultItem([TEXT])]))
    assert document.root == ResultNode.of([ResultNode.of([TEXT])])
    assert document.value is None


def test_value_and_metadata_come_in_the_snapshot_in_which_the_boundary_settles() -> None:
    assembler = start(ResultItem([TEXT, boundary(1, WAIT_A)], None, Json.of({"a": 1})))
    before = assembler.document()
    assembler.feed(model(1, ResultItem([A], Json.of(None), Json.of({"b": 2}))))
    after = assembler.document()
    assert (before.value, before.root) == (
        None,
        ResultNode.of([TEXT, WAIT_A], Json.of({"a": 1})),
    )
    assert after.value == Json.of(None)
    assert after.root == ResultNode.of([TEXT, A], Json.of({"b": 2, "a": 1}))
    assert after.size == len(after.wire_text())


def test_metadata_that_nothing_projects_are_refused_with_their_path_before_the_shell() -> None:
    nested = ResultItem([ResultItem([TEXT, ResultItem([TEXT], None, Json.of({"a": 1}))])])
    with pytest.raises(
        ContractError,
        match=r'root\.children\[0\]\.children\[0\]\.children\[1\] has \{"a":1\}; give',
    ) as caught:
        start(ResultItem([nested]))
    assert caught.value.code == "invalid-document"


def test_metadata_in_a_fallback_that_goes_are_no_stray() -> None:
    assembler = start(ResultItem([boundary(1, ResultItem([WAIT_A], None, KEYS))]))
    assembler.feed(model(1, A))
    assembler.finish()


def test_metadata_that_a_boundary_brings_are_refused_at_the_end() -> None:
    assembler = start(ResultItem([TEXT, boundary(1, WAIT_A), boundary(2, WAIT_B)], None, KEYS))
    assembler.feed(model(1, ResultItem([A], None, Json.of("x" * 200))))
    assembler.feed(model(2, B))
    with pytest.raises(ContractError, match=r"root\.children\[1\] has \"x{79}; give"):
        assembler.finish()


def test_metadata_may_wait_for_the_value_that_takes_them_up() -> None:
    assembler = start(ResultItem([ResultItem([boundary(1, WAIT_A)], None, KEYS)]))
    assembler.feed(model(1, ResultItem([A], Json.of(1))))
    assembler.finish()
    assert assembler.document().root == ResultNode.of([A], KEYS)


# ---------------------------------------------------------------------------------- sharing


def chunks_of(document: AgentDocument) -> tuple[Chunk, ...]:
    root = document.root
    assert isinstance(root, ResultNode)
    return root._chunks


VALUE = Json.of(1)
SHAPES: dict[str, Callable[[list[Item]], Item]] = {
    "result": ResultItem,
    "valued": lambda items: ResultItem(items, VALUE),
    "layouts": lambda items: ResultItem([TEXT, ResultItem([TEXT, ResultItem(items, VALUE)])]),
    "boundary": lambda items: ResultItem([BoundaryItem(items)]),
    "list": lambda items: items,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_settled_boundary_leaves_all_chunks_but_its_own_alone(shape: str) -> None:
    assembler = start(SHAPES[shape]([boundary(i + 1, WAIT_A) for i in range(200)]))
    before = assembler.document()
    text = before.wire_text()
    assembler.feed(model(100, A))
    after = assembler.document()
    new = [chunk for chunk in chunks_of(after) if chunk not in chunks_of(before)]
    assert sum(len(chunk.nodes) for chunk in new) <= rope.WIDE + 2
    assert before.wire_text() == text
    assert ResultNode.of(children_of(assembler)).wire_text() == after.root.wire_text()


def test_nested_results_that_did_not_change_are_the_same_objects() -> None:
    results = [ResultItem([TEXT, boundary(i, WAIT_A)]) for i in range(1, 4)]
    assembler = start(ResultItem(results))
    before = children_of(assembler)
    assembler.feed(model(2, A))
    after = children_of(assembler)
    assert [mine is theirs for mine, theirs in zip(before, after, strict=True)] == [
        True,
        False,
        True,
    ]


class Counting:
    """Makes chunks, and counts the nodes they hold."""

    def __init__(self) -> None:
        self.nodes = 0

    def __call__(self, nodes: tuple[DocumentNode, ...]) -> Chunk:
        self.nodes += len(nodes)
        return Chunk(nodes)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    for module in (rope, tree, result):
        monkeypatch.setattr(module, "Chunk", made)
    return made


@pytest.mark.parametrize("width", [1, rope.NARROW, rope.NARROW + 1, 60])
@pytest.mark.parametrize("shape", SHAPES)
def test_boundaries_that_settle_one_by_one_cost_the_same_each(
    shape: str, width: int, counting: Counting
) -> None:
    def nodes_copied(count: int) -> int:
        counting.nodes = 0
        assembler = start(SHAPES[shape]([boundary(i + 1, WAIT_A) for i in range(count)]))
        for i in range(count):
            assembler.feed(model(i + 1, *[A] * width))
            assembler.document()
        return counting.nodes

    small, large = nodes_copied(125), nodes_copied(500)
    assert large <= 4.5 * small
    # A segment at most for each change: its own part, and 31 others that are narrow.
    assert large <= 500 * (width + 2 * rope.WIDE * rope.NARROW)
