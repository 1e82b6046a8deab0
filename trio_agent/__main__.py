"""`python -m trio_agent`, and the command `trio-agent`."""

from __future__ import annotations

import gc
import os
import sys

from trio_agent.beginning import begin_quickly
from trio_agent.surfaces.cli import COMPLETE_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.client.words import RunWish


def main() -> int:
    """Do what the words of the process say; the exit code."""
    return begin_quickly(_begin)


def _begin() -> int:
    if COMPLETE_VARIABLE in os.environ:
        # lazy: only a shell asks for it.
        from trio_agent.surfaces.cli.completion.completing import complete_shell  # noqa: PLC0415

        return complete_shell(sys.argv[1:])
    # lazy: as above; nor does help need the collector.
    from trio_agent.surfaces.cli.help.quick import answer_quickly  # noqa: PLC0415

    code = answer_quickly(sys.argv[1:])
    if code is not None:
        return code
    if sys.argv[1:2] == ["serve"]:
        return _serve(sys.argv[2:])
    if sys.argv[1:2] == ["mcp"]:
        return _call(sys.argv[2:])
    # lazy: the collector has to be off before the imports begin.
    from trio_agent.surfaces.cli.shell import main as answer  # noqa: PLC0415

    return answer(ends_process=True)


def _serve(words: list[str]) -> int:
    # lazy: as above; and what serves is another surface than what runs commands.
    from trio_agent.surfaces.mcp.process.starting import end_on_signals  # noqa: PLC0415

    end_on_signals()
    # lazy: after that.
    from trio_agent.serve import main as serve  # noqa: PLC0415
    from trio_agent.surfaces.mcp.stdio.serving import end_process  # noqa: PLC0415

    gc.enable()
    end_process(serve(words))


def _call(words: list[str]) -> int:
    # lazy: as above; and who calls a server needs none of what runs commands.
    from trio_agent.surfaces.mcp.process.starting import end_on_signals  # noqa: PLC0415

    end_on_signals()
    # lazy: after that.
    from trio_agent.surfaces.mcp.client.run import main as call  # noqa: PLC0415
    from trio_agent.surfaces.mcp.stdio.serving import end_process  # noqa: PLC0415

    gc.enable()
    end_process(call(words, _be_server))


def _be_server(wish: RunWish) -> int:
    # lazy: only `mcp run` serves.
    from trio_agent.context.env_names import ENV_FILE  # noqa: PLC0415
    from trio_agent.serve import serve_stdio  # noqa: PLC0415

    if wish.env_files is not None:
        os.environ[ENV_FILE] = os.pathsep.join(wish.env_files) or "none"
    return serve_stdio(wish.server.plugin, wish.server.server, heartbeat=wish.heartbeat)


if __name__ == "__main__":
    sys.exit(main())
