"""The ledger: what the document budgets are charged with, where content comes into being.

The renderer charges while it walks, the codec while it reads bytes; the decoder charges nothing.
A finished row that nobody has taken is therefore already paid for.

An *account* belongs to one context: the root, a boundary's content, or its fallback.  Rules:

* content is charged as authored, before merging: what merging removes stays charged;
* a boundary counts with its content once that is finished.  Until then it counts with its
  fallback, or with the content it has so far where that is more: that is held in memory too, and
  it can only grow;
* hidden content counts; a dropped context is given back, with everything nested in it;
* every node counts one byte more, for the comma that may come before it, and the envelope of the
  document is charged beforehand, so a finished document is never larger than its charge.

Breaking a limit raises `LimitError`, which fails the invocation, never a single boundary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent.errors import LimitError

if TYPE_CHECKING:
    from trio_agent.limits import Limits

ENVELOPE_BYTES: Final = len(
    '{"version":1,"status":"represented-error","root":{"kind":"result","children":[]}}'
)


@final
class Account:
    """What one context has come to.  Opened by a `Ledger`.

    Attributes:
        size: bytes so far.  Whoever walks adds to the three numbers directly, then posts.
        nodes: nodes and JSON values so far.
        media: base64 characters so far.
    """

    __slots__ = ("cover", "dropped", "media", "nested", "nodes", "owner", "posted", "size")

    def __init__(self) -> None:
        self.size: int = 0
        self.nodes: int = 0
        self.media: int = 0
        self.posted: tuple[int, int, int] = (0, 0, 0)
        self.dropped: bool = False
        self.nested: list[Account] | None = None
        self.cover: Account | None = None
        self.owner: Account | None = None


@final
class Ledger:
    """The running totals of one invocation.

    Attributes:
        size: bytes of everything that is held, as authored.
        nodes: nodes and JSON values.
        media: base64 characters.
    """

    __slots__ = ("_above", "_deepest", "limits", "media", "nodes", "size")

    def __init__(self, limits: Limits) -> None:
        self.limits: Final = limits
        self._above = 0
        self._deepest = 0
        self.size: int = ENVELOPE_BYTES
        self.nodes: int = 1
        self.media: int = 0

    def open(self, within: Account | None = None) -> Account:
        """An account for a new context, which is given back when *within* is."""
        account = Account()
        if within is not None:
            account.dropped = within.dropped
            if within.nested is None:
                within.nested = []
            within.nested.append(account)
        return account

    def open_fallback(self, content: Account) -> Account:
        """An account for what stands in for *content* until `finish`."""
        cover = Account()
        cover.dropped = content.dropped
        cover.owner = content
        content.cover = cover
        return cover

    def post(self, account: Account) -> None:
        """Take over what was added to an account, and hold the totals against the limits.

        Raises:
            LimitError: bytes, nodes or media, whichever is exceeded.
        """
        if account.owner is not None:
            account = account.owner
        if account.dropped:
            return
        size, nodes, media = account.size, account.nodes, account.media
        cover = account.cover
        if cover is not None:
            size, nodes, media = (
                max(size, cover.size),
                max(nodes, cover.nodes),
                max(media, cover.media),
            )
        old = account.posted
        account.posted = (size, nodes, media)
        self.size += size - old[0]
        self.nodes += nodes - old[1]
        self.media += media - old[2]
        limits = self.limits
        if (
            self.size > limits.max_document_bytes
            or self.nodes > limits.max_document_nodes
            or self.media > limits.max_media_bytes
        ):
            self._refuse()

    def finish(self, content: Account) -> None:
        """The content is complete: its fallback is given back.

        Raises:
            LimitError: as `post`.
        """
        cover = content.cover
        if cover is not None:
            content.cover = None
            self._drop(cover)
        self.post(content)

    def fail(self, content: Account, error_size: int) -> None:
        """A context failed: it is given back, and an error node of *error_size* stands there.

        Raises:
            LimitError: as `post`; an error message can be large.
        """
        for nested in content.nested or ():
            self._drop(nested)
        content.nested = None
        if content.owner is not None and not content.dropped:
            # A fallback that fails, fails what is around it; that goes on showing the failure
            # when the content has come and the fallback is given back.
            self.size += error_size + 1
            self.nodes += 1
        content.size, content.nodes, content.media = error_size + 1, 1, 0
        self.finish(content)
        # Whoever still walks in it adds to an account that is charged no more.
        content.dropped = True

    def check_depth(self, depth: int) -> None:
        """Hold a level of the document against its limit; the root is level 1.

        Raises:
            LimitError: `document-depth-exceeded`.
        """
        depth += self._above
        if depth > self._deepest:
            self._deepest = depth
            if depth > self.limits.max_document_depth:
                raise LimitError(
                    "document-depth-exceeded",
                    f"the document is {depth} levels deep, the limit is"
                    f" {self.limits.max_document_depth}",
                )

    def wrap_root(self) -> None:
        """A result is put around the root: everything stands a level deeper, now and later.

        Raises:
            LimitError: `document-depth-exceeded`.
        """
        deepest, self._above = self._deepest, 1
        self.check_depth(deepest)

    def _drop(self, account: Account) -> None:
        stack = [account]
        while stack:
            one = stack.pop()
            size, nodes, media = one.posted
            self.size -= size
            self.nodes -= nodes
            self.media -= media
            one.posted = (0, 0, 0)
            one.dropped = True
            if one.nested is not None:
                stack += one.nested
                one.nested = None
            if one.cover is not None:
                stack.append(one.cover)

    def _refuse(self) -> None:
        limits = self.limits
        if self.size > limits.max_document_bytes:
            raise LimitError(
                "document-bytes-exceeded",
                f"the document as authored has {self.size} bytes, the limit is"
                f" {limits.max_document_bytes}",
            )
        if self.nodes > limits.max_document_nodes:
            raise LimitError(
                "document-node-count-exceeded",
                f"the document as authored has {self.nodes} nodes and JSON values, the limit is"
                f" {limits.max_document_nodes}",
            )
        raise LimitError(
            "media-bytes-exceeded",
            f"the document has {self.media} base64 characters, the limit is"
            f" {limits.max_media_bytes}",
        )
