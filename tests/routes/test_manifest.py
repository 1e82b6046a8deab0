"""`plugin.toml`: what is read, what is accepted, what is refused and where."""

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.manifest import Manifest, read_manifest
from trio_agent.routes.plugin import PluginError


def refusal(workshop: Workshop, text: str) -> str:
    plugin = workshop.write("curator", {"plugin.toml": text})
    with pytest.raises(PluginError) as caught:
        read_manifest(plugin)
    message = caught.value.message
    place = f"{plugin.root}/plugin.toml:"
    assert message.startswith(place)
    assert "\n" not in message
    return message.removeprefix(place)


def test_without_a_file_a_plugin_is_called_like_its_package(workshop: Workshop) -> None:
    assert read_manifest(workshop.write("curator")) == Manifest(name="curator")


def test_the_texts_and_the_exposure_are_read(workshop: Workshop) -> None:
    plugin = workshop.write(
        "curator",
        {
            "plugin.toml": """
            name = "Curator"
            version = "1.4.0"
            description = "Audits."
            [errors]
            expose = "code"
            """
        },
    )
    assert read_manifest(plugin) == Manifest(
        name="Curator",
        version="1.4.0",
        description="Audits.",
        expose={"stdio": "code", "http": "code", "cli": "code"},
    )


def test_tables_of_other_surfaces_are_accepted_as_they_are(workshop: Workshop) -> None:
    text = """
        targets = ["claude"]
        [servers.files]
        mode = "remote"
        [commands]
        include = ["*"]
        [clients.claude]
        structured = false
        [web]
        anything = 1
        [errors]
        """
    plugin = workshop.write("curator", {"plugin.toml": text})
    assert read_manifest(plugin) == Manifest(name="curator")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('name = "x"\nnmae = "y"\n', 2),
        ('\n\n"nmae" = "y"\n', 3),
        ("nmae.x = 1\n", 1),
        ('name = "x"\n[nmae]\ny = 1\n', 2),
        ("[errors]\n[[nmae]]\ny = 1\n", 2),
        ('# nmae is no key\ndescription = "nmae"\n  nmae=1\n', 3),
    ],
)
def test_an_unknown_key_is_refused_with_its_line(workshop: Workshop, text: str, line: int) -> None:
    assert refusal(workshop, text).startswith(f"{line}: 'nmae' is not a key of plugin.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1.4\n", "1: version is a string that is not blank, received 1.4"),
        ('\nname = " "\n', "2: name is a string that is not blank, received ' '"),
        ("\nerrors = 3\n", "2: errors is a table, received 3"),
        (
            'name = "a"\n[servers.a]\nshow = 1\n[errors]\nshow = 1\n',
            "5: 'show' is not a key of [errors]; there is expose",
        ),
        ("errors.show = 1\n", "1: 'show' is not a key of [errors]; there is expose"),
        ("errors = { show = 1 }\n", "1: 'show' is not a key of [errors]; there is expose"),
        ("[errors]\n\nexpose = 1\n", "3: expose is 'message' or 'code', received 1"),
        ("[errors]\nexpose = 'all'\n", "2: expose is 'message' or 'code', received 'all'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_line(
    workshop: Workshop, text: str, message: str
) -> None:
    assert refusal(workshop, text) == message


def test_a_key_that_the_search_does_not_find_still_has_a_line(workshop: Workshop) -> None:
    assert refusal(workshop, '"nm\\u0061e" = 1\n').startswith("1: 'nmae' is not a key")


def test_a_syntax_error_says_where(workshop: Workshop) -> None:
    assert "at line 2, column" in refusal(workshop, 'name = "x"\nversion =\n')


def test_absurd_nesting_is_a_clear_error(workshop: Workshop) -> None:
    assert "is not TOML" in refusal(workshop, "targets = " + "[" * 5000)


def test_a_file_that_is_not_utf_8_is_a_clear_error(workshop: Workshop) -> None:
    plugin = workshop.write("curator")
    (plugin.root / "plugin.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(PluginError, match="cannot be read"):
        read_manifest(plugin)


def test_a_folder_in_the_place_of_the_file_is_a_clear_error(workshop: Workshop) -> None:
    plugin = workshop.write("curator", {"plugin.toml/x": ""})
    with pytest.raises(PluginError, match="cannot be read"):
        read_manifest(plugin)
