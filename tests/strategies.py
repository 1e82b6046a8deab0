"""Hypothesis strategies for the values of the vocabulary.

What they draw is valid: every constructor accepts it, and it lies well within the default limits.
Text is any text, control characters and lone surrogates included, with one exception: two
surrogates that make a pair do not stand next to each other, since JSON reads such a pair back as
the one character that it spells.
"""

from __future__ import annotations

import base64
import itertools
import re
from typing import Final

from hypothesis import strategies as st

from trio_agent.vocabulary.document import AgentDocument, Status
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    RenderEvent,
    ReplaceEvent,
    ShellEvent,
)
from trio_agent.vocabulary.field import Annotations, Audience
from trio_agent.vocabulary.identity import Identity
from trio_agent.vocabulary.invocation import INVOCATION_KINDS, Invocation
from trio_agent.vocabulary.json import SAFE_INTEGER, Json, JsonValue
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import Chunk, DocumentNode, ResultNode

_SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_AWKWARD: Final = (
    "a",
    " ",
    "\x00",
    "\x1f",
    "\x7f",
    '"',
    "\\",
    "\u2028",
    "é",
    "\ud800",
    "\udfff",
    "🐍",
)


def texts() -> st.SearchStrategy[str]:
    """Any text, with a liking for what an encoder stumbles over."""
    # Not one alphabet: Hypothesis would merge the two, and draw what is awkward hardly ever.
    awkward = st.text(st.sampled_from(_AWKWARD), max_size=8)
    some = st.text(st.characters(), max_size=12) | awkward
    return some.filter(lambda text: not _SURROGATE_PAIR.search(text))


def names() -> st.SearchStrategy[str]:
    """Text that is not blank."""
    return texts().filter(lambda text: bool(text.strip()))


def json_scalars() -> st.SearchStrategy[JsonValue]:
    """Scalars that JSON has."""
    numbers: st.SearchStrategy[int | float] = st.integers(-SAFE_INTEGER, SAFE_INTEGER) | st.floats(
        allow_nan=False, allow_infinity=False
    )
    return st.none() | st.booleans() | numbers | texts()


def json_values(*, max_leaves: int = 8) -> st.SearchStrategy[JsonValue]:
    """Values that `json.loads` could have given."""
    return st.recursive(
        json_scalars(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3),
        max_leaves=max_leaves,
    )


def jsons() -> st.SearchStrategy[Json]:
    """Frozen JSON."""
    return json_values().map(Json.of)


def optional_jsons() -> st.SearchStrategy[Json | None]:
    """Frozen JSON or none at all, which differs from JSON null."""
    return st.none() | jsons()


def hints() -> st.SearchStrategy[Annotations]:
    """Hints for a host."""
    audience: st.SearchStrategy[list[Audience]] = st.lists(
        st.sampled_from(("user", "assistant")), max_size=2, unique=True
    )
    return st.builds(
        Annotations,
        audience=audience.map(tuple),
        priority=st.none() | st.floats(0, 1) | st.integers(0, 1),
        last_modified=st.none() | names(),
    )


def counts() -> st.SearchStrategy[float]:
    """Finite numbers that are not negative."""
    return st.integers(0, SAFE_INTEGER) | st.floats(0, allow_nan=False, allow_infinity=False)


@st.composite
def progress(draw: st.DrawFn) -> tuple[float, float | None, str | None]:
    """Completed, total and message as the rules want them."""
    completed, total = sorted((draw(counts()), draw(counts())))
    return completed, draw(st.sampled_from((None, total))), draw(st.none() | names())


def base64_texts() -> st.SearchStrategy[str]:
    """Base64 of at least one byte."""
    return st.binary(min_size=1, max_size=12).map(lambda data: base64.b64encode(data).decode())


def mime_types() -> st.SearchStrategy[str]:
    """MIME types with and without parameters."""
    return st.sampled_from(("image/png", "text/plain; charset=utf-8", 'a/b+c;d="é f"'))


@st.composite
def resources(draw: st.DrawFn) -> ResourceNode:
    """Links, and resources that are embedded as text or as a blob."""
    content = draw(st.sampled_from(("none", "text", "blob")))
    return ResourceNode(
        uri=draw(names()),
        name=draw(names()),
        mime_type=draw(st.none() | mime_types()),
        title=draw(st.none() | texts()),
        byte_size=draw(st.none() | st.integers(0, SAFE_INTEGER)),
        text=draw(texts()) if content == "text" else None,
        blob=draw(base64_texts()) if content == "blob" else None,
        alt=draw(st.none() | texts()),
        annotations=draw(st.none() | hints()),
    )


def leaves() -> st.SearchStrategy[LeafNode]:
    """Leaves of every kind."""
    notes = st.none() | hints()
    alt = st.none() | texts()
    return st.one_of(
        st.builds(MarkdownNode, texts(), notes),
        st.builds(TextNode, texts(), notes),
        st.builds(ContextNode, texts(), notes),
        st.builds(JsonNode, jsons(), notes),
        progress().map(lambda fields: ProgressNode(*fields)),
        st.builds(ErrorNode, names(), texts()),
        st.builds(ImageNode, data=base64_texts(), mime_type=mime_types(), alt=alt),
        st.builds(
            AudioNode, data=base64_texts(), mime_type=mime_types(), alt=alt, annotations=notes
        ),
        resources(),
    )


@st.composite
def results(draw: st.DrawFn, children: st.SearchStrategy[DocumentNode]) -> ResultNode:
    """Results, with their children cut into chunks anywhere."""
    flat = ResultNode.of(draw(st.lists(children, max_size=4)), draw(optional_jsons()))
    places = st.integers(0, len(flat.children))
    cuts = [0, *sorted(draw(st.lists(places, max_size=3))), len(flat.children)]
    return ResultNode(
        tuple(Chunk(flat.children[a:b]) for a, b in itertools.pairwise(cuts)),
        flat.metadata,
        size=flat.size,
        media=flat.media,
        errors=flat.errors,
    )


def nodes(*, max_leaves: int = 8) -> st.SearchStrategy[DocumentNode]:
    """Nodes of every kind, nested."""
    return st.recursive(leaves(), results, max_leaves=max_leaves)


@st.composite
def documents(draw: st.DrawFn) -> AgentDocument:
    """Documents of any root, within the default limits."""
    statuses: tuple[Status | None, ...] = (None, "success", "represented-error", "failed")
    return AgentDocument.build(
        draw(nodes()),
        status=draw(st.sampled_from(statuses)),
        value=draw(optional_jsons()),
    )


def sequences() -> st.SearchStrategy[int]:
    """Numbers of events."""
    return st.integers(0, 3) | st.integers(0, SAFE_INTEGER)


def failures() -> st.SearchStrategy[Failure]:
    """What an error event tells."""
    return st.builds(Failure, names(), texts(), optional_jsons())


@st.composite
def progress_events(draw: st.DrawFn) -> ProgressEvent:
    """Progress of the invocation itself and of named sources."""
    completed, total, message = draw(progress())
    source = draw(st.none() | names())
    return ProgressEvent(draw(sequences()), completed, total, message, source)


def error_events() -> st.SearchStrategy[ErrorEvent]:
    """Terminal errors, and errors of boundaries with their document."""
    return st.builds(ErrorEvent, sequences(), failures()) | st.builds(
        ErrorEvent, sequences(), failures(), names(), documents()
    )


def events() -> st.SearchStrategy[RenderEvent]:
    """Events of every type."""
    return st.one_of(
        st.builds(ShellEvent, sequences(), documents()),
        progress_events(),
        st.builds(ReplaceEvent, sequences(), names(), documents()),
        error_events(),
        st.builds(CompleteEvent, sequences(), documents()),
    )


def invocations() -> st.SearchStrategy[Invocation]:
    """Invocations of every kind."""
    maybe = st.none() | names()
    return st.builds(
        Invocation,
        kind=st.sampled_from(INVOCATION_KINDS),
        target=names(),
        props=jsons(),
        id=names(),
        started_at=names(),
        operation_id=maybe,
        surface=maybe,
        artifact_epoch=maybe,
        protocol_revision=maybe,
        source_revision=maybe,
        host_contract_revision=maybe,
    )


def identities() -> st.SearchStrategy[Identity]:
    """Identities of any build."""
    return st.builds(Identity, names(), names())
