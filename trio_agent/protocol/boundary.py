"""Contexts and boundaries: what is shown or hidden as one, and what it still waits for.

A *context* is the root, a boundary's content, or its fallback.  It counts the rows it waits for,
nested boundaries left out, and keeps the first failure it met, for good.  A *boundary* is
`pending` while its content waits, `error` as soon as the content met a failure, else `settled`.
A boundary that is pending and whose fallback waits too holds its surroundings up; a fallback's
failure goes to the surroundings, but only while the content is pending.  These are React's rules.

One difference to React: a failed boundary shows an `error` node and not its fallback, and what a
failed boundary holds never reaches the document, whatever rows come later.

`Context.settle_upwards` is the one place where a change travels outwards.  This module decides
no events: `assembler` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

from trio_agent.errors import ContractError
from trio_agent.protocol.tree import Group, Part
from trio_agent.vocabulary.leaf import ErrorNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.protocol.rows import ErrorRow
    from trio_agent.vocabulary.json import Json
    from trio_agent.vocabulary.result import DocumentNode

BoundaryState: TypeAlias = Literal["pending", "settled", "error"]
Path: TypeAlias = tuple[int | str, ...]


def spell_path(path: Path) -> str:
    """A path as it stands in boundary ids and errors."""
    return ".".join(map(str, path))


@final
class Context:
    """Content that is shown or hidden as one.

    Attributes:
        owner: the boundary it belongs to; None for the root.
        pending: rows and blocking boundaries it waits for.
        error: the first failure it met.
        path: where it stands.
        boundaries: those directly in it, in the order they were met.
        may_carry_value: not within a fallback.
    """

    __slots__ = ("_group", "boundaries", "error", "may_carry_value", "owner", "path", "pending")

    def __init__(self, owner: Boundary | None, path: Path, *, may_carry_value: bool) -> None:
        self.owner: Boundary | None = owner
        self.pending: int = 0
        self.error: ErrorRow | None = None
        self._group: Group | None = None
        self.path: Final = path
        self.boundaries: list[Boundary] | None = None
        self.may_carry_value: Final = may_carry_value

    @property
    def group(self) -> Group:
        """Its nodes; made when it is first filled, since thousands may wait to be."""
        group = self._group
        if group is None:
            group = self._group = Group(self, None, spell_path(self.path) or "root")
        return group

    def check_value(self, value: Json | None, path: Path) -> None:
        """Refuse the value of a result at *path*, if a fallback is around it.

        Raises:
            ContractError: `invalid-element`.
        """
        if value is not None and not self.may_carry_value:
            raise ContractError(
                "invalid-element",
                f"a fallback may not carry a value; the result at {spell_path(path)} has one",
            )

    def add(self, boundary: Boundary) -> None:
        """Note a boundary that stands directly in it."""
        if self.boundaries is None:
            self.boundaries = []
        self.boundaries.append(boundary)

    @property
    def is_dropped(self) -> bool:
        """Whether nothing that it holds can be shown any more."""
        context = self
        while context.error is None:
            owner = context.owner
            if owner is None:
                return False
            if not owner.is_covered and owner.showing is not context:
                return True
            context = owner.surroundings
        return True

    def climbed(self) -> None:
        """The group at the top changed: carry on where this context is shown, if it is."""
        owner = self.owner
        if owner is not None and owner.showing is self:
            owner.place()

    def release(self) -> list[Context]:
        """Let go of everything that is here; the contexts that were nested in it."""
        boundaries, self.boundaries = self.boundaries or (), None
        self.owner = self._group = None
        return [context for boundary in boundaries for context in boundary.release()]

    def settle_upwards(self, dirty: list[Boundary]) -> None:
        """A row landed here: let it, and boundaries around it, settle or fail if they now can.

        Args:
            dirty: boundaries that settled or failed are added to it, inner ones first.
        """
        context = self
        while (boundary := context.owner) is not None:
            if context is boundary.content:
                if boundary.state == "pending":
                    return
                boundary.settle()
                dirty.append(boundary)
                if not boundary.release_surroundings():
                    return
            elif context.error is not None:
                # The surroundings still waited for this fallback, so they had not failed.
                boundary.surroundings.error = context.error
            elif not boundary.release_surroundings():
                return
            context = boundary.surroundings


@final
class Boundary:
    """One Suspense, and what it shows.

    Attributes:
        path: where it stands, derived from rows alone.
        content: what it shows when it is settled.
        surroundings: the context it stands in.
        is_covered: it shows its fallback still.
        told: the state that the outside has last been told; None while it was never visible.
    """

    __slots__ = (
        "_blocking",
        "_cover",
        "_fallback",
        "_group",
        "_index",
        "content",
        "is_covered",
        "path",
        "surroundings",
        "told",
    )

    def __init__(self, surroundings: Context, group: Group, path: Path) -> None:
        self.surroundings: Final = surroundings
        self.path: Final = path
        self.content: Final = Context(self, path, may_carry_value=surroundings.may_carry_value)
        self.is_covered: bool = True
        self.told: BoundaryState | None = None
        self._fallback: Context | None = None
        self._cover: Part | None = None
        self._group = group
        self._index = -1
        self._blocking = False

    @property
    def fallback(self) -> Context:
        """What it shows until it is settled; only a fallback that may change needs one."""
        fallback = self._fallback
        if fallback is None:
            path = (*self.path, "f")
            fallback = self._fallback = Context(self, path, may_carry_value=False)
        return fallback

    @property
    def showing(self) -> Context | None:
        """The context whose nodes stand in the surroundings; None if they cannot change."""
        if self.is_covered:
            return self._fallback
        return None if self.content.error is not None else self.content

    def cover_with(self, nodes: tuple[DocumentNode, ...]) -> None:
        """The fallback is these nodes, in which nothing will change."""
        self._cover = Part.still(nodes)

    @property
    def id(self) -> str:
        """Unique within the invocation: `b:` and the path of authored child indexes."""
        return "b:" + spell_path(self.path)

    @property
    def state(self) -> BoundaryState:
        """What its content has come to."""
        if self.content.error is not None:
            return "error"
        return "pending" if self.content.pending else "settled"

    def settle(self) -> None:
        """Stop showing the fallback: show the content, or the failure, for good."""
        self.is_covered = False
        self.place()

    def attach(self, start: int) -> Part:
        """Take the boundary's place in its group, after *start* nodes; both contexts are filled.

        Returns:
            What it shows there now.
        """
        if self.state != "pending":
            self.settle()
        elif self._fallback is not None and self._fallback.pending:
            self._blocking = True
            self.surroundings.pending += 1
        part = self._shown()
        self._index = self._group.add_live(start, part)
        return part

    def release_surroundings(self) -> bool:
        """Stop holding the surroundings up if there is no reason any more; whether it did."""
        if not self._blocking or (self.state == "pending" and self.fallback.pending):
            return False
        self._blocking = False
        self.surroundings.pending -= 1
        return True

    def place(self) -> None:
        """Put what is shown now into the surroundings, once the boundary has its place there."""
        if self._index >= 0:
            self._group.replace(self._index, self._shown())

    def release(self) -> Iterator[Context]:
        """Let go of the group around it; its contexts, which let go of it."""
        del self._group
        yield self.content
        if self._fallback is not None:
            yield self._fallback

    def _shown(self) -> Part:
        error = self.content.error
        if self.is_covered:
            return self._cover or self.fallback.group.part()
        if error is not None:
            return Part.of(ErrorNode(error.code, error.message))
        return self.content.group.part()
