"""The plugin whose scripts the tests of the command line start."""

import textwrap
from pathlib import Path

SCRIPTS = {
    "say.py": '''
        """Rendered."""
        import sys
        from collections.abc import Sequence
        from trio_agent import Agent, Node, ScriptContext, script

        print("printed while importing")

        @script(description="Say words.", result=list[str])
        async def say(argv: Sequence[str], context: ScriptContext) -> Node:
            print("printed by a component")
            surface = context.axes.terminal.value.host_surface
            kind = context.invocation.kind
            return Agent.Result(Agent.Markdown(f"{kind} on {surface}"), value=[*argv])
        ''',
    "data.py": """
        import os
        from trio_agent import script

        @script()
        def data(argv: list[str]) -> list[str]:
            return [*argv, os.environ.get("SAID", "")]
        """,
    "wordless.py": """
        from trio_agent import script

        @script()
        def wordless() -> None: ...
        """,
    "fails.py": """
        from trio_agent import Agent, Node, Suspense, component, script

        @component
        async def Boom() -> Node:
            raise ValueError("it broke")

        @script()
        async def fails(argv: list[str]) -> Node:
            if argv:
                raise ValueError(argv[0])
            return Agent.Result(Agent.Text("shell"), Suspense(Boom()), value=1)
        """,
    "patient.py": """
        from pathlib import Path
        import trio
        from trio_agent import Agent, Node, Suspense, component, script

        @component
        async def Wait() -> Node:
            try:
                await trio.sleep_forever()
            finally:
                Path("cleaned").touch()

        @script()
        async def patient() -> Node:
            return Suspense(Wait(), fallback=Agent.Progress(message="waiting"))
        """,
    "broken.py": """
        import no_such_module_anywhere
        from trio_agent import script

        @script()
        def broken() -> None: ...
        """,
    "odd.py": """
        from trio_agent import script

        @script(description=7)
        def odd() -> None: ...
        """,
    "nested.py": """
        import signal
        import sys

        import trio

        async def main(argv: list[str]) -> int | None:
            async with trio.open_nursery() as nursery:
                if argv == ["raise"]:
                    nursery.start_soon(fail)
                    return None
                if argv:
                    await trio.sleep(0)
                    signal.raise_signal(signal.SIGINT)
                    await trio.sleep_forever()
            return 3

        async def fail() -> None:
            raise ValueError("late")
        """,
    "main.py": '''
        """Called."""
        import json
        import os
        import sys

        from demo import helper
        from ..helper import told

        def main(argv, terminal):
            if argv[:1] == ["return"]:
                return eval(argv[1])
            if argv[:1] == ["raise"]:
                exec(compile(argv[1], "typed", "exec"))
            if argv[:1] == ["wait"]:
                print("waiting", flush=True)
                import time
                time.sleep(3600)
            print(json.dumps({
                "argv": argv,
                "sys.argv": sys.argv[1:],
                "name": __name__,
                "stdin": sys.stdin.read(),
                "surface": terminal.host_surface,
                "kind": terminal.stdout.kind,
                "said": os.environ.get("SAID"),
                "told": told is helper.told,
            }))
            print("to stderr", file=sys.stderr)

        if __name__ == "__main__":
            sys.exit(main(sys.argv[1:], None))
        ''',
    "argparser.py": """
        import argparse

        def main(options=None):
            parser = argparse.ArgumentParser()
            parser.add_argument("--json", action="store_true")
            print(options, parser.parse_args().json)
        """,
    "whole.py": '''
        """Run from its first line to its last."""
        import json
        import sys

        from demo import helper
        from ..helper import told

        def main():
            print(json.dumps({
                "argv": sys.argv[1:],
                "path": sys.argv[0],
                "name": __name__,
                "module": sys.modules["__main__"].main is main,
                "stdin": sys.stdin.read(),
                "told": told is helper.told,
            }))
            if sys.argv[1:] == ["raise"]:
                raise ValueError("it broke")
            if sys.argv[1:] == ["exit"]:
                sys.exit(5)

        main()
        ''',
    "unimportable.py": "import no_such_module_anywhere\n\ndef main(): ...\n",
    "leaves.py": "raise SystemExit(9)\n\ndef main(): ...\n",
    "vanished.py": "def main(): ...\n\nmain = 'nothing'\n",
    "needy.py": "def main(argv, depth): ...\n",
    "opaque.py": """
        import functools

        def main():
            print("never")

        class Opaque:
            __signature__ = "none"

            def __call__(self):
                print("called without anything")

        main = Opaque()
        """,
    "shell.sh": """\
        #!/bin/bash
        # Say what it was given.
        if [ "$1" = wait ]; then echo waiting; sleep 3600 & wait; fi
        if [ "$1" = pipe ]; then yes | head -n 1; exit "${PIPESTATUS[0]}"; fi
        printf '%s\\0' "$0" "$@" "$(cat)" "$SAID" "$$"
        echo to stderr >&2
        exit 7
        """,
    "soft.sh": 'echo "soft ${BASH_VERSION:+bash} $*"\n',
    "lost.sh": "#!/no/such/interpreter\n",
}
"""By file name; what ends with `.sh` may be executed but for `soft.sh`."""


def demo(folder: Path) -> Path:
    """A plugin of these scripts in a folder, which is returned."""
    (folder / "demo" / "scripts").mkdir(parents=True)
    (folder / "demo" / "helper.py").write_text("told = object()\n", encoding="utf-8")
    for name, text in SCRIPTS.items():
        file = folder / "demo" / "scripts" / name
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        if name.endswith(".sh") and name != "soft.sh":
            file.chmod(0o755)
    return folder
