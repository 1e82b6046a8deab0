"""Apps as resources: HTML files that a host shows in a frame of its own.

An app is listed like any resource, with the URI and the MIME type by which hosts know it, and is
read as the file that it is, at the moment of reading.  What happens in the frame, and a tool's
`_meta` that points to it, are the host's and the author's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.names import in_words
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, JsonObject, RpcError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trio_agent.routes.record import RouteRecord


@final
class AppPages:
    """The apps of one server that are HTML.

    Args:
        root: of the plugin.
        apps: of the server.
    """

    def __init__(self, root: Path, apps: Sequence[RouteRecord]) -> None:
        self._root: Final = root
        self._apps: Final = {
            record.uri: record
            for record in apps
            if record.uri is not None and record.path.endswith(".html")
        }

    def __bool__(self) -> bool:
        return bool(self._apps)

    def listed(self) -> list[JsonObject]:
        """Each as `resources/list` has it, by name."""
        return [
            {
                "name": record.name,
                "title": record.title or in_words(record.name),
                "uri": uri,
                "mimeType": record.mime_type,
            }
            for uri, record in self._apps.items()
        ]

    def find(self, uri: str) -> RouteRecord | None:
        """The app with that URI."""
        return self._apps.get(uri)

    async def read(self, record: RouteRecord) -> JsonObject:
        """Answer `resources/read`.

        Raises:
            RpcError: the file cannot be read any more.
        """
        try:
            text = await trio.Path(self._root / record.path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RpcError(INTERNAL_ERROR, f"{record.path} cannot be read") from error
        return {"contents": [{"uri": record.uri, "mimeType": record.mime_type, "text": text}]}
