import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surfaces.mcp.child import PATIENCE_S
from trio_agent.surfaces.mcp.process.starting import end_on_signals

NUMBERS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def test_a_signal_ends_the_process_with_its_own_code_and_ignored_ones_stay_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = list[int]()
    monkeypatch.setattr(os, "_exit", codes.append)
    before = {number: signal.getsignal(number) for number in NUMBERS}
    try:
        end_on_signals()
        for number in NUMBERS:
            signal.raise_signal(number)
        assert codes == [129, 130, 143]
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        end_on_signals()
        signal.raise_signal(signal.SIGHUP)
        assert codes == [129, 130, 143]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize("words", [["trio_agent.serve"], ["trio_agent", "serve"]])
def test_a_server_that_is_still_loading_its_own_modules_is_ended_without_a_traceback(
    words: list[str], tmp_path: Path
) -> None:
    # Imported after the first module of ours, and before the server listens to signals.
    shadow = tmp_path / "attrs.py"
    shadow.write_text(
        "import os, sys, time; os.write(2, b'loading\\n'); time.sleep(60)", encoding="utf-8"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, "-m", *words, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline() == b"loading\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"")
