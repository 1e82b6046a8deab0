"""Starting a script, from its words to the exit code of the process.

A rendered script is run as a command is: the streams are held, and `run` shows its document.
Any other is a program: nothing is held, and it is left alone; see `program`.  Which of the
two it is shows in the plugin's files, so nothing is imported and no stream is touched before.

Above: `shell`.  Below: `words`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from trio_agent.context.terminal import current_size
from trio_agent.surfaces.cli.answering import answer
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.complaint import Complaint
from trio_agent.surfaces.cli.help.overview import PROGRAM
from trio_agent.surfaces.cli.scripts.words import decide_script
from trio_agent.surfaces.cli.streams import STDOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.record import RouteRecord
    from trio_agent.surfaces.cli.scripts.words import ScriptDecision

_COLUMNS: Final = 80


def answer_script(words: Sequence[str], *, ends_process: bool) -> int:
    """Do what the words after `script` mean; the exit code.

    Args:
        words: those words.
        ends_process: nothing else will be done here, so standard output is not given back.

    Raises:
        SystemExit: a program of the author's raised it; likewise what is no `Exception`.
    """
    decision = decide_script(words, current_size(STDOUT, os.environ).columns or _COLUMNS)
    record = decision.script if isinstance(decision, Call) else None
    if isinstance(decision, Call) and record is not None and record.script != "rendered":
        return _start(decision, record, ends_process=ends_process)
    return _say(decision, words, ends_process=ends_process)


def _start(call: Call, record: RouteRecord, *, ends_process: bool) -> int:
    # lazy: whoever starts a rendered script, or asks for help, needs none of it.
    from trio_agent.surfaces.cli.scripts.program import start  # noqa: PLC0415

    done = start(call, record)
    if isinstance(done, Complaint):
        # None of the words is ours, `--json` neither.
        return _say(done, (), ends_process=ends_process)
    return done


def _say(decision: ScriptDecision, words: Sequence[str], *, ends_process: bool) -> int:
    return answer(
        lambda _words, _columns: decision,
        words,
        PROGRAM,
        ends_process=ends_process,
        surface="script",
    )
