"""A plugin that is shipped: built into a wheel, installed, and its source deleted.

The environment that it is installed into is clean but for what it depends on: trio-agent and its
dependencies are those of this process, named in a `.pth` file, so that nothing is downloaded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import venv
from pathlib import Path
from typing import TYPE_CHECKING, final

import attrs

import trio_agent
from tests.surfaces.cli.terminal import PATIENCE_S, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"

        [project]
        name = "polite-greeter"
        version = "1.4.0"
        dependencies = ["trio-agent"]

        [project.scripts]
        greeter = "trio_agent.console:greeter"
        say-politely = "trio_agent.console:polite.phrases"
        lost = "trio_agent.console:no_such_plugin"

        [tool.hatch.build.targets.wheel]
        packages = ["src/greeter", "src/polite"]
        """,
    "src/greeter/plugin.toml": """
        name = "Greeter"
        description = "Greets people."
        """,
    "src/greeter/__main__.py": """
        import sys
        from trio_agent.console import run_plugin

        sys.exit(run_plugin("greeter"))
        """,
    "src/greeter/data/greeting.txt": "Good morning",
    "src/greeter/cli/greet.py": """
        from importlib.resources import files
        from trio_agent import Agent, Node, command

        @command(description="Greet somebody.", aliases=["hi"])
        async def greet(name: str, times: int = 1) -> Node:
            print("printed by a component")
            text = files("greeter").joinpath("data/greeting.txt").read_text(encoding="utf-8")
            lines = [Agent.Markdown(f"{text.strip()}, **{name}**.") for _ in range(times)]
            return Agent.Result(*lines, value={"greeted": name})
        """,
    "src/greeter/cli/judge.py": """
        from trio_agent import command

        @command(description="Say an exit code.", exit_code="result")
        async def judge(code: int) -> dict[str, int]:
            return {"exitCode": code}
        """,
    "src/greeter/cli/show/setting.py": """
        import os
        from trio_agent import command

        AT_IMPORT = os.environ.get("GREETING_TOKEN")

        @command(description="What the environment says.")
        async def setting() -> list[str | None]:
            return [AT_IMPORT, os.environ.get("GREETING_TOKEN")]
        """,
    # Of a namespace package: no file of it says that it is one.
    "src/polite/phrases/cli/thank.py": """
        from trio_agent import command

        @command(description="Thank.")
        async def thank() -> str:
            return "Thank you."
        """,
}


@final
@attrs.frozen
class Installed:
    """An environment with the wheel in it.

    Attributes:
        prefix: its folder.
        elsewhere: a folder that has nothing to do with it, for children to run in.
    """

    prefix: Path
    elsewhere: Path

    @property
    def scripts(self) -> Path:
        """Where its programs are."""
        return self._path("scripts")

    @property
    def packages(self) -> Path:
        """Where its packages are."""
        return self._path("purelib")

    def _path(self, name: str) -> Path:
        base = str(self.prefix)
        return Path(sysconfig.get_path(name, "venv", {"base": base, "platbase": base}))

    def run(
        self, *command: str, settings: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one of its programs to the end."""
        found = shutil.which(command[0], path=str(self.scripts))
        assert found is not None, command[0]
        return subprocess.run(
            [found, *command[1:]],
            cwd=self.elsewhere,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(settings),
            timeout=PATIENCE_S,
            check=False,
        )


def ship(folder: Path, *projects: Path) -> Installed:
    """Build some projects, install them into one environment below *folder*, and delete them."""
    for project in projects:
        _python("hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=project)
    wheels = sorted(folder.glob("*.whl"))
    installed = Installed(folder / "environment", folder / "elsewhere")
    installed.elsewhere.mkdir()
    venv.create(installed.prefix, symlinks=os.name != "nt")
    ours = Path(str(trio_agent.__file__)).parents[1]
    theirs = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    lines = [str(ours), *(f"import site; site.addsitedir({one!r})" for one in sorted(theirs))]
    (installed.packages / "dependencies.pth").write_text("\n".join(lines), encoding="utf-8")
    python = shutil.which("python", path=str(installed.scripts))
    options = ("--no-index", "--no-deps", "--no-compile", "--disable-pip-version-check")
    words = ("--python", str(python), "install", *options, *map(str, wheels))
    _python("pip", *words, cwd=folder)
    for project in projects:
        shutil.rmtree(project)
    for wheel in wheels:
        wheel.unlink()
    return installed


def write_project(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a project; its folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


def _python(module: str, *words: str, cwd: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=cwd,
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
