"""Importing plugins: their own name, their own modules, clear errors."""

import sys
from types import ModuleType

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.importing import PackageFinder, import_module, unload
from trio_agent.routes.plugin import Plugin, PluginError, find_plugin

GOOD = {"cli/good.py": "NAME = __name__"}


def refusal(plugin: Plugin, name: str) -> PluginError:
    with pytest.raises(PluginError) as caught:
        import_module(plugin, name)
    assert "\n" not in caught.value.message
    return caught.value


OTHERS: list[object] = []
"""Finders of plugins that other tests have left importable."""


@pytest.fixture(autouse=True)
def leave_others_out() -> None:
    OTHERS[:] = sys.meta_path


def finders() -> list[PackageFinder]:
    return [
        finder
        for finder in sys.meta_path
        if isinstance(finder, PackageFinder) and finder not in OTHERS
    ]


def test_a_module_is_called_by_package_and_path(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", GOOD)
    module = import_module(plugin, "curator_t.cli.good")
    assert vars(module)["NAME"] == "curator_t.cli.good"
    assert module.__file__ == str(plugin.root / "cli" / "good.py")


@pytest.mark.parametrize("init", [(), ("__init__.py",), ("__init__.py", "cli/__init__.py")])
@pytest.mark.parametrize(
    "style", ["from curator_t.library import FACT", "from ..library import FACT"]
)
def test_imports_inside_work_with_and_without_init_files(
    workshop: Workshop, init: tuple[str, ...], style: str
) -> None:
    files = {"library/__init__.py": "FACT = 'fact'", "cli/a.py": style}
    plugin = workshop.write("curator_t", {**files, **dict.fromkeys(init, "")})
    assert vars(import_module(plugin, "curator_t.cli.a"))["FACT"] == "fact"


def test_only_the_one_module_and_its_packages_are_imported(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {**GOOD, "cli/bad.py": "1/0", "__init__.py": "SEEN = 1"})
    import_module(plugin, "curator_t.cli.good")
    assert {name for name in sys.modules if name.startswith("curator_t")} == {
        "curator_t",
        "curator_t.cli",
        "curator_t.cli.good",
    }
    assert vars(sys.modules["curator_t"])["SEEN"] == 1


def test_two_plugins_live_in_one_process(workshop: Workshop) -> None:
    one = workshop.write("curator_t", {**GOOD, "json.py": "", "cli/json.py": "import json"})
    two = workshop.write("keeper_t", GOOD)
    assert vars(import_module(one, "curator_t.cli.good"))["NAME"] == "curator_t.cli.good"
    assert vars(import_module(two, "keeper_t.cli.good"))["NAME"] == "keeper_t.cli.good"
    assert vars(import_module(one, "curator_t.cli.json"))["json"] is sys.modules["json"]


def test_the_finder_answers_for_its_own_name_only(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"json.py": ""})
    finder = PackageFinder(plugin)
    assert finder.find_spec("json") is None
    assert PackageFinder(workshop.write("js")).find_spec("json") is None
    assert finder.find_spec("curator_t") is not None
    import_module(plugin, "curator_t.json")
    import_module(plugin, "curator_t.json")
    assert finders() == [finder]


def test_two_folders_of_one_name_are_refused_and_both_are_named(workshop: Workshop) -> None:
    one, two = workshop.write("a/curator_t", GOOD), workshop.write("b/curator_t", GOOD)
    import_module(one, "curator_t.cli.good")
    for _ in range(2):
        message = refusal(two, "curator_t.cli.good").message
        assert str(one.root) in message
        assert str(two.root) in message
        # The name stays taken while nothing of the first plugin is loaded.
        for name in [name for name in sys.modules if name.startswith("curator_t")]:
            del sys.modules[name]


def test_a_module_of_that_name_from_elsewhere_is_refused(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", GOOD)
    taken = ModuleType("curator_t")
    sys.modules["curator_t"] = taken
    try:
        assert "taken by the built-in module curator_t" in refusal(plugin, "curator_t").message
        taken.__file__ = "/opt/curator_t.py"
        assert "taken by /opt/curator_t.py" in refusal(plugin, "curator_t").message
        taken.__path__ = ["/opt/curator_t"]
        assert "taken by /opt/curator_t" in refusal(plugin, "curator_t").message
        unload(plugin)
        assert sys.modules["curator_t"] is taken
    finally:
        del sys.modules["curator_t"]
    assert finders() == []


@pytest.mark.parametrize(
    ("name", "holder"),
    [
        ("json", "json"),
        ("xmlrpc", "a package that the standard library needs"),
        ("attrs", "attrs"),
        # Nobody imports this one: other tests import the SDK.
        ("cattr", "a package that trio-agent needs"),
    ],
)
def test_a_name_that_others_need_is_refused_imported_or_not(
    workshop: Workshop, name: str, holder: str
) -> None:
    plugin = workshop.write(name, GOOD)
    before = sys.modules.get(name)
    message = refusal(plugin, f"{name}.cli.good").message
    assert str(plugin.root) in message
    assert holder in message.partition("taken by")[2]
    assert sys.modules.get(name) is before


def test_a_folder_wins_over_an_installed_package_nobody_has_imported(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.write("installed/curator_t", {"__init__.py": "1/0"})
    monkeypatch.syspath_prepend(workshop.folder / "installed")
    plugin = workshop.write("here/curator_t", GOOD)
    import_module(plugin, "curator_t.cli.good")


def test_a_package_that_was_imported_from_the_same_folder_is_used(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = workshop.folder / "elsewhere" / "curator_t"
    plugin = workshop.write("curator_t", GOOD)
    link.parent.mkdir()
    link.symlink_to(plugin.root)
    monkeypatch.syspath_prepend(workshop.folder)
    installed = find_plugin("curator_t")
    module = import_module(installed, "curator_t.cli.good")
    assert finders() == []
    assert import_module(find_plugin(link), "curator_t.cli.good") is module
    assert import_module(plugin, "curator_t.cli.good") is module


def test_unloading_forgets_everything_and_the_next_import_reads_anew(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"cli/a.py": "VALUE = 1", "other.py": ""})
    keeper = workshop.write("curator_t_keeper", GOOD)
    import_module(keeper, "curator_t_keeper.cli.good")
    old = import_module(plugin, "curator_t.cli.a")
    unload(plugin)
    assert not {name for name in sys.modules if name.split(".")[0] == "curator_t"}
    assert "curator_t_keeper.cli.good" in sys.modules
    assert not [path for path in sys.path_importer_cache if path.startswith(str(plugin.root) + "/")]
    assert [finder.plugin for finder in finders()] == [keeper]
    workshop.write("curator_t", {"cli/a.py": "VALUE = 'new'"})
    new = import_module(plugin, "curator_t.cli.a")
    assert (vars(old)["VALUE"], vars(new)["VALUE"]) == (1, "new")
    unload(plugin)
    unload(plugin)


@pytest.mark.parametrize(
    ("files", "tail"),
    [
        (
            {"cli/a.py": "\nimport missing_thing"},
            "cli/a.py:2: ModuleNotFoundError: No module named",
        ),
        ({"cli/a.py": "x = 1\n1 / 0"}, "cli/a.py:2: ZeroDivisionError: division by zero"),
        ({"cli/a.py": "def f(:\n"}, "cli/a.py:1: SyntaxError: "),
        ({"cli/a.py": "import curator_t.b", "b.py": "\n\nx ="}, "b.py:3: SyntaxError: invalid"),
        ({"cli/a.py": "import curator_t.b", "b.py": "\n[][1]"}, "b.py:2: IndexError: list index"),
        ({"cli/a.py": "\n\neval('1 +')"}, "cli/a.py:3: SyntaxError: invalid syntax"),
        ({"cli/a.py": "raise ValueError('a\\n  b')"}, "cli/a.py:1: ValueError: a b"),
        ({"cli/a.py": "raise ValueError"}, "cli/a.py:1: ValueError"),
        ({"cli/a.py": "import sys\nsys.exit(3)"}, "cli/a.py:2: SystemExit: 3"),
        ({"cli/a.py": "import json\njson.loads('x')"}, "cli/a.py:2: JSONDecodeError: Expecting"),
        ({"__init__.py": "1/0", **GOOD}, "__init__.py:1: ZeroDivisionError"),
    ],
)
def test_what_a_module_raises_becomes_one_line_with_file_and_line(
    workshop: Workshop, files: dict[str, str], tail: str
) -> None:
    plugin = workshop.write("curator_t", files)
    error = refusal(plugin, "curator_t.cli.a")
    assert error.message.startswith(f"cannot import curator_t.cli.a: {plugin.root}/{tail}")
    assert error.__cause__ is not None
    assert "curator_t.cli.a" not in sys.modules


def test_a_module_that_does_not_exist_has_no_line(workshop: Workshop) -> None:
    error = refusal(workshop.write("curator_t"), "curator_t.cli.a")
    assert error.message == (
        "cannot import curator_t.cli.a: ModuleNotFoundError: No module named 'curator_t.cli'"
    )


def test_a_long_message_is_cut(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"a.py": "raise ValueError('x' * 100_000)"})
    message = refusal(plugin, "curator_t.a").message
    assert message.endswith("xxx...")
    assert len(message) < 600


def test_an_interrupt_is_never_an_import_failure(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"a.py": "raise KeyboardInterrupt"})
    with pytest.raises(KeyboardInterrupt):
        import_module(plugin, "curator_t.a")
