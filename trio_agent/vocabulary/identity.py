"""Identity: which build made a stream of rows.

It travels in a preface around the stream, never inside it, and is compared before the first row
is read: rows of another protocol revision or of another build of the plugin are refused by name.
The walk over a package's files is done elsewhere; this module only turns their digests into an
epoch.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.errors import ArtifactEpochError, RequestError, abridge
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL_REVISION: Final = "1"
"""Changes whenever rows written before cannot be read any more."""

EPOCH_DIGITS: Final = 32
"""Hexadecimal digits of SHA-256 kept: 128 bits, beyond accident."""


@final
@attrs.frozen
class Identity:
    """What a stream of rows was made by.

    Attributes:
        artifact_epoch: see `artifact_epoch`.
        protocol_revision: of the rows.
    """

    artifact_epoch: str
    protocol_revision: str = PROTOCOL_REVISION

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        for name in ("artifact_epoch", "protocol_revision"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise RequestError(
                    "invalid-invocation",
                    f"{name} is a string that is not blank, received {abridge(value)}",
                )

    def __str__(self) -> str:
        return f"epoch {self.artifact_epoch}, protocol {self.protocol_revision}"

    def check(self, received: Identity) -> None:
        """Compare a stream's identity with this one, before the first row.

        Raises:
            ArtifactEpochError: they differ; it carries both.
        """
        if received != self:
            raise ArtifactEpochError(expected=str(self), received=str(received))

    def to_wire(self) -> dict[str, object]:
        """The wire form, the preface of a stream."""
        return {
            "protocolRevision": self.protocol_revision,
            "artifactEpoch": self.artifact_epoch,
        }

    @classmethod
    def from_wire(cls, wire: object) -> Identity:
        """Read a preface, strictly.

        Raises:
            RequestError: `invalid-invocation`.
        """
        members = cast("dict[str, str]", wire)
        names = {"protocolRevision", "artifactEpoch"}
        if type(wire) is not dict or members.keys() != names:
            raise RequestError(
                "invalid-invocation",
                f"a preface has protocolRevision and artifactEpoch, received {abridge(members)}",
            )
        return cls(members["artifactEpoch"], members["protocolRevision"])


def artifact_epoch(digests: Mapping[str, str], *, version: str) -> str:
    """The epoch of a package: equal sources, equal epoch, wherever the checkout lies.

    Args:
        digests: SHA-256 in hexadecimal by relative path with `/`, `__pycache__` left out.
        version: of trio-agent.

    Returns:
        The first 32 hexadecimal digits of SHA-256 over the sorted pairs, the version and the
        protocol revision.
    """
    total = hashlib.sha256()
    for path in sorted(digests):
        # A NUL cannot occur in a path, so no two lists of pairs run together.  File names may
        # hold any lone surrogate: POSIX smuggles bytes in them, Windows allows them.
        total.update(f"{path}\0{digests[path]}\0".encode("utf-8", "surrogatepass"))
    total.update(f"{version}\0{PROTOCOL_REVISION}".encode())
    return total.hexdigest()[:EPOCH_DIGITS]
