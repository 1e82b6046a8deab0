"""An HTTP server for tests that start one.

python http_child_server.py HOST:PORT [GRACE_S [two] [token]]
"""

import sys
from pathlib import Path
from typing import cast

import attrs
import trio

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.surfaces.mcp.http_service import Service  # it is a script
from trio_agent.surfaces.mcp.exchange import Exchange  # it is a script
from trio_agent.surfaces.mcp.http.app import HttpSettings  # it is a script
from trio_agent.surfaces.mcp.http.serving import (  # it is a script
    Address,
    AddressError,
    serve_http,
)
from trio_agent.surfaces.mcp.rpc import JsonObject  # it is a script


async def sleep(arguments: JsonObject, exchange: Exchange) -> object:
    sys.stderr.write("asleep\n")
    try:
        await trio.sleep(cast("float", arguments["s"]))
    finally:
        sys.stderr.write("cleaned up\n")
    return "slept"


async def flood(arguments: JsonObject, exchange: Exchange) -> object:
    sys.stderr.write("flooding\n")
    while True:
        params: JsonObject = {"progressToken": 1, "progress": 1, "message": "x" * 100_000}
        await exchange.notify("notifications/progress", params)


@attrs.frozen
class Token:
    client_id: str
    scopes: tuple[str, ...] = ()
    expires_at: int | None = None
    subject: str | None = None
    claims: dict[str, object] | None = None


class OneToken:
    async def verify_token(self, token: str) -> Token | None:
        return Token("app") if token == "good" else None


def main() -> int:
    service = Service(sleep=sleep, flood=flood)
    settings = HttpSettings(grace_s=float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
    try:
        address = Address.read(sys.argv[1])
        verifier = OneToken() if "token" in sys.argv else None
        services = {"one": service, "two": service} if "two" in sys.argv else {"one": service}
        return serve_http(
            services,
            host=address.host,
            port=address.port,
            verifier=verifier,
            settings=settings,
        )
    except AddressError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
