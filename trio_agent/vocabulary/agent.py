"""`Agent`: the ten kinds of nodes, as authors write them.

    Agent.Result(..., value=..., metadata=...)      Agent.Markdown("# ", title)
    Agent.Text("Inspected ", n, " files")           Agent.Context("...")
    Agent.Json({...})                               Agent.Progress(3, 10, "hashing")
    Agent.Image(data, "image/png", alt="...")       Agent.Audio(data, "audio/wav")
    Agent.Resource("file:///a", "a")                Agent.Error("E_NOT_FOUND", "...")

Every factory but `Result` returns a finished, checked, frozen node.  Text factories join strings
and numbers; `None` and booleans vanish, as they do among children.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final, Never, TypeAlias, cast, final

from trio_agent.errors import ContractError, abridge
from trio_agent.vocabulary.element import ResultElement, refuse_keywords
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import (
    ContextNode,
    ErrorNode,
    JsonNode,
    MarkdownNode,
    ProgressNode,
    TextNode,
)
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode

if TYPE_CHECKING:
    from trio_agent.vocabulary.element import Node
    from trio_agent.vocabulary.field import Annotations

TextPart: TypeAlias = str | int | float | None

KINDS: Final = (
    "Result",
    "Markdown",
    "Text",
    "Context",
    "Json",
    "Progress",
    "Image",
    "Audio",
    "Resource",
    "Error",
)


@final
class _Unset:
    """The default where None means JSON null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()


def _joined(factory: str, parts: tuple[TextPart, ...]) -> str:
    if len(parts) == 1 and type(parts[0]) is str:
        return parts[0]
    return "".join(
        [
            part
            if type(part) is str
            else str(part)
            if type(part) is int
            else _text_of(factory, part)
            for part in parts
        ]
    )


def _exact(text: str) -> str:
    """The characters of a string enum's member: its own `str()` may be `Color.RED`."""
    return str.__str__(text) if isinstance(cast("object", text), str) else text


def _text_of(factory: str, part: object) -> str:
    if isinstance(part, str):
        return _exact(part)
    if part is None or isinstance(part, bool):
        return ""
    if isinstance(part, (int, float)):
        return str(part)
    raise ContractError(
        "invalid-element",
        f"{factory} takes strings and numbers, received {abridge(part)}",
    )


def _base64(data: str | bytes) -> str:
    return base64.b64encode(data).decode("ascii") if isinstance(data, bytes) else data


@final
class AgentNamespace:
    """The type of `Agent`; there is one instance, and it holds nothing."""

    __slots__ = ()

    @staticmethod
    def Result(  # noqa: N802  # the kind's own name
        *children: Node,
        value: object = UNSET,
        metadata: object = UNSET,
        **unknown: Never,
    ) -> ResultElement:
        """A container, and with *value* the answer of the document.

        Args:
            *children: nodes, components, lists.
            value: JSON, or an instance of the declared result type.
            metadata: any JSON.
            **unknown: refused.

        Raises:
            ContractError: `invalid-document`, a value is not JSON; the path is named.
        """
        if unknown:
            refuse_keywords("Agent.Result", unknown, "value, metadata")
        return ResultElement(
            children,
            None if value is UNSET else Json.of(value, "value"),
            None if metadata is UNSET else Json.of(metadata, "metadata"),
        )

    @staticmethod
    def Markdown(  # noqa: N802  # the kind's own name
        *parts: TextPart, annotations: Annotations | None = None, **unknown: Never
    ) -> MarkdownNode:
        """GitHub-flavoured Markdown of these parts, joined."""
        if unknown:
            refuse_keywords("Agent.Markdown", unknown, "annotations")
        return MarkdownNode(_joined("Agent.Markdown", parts), annotations)

    @staticmethod
    def Text(  # noqa: N802  # the kind's own name
        *parts: TextPart, annotations: Annotations | None = None, **unknown: Never
    ) -> TextNode:
        """Plain text of these parts, joined."""
        if unknown:
            refuse_keywords("Agent.Text", unknown, "annotations")
        return TextNode(_joined("Agent.Text", parts), annotations)

    @staticmethod
    def Context(  # noqa: N802  # the kind's own name
        *parts: TextPart, annotations: Annotations | None = None, **unknown: Never
    ) -> ContextNode:
        """Text for the host's slot for extra context."""
        if unknown:
            refuse_keywords("Agent.Context", unknown, "annotations")
        return ContextNode(_joined("Agent.Context", parts), annotations)

    @staticmethod
    def Json(  # noqa: N802  # the kind's own name
        value: object, *, annotations: Annotations | None = None, **unknown: Never
    ) -> JsonNode:
        """JSON, or an attrs instance, or JSON that holds attrs instances.

        Raises:
            ContractError: `invalid-document`, with the path of what is not JSON.
        """
        if unknown:
            refuse_keywords("Agent.Json", unknown, "annotations")
        return JsonNode(Json.of(value, "json"), annotations)

    @staticmethod
    def Progress(  # noqa: N802  # the kind's own name
        completed: float = 0,
        total: float | None = None,
        message: str | None = None,
        **unknown: Never,
    ) -> ProgressNode:
        """How far something is; mostly a fallback."""
        if unknown:
            refuse_keywords("Agent.Progress", unknown, "completed, total, message")
        return ProgressNode(completed, total, message)

    @staticmethod
    def Image(  # noqa: N802  # the kind's own name
        data: str | bytes,
        mime_type: str,
        *,
        alt: str | None = None,
        annotations: Annotations | None = None,
        **unknown: Never,
    ) -> ImageNode:
        """A picture: base64, or bytes, which are encoded."""
        if unknown:
            refuse_keywords("Agent.Image", unknown, "alt, annotations")
        return ImageNode(data=_base64(data), mime_type=mime_type, alt=alt, annotations=annotations)

    @staticmethod
    def Audio(  # noqa: N802  # the kind's own name
        data: str | bytes,
        mime_type: str,
        *,
        alt: str | None = None,
        annotations: Annotations | None = None,
        **unknown: Never,
    ) -> AudioNode:
        """A sound: base64, or bytes, which are encoded."""
        if unknown:
            refuse_keywords("Agent.Audio", unknown, "alt, annotations")
        return AudioNode(data=_base64(data), mime_type=mime_type, alt=alt, annotations=annotations)

    @staticmethod
    def Resource(  # noqa: N802, PLR0913  # the kind's own name; a resource has these fields
        uri: str,
        name: str,
        *,
        mime_type: str | None = None,
        title: str | None = None,
        size: int | None = None,
        text: str | None = None,
        blob: str | bytes | None = None,
        alt: str | None = None,
        annotations: Annotations | None = None,
        **unknown: Never,
    ) -> ResourceNode:
        """A link to a resource, or with *text* or *blob* the resource itself."""
        if unknown:
            refuse_keywords(
                "Agent.Resource",
                unknown,
                "mime_type, title, size, text, blob, alt, annotations",
            )
        return ResourceNode(
            uri=uri,
            name=name,
            mime_type=mime_type,
            title=title,
            byte_size=size,
            text=text,
            blob=None if blob is None else _base64(blob),
            alt=alt,
            annotations=annotations,
        )

    @staticmethod
    def Error(code: str, message: str, **unknown: Never) -> ErrorNode:  # noqa: N802  # the kind's own name
        """A represented error: the way to fail and keep the rest of the document."""
        if unknown:
            refuse_keywords("Agent.Error", unknown, "none")
        return ErrorNode(_exact(code), _exact(message))

    if not TYPE_CHECKING:  # pragma: no branch  # always so when it runs

        def __getattr__(self, name: str) -> Never:
            # Only for names that do not exist; a checker must go on refusing those.
            raise AttributeError(
                f"there is no Agent.{name}: a document has the kinds {', '.join(KINDS)}, no HTML"
            )


Agent: Final = AgentNamespace()
