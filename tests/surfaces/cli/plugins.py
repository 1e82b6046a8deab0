"""The plugin that the tests of the command line run."""

from pathlib import Path

import pytest

from tests.surfaces.cli.terminal import write_plugin

COMMANDS = {
    "hello": """
        from trio_agent import command
        print("printed while importing")

        @command(description="Say hello.", aliases=["hi"])
        async def hello(name: str = "world", shout: bool = False) -> str:
            print("printed by a component")
            return f"hello **{name}**"
        """,
    "show": '''
        """Shows everything; waits for the file `go` between its parts."""
        import trio
        from trio_agent import Agent, CommandContext, Node, Suspense, command, component

        @component
        async def Part(name: str, message: str) -> Node:
            while not await trio.Path(name).exists():
                await trio.sleep(0.01)
            if name == "bad":
                raise ValueError(message)
            return Agent.Markdown(f"part **{name}** {message}")

        @component
        async def Work(context: CommandContext) -> Node:
            context.progress.named("hashing").report(3, total=10, message="\\u6f22\\u5b57 \\U0001f389")
            context.progress.report(7, message="found [red]x[/red] \\x1b[2J")
            return Part("go", "worked")

        @command(description="Show.")
        async def show(context: CommandContext, bad: bool = False) -> Node:
            part = Part("bad", "it [b]broke[/b]") if bad else Part("one", "\\u2713")
            return [
                Agent.Markdown("# Title"),
                Suspense(part, fallback=Agent.Progress(message="Inspecting files")),
                Suspense(Work(context), fallback=Agent.Progress(1, total=4, message="Working")),
            ]
        ''',
    "patient": '''
        """Runs until somebody stops it."""
        import time
        import trio
        from pathlib import Path
        from trio_agent import Agent, Node, Suspense, command, component

        @component
        async def Wait(stubborn: bool) -> Node:
            try:
                await trio.sleep_forever()
            finally:
                Path("cleaned").touch()
                with trio.CancelScope(shield=stubborn):
                    await trio.sleep_forever()

        @command(description="Wait.")
        async def patient(stubborn: bool = False) -> Node:
            Path("started").touch()
            return Suspense(Wait(stubborn), fallback=Agent.Progress(message="Waiting"))
        ''',
    "asleep": """
        import trio
        from pathlib import Path
        from trio_agent import command

        @command(description="Work before there is anything to see.")
        async def asleep() -> int:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return 7
        """,
    "broken": """
        from trio_agent import Agent, Node, command

        @command(description="Break.")
        async def broken() -> Node:
            raise ValueError("it \\x1b[31mbroke")
        """,
    "big": """
        from trio_agent import Agent, Node, Suspense, command, component

        @command(description="Write more than a pipe holds.")
        async def big() -> Node:
            return Agent.Text("\\n".join(["line"] * 100_000))
        """,
    "judge": """
        from trio_agent import command

        @command(description="Say an exit code.", exit_code="result")
        async def judge(code: int) -> dict[str, int]:
            return {"exitCode": code}
        """,
    "exact": """
        from trio_agent import command

        @command(description="Say who asks.")
        async def exact(number: int, tags: list[str] = []) -> dict[str, object]:
            return {"number": number, "tags": tags}
        """,
    "child": """
        import subprocess
        import sys
        from trio_agent import command

        @command(description="Start a program that prints.")
        def child() -> str:
            subprocess.run([sys.executable, "-c", "print('from a program')"], check=True)
            return "done"
        """,
    "unimportable": """
        from trio_agent import command
        import no_such_module_anywhere

        @command(description="Never runs.")
        async def unimportable() -> str:
            return ""
        """,
    "gallery": """
        from trio_agent import Agent, Node, command

        PNG = (
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4"
            "z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
        )

        @command(description="Show a picture.")
        async def gallery() -> Node:
            return [
                Agent.Markdown("[here](http://x.example/)"),
                Agent.Image(data=PNG, mime_type="image/png", alt="a dot"),
                Agent.Text("after it"),
            ]
        """,
    "chatty": """
        import trio
        from trio_agent import Agent, Node, Suspense, command, component

        @component
        async def Talk() -> Node:
            for number in range(200):
                print(f"line {number}")
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Text("all said")

        @command(description="Print a lot.")
        async def chatty() -> Node:
            return Suspense(Talk(), fallback=Agent.Progress(message="Talking"))
        """,
    "nested": """
        import trio
        from trio_agent import Agent, Node, Suspense, command, component

        @component
        async def Inner(name: str) -> Node:
            while not await trio.Path("go").exists():
                await trio.sleep(0.01)
            return Agent.Text(name)

        @component
        async def Outer() -> Node:
            while not await trio.Path("one").exists():
                await trio.sleep(0.01)
            return [
                Agent.Text("outer"),
                Suspense(Inner("a"), fallback=Agent.Progress(message="Reading a")),
                Suspense(Inner("b"), fallback=Agent.Progress(1, total=2, message="Reading b")),
            ]

        @command(description="Show what is within.")
        async def nested() -> Node:
            return [
                Suspense(Outer(), fallback=Agent.Progress(message="Opening")),
                Suspense(Inner("c"), fallback=Agent.Progress(message="Beside")),
            ]
        """,
    "hostile": r"""
        from trio_agent import Agent, AgentError, CommandContext, Node, Suspense, command
        from trio_agent import component

        SAID = (
            "[red]x[/red] [/x] :smile: \x1b[2J \x1b]0;t\x07 \x1b]8;;http://x\x07 \x1b]52;c;aGk=\x07 "
            "\x9b2J \x90 \u202e \u2066 a\rb 漢字 🎉 ┏━┓"
        )

        @component
        async def Broken() -> Node:
            raise AgentError("odd", SAID)

        @command(description="Say [red]x[/red] :smile: \x1b[2J \x9b \u202e 漢字 🎉 ┏━┓.")
        async def hostile(context: CommandContext, fail: bool = False) -> Node:
            print(SAID)
            context.progress.report(1, message=SAID)
            if fail:
                raise AgentError("odd", SAID)
            return [
                Agent.Markdown(f"| a | b |\n|-|-|\n| {SAID} | 漢字 |\n\n[x](<http://x/{SAID}>)"),
                Agent.Text(SAID),
                Agent.Json({SAID: SAID}),
                Agent.Image(data="aGk=", mime_type="image/png", alt=SAID),
                Suspense(Broken(), fallback=Agent.Progress(message=SAID)),
            ]
        """,
    "terminal": """
        from trio_agent import CommandContext, command

        @command(description="What is known about the terminal.")
        async def terminal(context: CommandContext) -> dict[str, object]:
            return context.axes.terminal.to_wire()
        """,
    "db/clean_up": """
        from trio_agent import command

        @command(description="Clean up.")
        async def clean_up() -> str:
            return "clean"
        """,
}


def demo(folder: Path) -> Path:
    """Write the plugin `demo` into *folder*; the folder again."""
    write_plugin(folder, COMMANDS)
    return folder


def need_pseudo_terminals() -> None:
    """Skip where there are none."""
    pytest.importorskip("fcntl")
