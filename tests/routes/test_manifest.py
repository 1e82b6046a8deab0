"""`plugin.toml`: what is read, what is refused and where."""

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.routes.manifest import Manifest, examine_manifest, find_place, read_manifest
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.settings import (
    ClientPolicy,
    CommandSettings,
    ServerSettings,
    WebApp,
    WebSettings,
)


def refusal(workshop: Workshop, text: str) -> str:
    plugin = workshop.write("curator", {"plugin.toml": text})
    with pytest.raises(PluginError) as caught:
        read_manifest(plugin)
    message = caught.value.message
    place = f"{plugin.root}/plugin.toml:"
    assert message.startswith(place)
    assert "\n" not in message
    return message.removeprefix(place)


def read(workshop: Workshop, text: str) -> Manifest:
    return read_manifest(workshop.write("curator", {"plugin.toml": text}))


def test_without_a_file_a_plugin_is_called_like_its_package(workshop: Workshop) -> None:
    plugin = workshop.write("curator")
    assert read_manifest(plugin) == Manifest(name="curator")
    assert examine_manifest(plugin) == (Manifest(name="curator"), ())
    assert find_place(plugin, ("name",)) == (1, 1)


def test_everything_that_a_plugin_can_say_is_read(workshop: Workshop) -> None:
    text = """
        name = "Curator"
        version = "1.4.0"
        description = "Audits."
        targets = ["claude", "codex"]

        [servers.curator]
        mode = "generated"
        args = ["--quiet"]
        env = { LIBRARY = "/srv/books" }
        targets = ["cursor"]

        [servers.relay]
        url = "https://example.org/mcp"
        [servers.relay.headers]
        Authorization = "Bearer x"

        [servers.old-one]
        command = "node"
        cwd = "relay"
        [servers.by_hand]
        entry = "relay/server.py"

        [commands]
        include = ["curator:*", "*"]
        exclude = ["curator:audit_*"]

        [clients.Claude-Code]
        structured = "never"
        image = "text"
        [clients."an other"]
        audio = "refuse"
        resource = "native"

        [errors]
        expose = "code"

        [web]
        open = "browser"
        apps = ["curator/status", { app = "curator/x", tool = "t", input = {a=[1]}, allow = ["call-tool"] }]
        """
    assert read(workshop, text) == Manifest(
        name="Curator",
        version="1.4.0",
        description="Audits.",
        targets=("claude", "codex"),
        servers={
            "curator": ServerSettings(
                name="curator",
                mode="generated",
                args=("--quiet",),
                env={"LIBRARY": "/srv/books"},
                targets=("cursor",),
            ),
            "relay": ServerSettings(
                name="relay",
                url="https://example.org/mcp",
                headers={"Authorization": "Bearer x"},
            ),
            "old-one": ServerSettings(name="old-one", command="node", cwd="relay"),
            "by_hand": ServerSettings(name="by_hand", entry="relay/server.py"),
        },
        commands=CommandSettings(include=("curator:*", "*"), exclude=("curator:audit_*",)),
        clients=(
            ClientPolicy(prefix="claude-code", structured="never", image="text"),
            ClientPolicy(prefix="an other", audio="refuse", resource="native"),
        ),
        expose={"stdio": "code", "http": "code", "cli": "code"},
        web=WebSettings(
            open="browser",
            apps=(
                WebApp(app="curator/status"),
                WebApp(app="curator/x", tool="t", input={"a": [1]}, allow=("call-tool",)),
            ),
        ),
    )


def test_empty_tables_say_nothing(workshop: Workshop) -> None:
    text = "[servers]\n[clients]\n[errors]\n[commands]\n"
    assert read(workshop, text) == Manifest(name="curator", commands=CommandSettings())


@pytest.mark.parametrize(
    ("text", "stdio", "http", "cli"),
    [
        ("", "message", "code", "message"),
        ("errors.expose = 'message'", "message", "message", "message"),
        ("errors.expose = 'code'", "code", "code", "code"),
        ("errors.expose.stdio = 'code'", "code", "code", "message"),
        ("[errors.expose]\nhttp = 'message'\ncli = 'code'", "message", "message", "code"),
    ],
)
def test_what_is_shown_of_an_exception_is_said_surface_by_surface(
    workshop: Workshop, text: str, stdio: str, http: str, cli: str
) -> None:
    manifest = read(workshop, text)
    assert manifest.exposure("stdio") == stdio
    assert manifest.exposure("http") == http
    assert manifest.exposure("cli") == cli


# ------------------------------------------------------------------------------ clients


def test_the_longest_prefix_of_a_client_decides_key_by_key(workshop: Workshop) -> None:
    text = """
        [clients.Claude-Code]
        structured = "never"
        [clients.claude]
        structured = "always"
        image = "text"
        """
    manifest = read(workshop, text)
    every = ClientPolicy(image="native", audio="native", resource="native")
    assert manifest.client_policy(None) == manifest.client_policy("codex") == every
    assert manifest.client_policy("") == manifest.client_policy("a claude") == every
    desktop = ClientPolicy(
        prefix="claude", structured="always", image="text", audio="native", resource="native"
    )
    assert manifest.client_policy("CLAUDE desktop") == desktop
    assert manifest.client_policy("claude-code/2").structured == "never"
    assert manifest.client_policy("claude-code/2").image == "text"


@given(
    prefixes=st.lists(st.sampled_from(["a", "ab", "abc", "b"]), unique=True),
    name=st.sampled_from(["abcd", "ABX", "b", "", "x"]),
)
def test_the_order_of_the_file_does_not_decide(prefixes: list[str], name: str) -> None:
    policies = [ClientPolicy(prefix=one, structured="never") for one in prefixes]
    forward = Manifest(name="x", clients=tuple(policies)).client_policy(name)
    backward = Manifest(name="x", clients=tuple(reversed(policies))).client_policy(name)
    assert forward == backward
    fitting = [one for one in prefixes if name.lower().startswith(one)]
    assert forward.prefix == max(fitting, key=len, default="")


# ------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('name = "x"\nnmae = "y"\n', "2:1"),
        ('\n\n"nmae" = "y"\n', "3:1"),
        ("nmae.x = 1\n", "1:1"),
        ('name = "x"\n  [nmae]\ny = 1\n', "2:4"),
        ("[errors]\n[[nmae]]\ny = 1\n", "2:3"),
        ('# nmae is no key\ndescription = "nmae"\n  nmae=1\n', "3:3"),
        ('"nm\\u0061e" = 1\n', "1:1"),
    ],
)
def test_an_unknown_key_is_refused_with_its_place(
    workshop: Workshop, text: str, place: str
) -> None:
    assert refusal(workshop, text).startswith(
        f"{place}: TA4805 'nmae' is not a key of plugin.toml; there are name, version, "
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1.4\n", "1:11: TA4805 version is a string that is not blank, received 1.4"),
        ("\nname = ' '\n", "2:8: TA4805 name is a string that is not blank, received ' '"),
        ("name = false", "1:8: TA4805 name is a string that is not blank, received False"),
        ("\nerrors = 3\n", "2:10: TA4805 errors is a table, received 3"),
        (
            "name = 'a'\n[servers.a]\nurl = 'http://x'\n[errors]\nshow = 1\n",
            "5:1: TA4805 'show' is not a key of [errors]; there is expose",
        ),
        ("errors.show = 1\n", "1:8: TA4805 'show' is not a key of [errors]; there is expose"),
        ("errors = { show = 1 }", "1:12: TA4805 'show' is not a key of [errors]; there is expose"),
        ("[errors]\n\nexpose = 1\n", "3:10: TA4805 expose is 'message' or 'code', received 1"),
        ("[errors]\nexpose = 'x'", "2:10: TA4805 expose is 'message' or 'code', received 'x'"),
        ("[errors]\nexpose = ['x']", "2:10: TA4805 expose is 'message' or 'code', received ['x']"),
        (
            "[errors]\nexpose = {web = 'code'}",
            "2:11: TA4805 'web' is not a key of [errors.expose]; there are stdio, http, cli",
        ),
        ("errors.expose.cli = 1", "1:21: TA4805 cli is 'message' or 'code', received 1"),
        ("targets = 'claude'", "1:11: TA4825 targets is a list of hosts, received 'claude'"),
        ("targets = []", "1:11: TA4825 targets is a list of at least one host, received []"),
        ("targets = [1]", "1:12: TA4825 targets is a list of hosts, received 1"),
        (
            "targets = ['claude', 'emacs']",
            "1:22: TA4824 'emacs' is no host; there are amp, claude, codex, cursor, portable",
        ),
        ("targets = ['amp', 'amp']", "1:19: TA4824 'amp' is named twice"),
        ("servers = 1", "1:11: TA4805 servers is a table, received 1"),
        ("[servers]\na = 1", "2:5: TA4805 a is a table, received 1"),
        (
            "[servers.'a b']",
            "1:10: TA4803 a server is called by 1 to 64 letters, digits, _ and -, received 'a b'",
        ),
        (
            "[servers.a]\nport = 1",
            (
                "2:1: TA4805 'port' is not a key of [servers.a]; there are mode, entry, command, args,"
                " cwd, url, headers, env, targets"
            ),
        ),
        (
            "[servers.a]\nmode = 'auto'",
            "2:8: TA4804 mode is 'generated', 'custom', 'command' or 'remote', received 'auto'",
        ),
        (
            "[servers.a]\nurl = 'ftp://x'",
            (
                "2:7: TA4805 url is an address that begins with http:// or https://, received"
                " 'ftp://x'"
            ),
        ),
        ("[servers.a]\nargs = 'x'", "2:8: TA4805 args is a list of strings, received 'x'"),
        ("[servers.a]\nargs = ['x', 2]", "2:14: TA4805 args is a list of strings, received 2"),
        ("[servers.a]\nenv = 'x'", "2:7: TA4805 env is a table, received 'x'"),
        ("[servers.a]\nenv = {X = 1}", "2:12: TA4805 X is a string, received 1"),
        ("[servers.a]\ntargets = ['x']", "2:12: TA4824 'x' is no host; there are amp, claude"),
        ("[clients.'']", "1:10: TA4805 a prefix has 1 to 128 characters, received ''"),
        (f"[clients.{'x' * 129}]", "1:10: TA4805 a prefix has 1 to 128 characters, received"),
        (
            "[clients.codex]\n[clients.Codex]",
            "2:10: TA4805 clients.Codex is there already, in other letters",
        ),
        (
            "[clients.codex]\nimages = 1",
            (
                "2:1: TA4805 'images' is not a key of [clients.codex]; there are structured, image,"
                " audio, resource"
            ),
        ),
        (
            "[clients.'a b']\nstructured = false",
            "2:14: TA4805 structured is 'always' or 'never', received False",
        ),
        (
            "[clients.codex]\nimage = 'drop'",
            "2:9: TA4805 image is 'native', 'text' or 'refuse', received 'drop'",
        ),
        ("commands = true", "1:12: TA4805 commands is a table, received True"),
        (
            "[commands]\ninclude = []",
            "2:11: TA4822 include is a list of at least one pattern, received []",
        ),
        (
            "[commands]\ninclude = ['a:b', 'audit']",
            (
                "2:19: TA4805 include is a list of patterns like 'server:tool' or 'server:*', received"
                " 'audit'"
            ),
        ),
        ("[commands]\nall = 1", "2:1: TA4805 'all' is not a key of [commands]; there are include"),
        ("web = 1", "1:7: TA4805 web is a table, received 1"),
        ("[web]", "1:2: TA4341 [web] has apps, a list of at least one 'server/app'"),
        ("[web]\napps = []", "2:8: TA4341 [web] has apps, a list of at least one 'server/app'"),
        ("[web]\napps = [1]", "2:9: TA4341 an app is 'server/app' or a table, received 1"),
        ("[web]\napps = ['x']", "2:9: TA4341 an app is called 'server/app', received 'x'"),
        ("[web]\napps = [{}]", "2:9: TA4341 an app is called 'server/app', received None"),
        (
            "[web]\napps = [{app='a/b', input=1}]",
            "2:27: TA4341 input is an object of JSON, received 1",
        ),
        (
            "[web]\napps = [{app='a/b', input={x=1979-05-27}}]",
            "2:27: TA4341 input is an object of JSON, received {'x': datetime.date",
        ),
        (
            "[web]\napps = [{app='a/b', allow=['x']}]",
            (
                "2:28: TA4341 allow is a list of call-tool, download-file, open-external-link,"
                " request-display-mode, received 'x'"
            ),
        ),
        (
            "[[web.apps]]\napp='a/b'\nx=1",
            "3:1: TA4805 'x' is not a key of [web.apps.0]; there are app, tool, input, allow",
        ),
        (
            "[web]\napps = ['a/b']\nopen = true",
            "3:8: TA4341 open is 'browser' or 'never', received True",
        ),
    ],
)
def test_a_mistake_is_refused_with_its_place(workshop: Workshop, text: str, message: str) -> None:
    assert refusal(workshop, text).startswith(message)


def test_every_mistake_is_found_and_the_rest_is_used(workshop: Workshop) -> None:
    text = 'targets = ["x", "claude"]\nversion = 1\n[clients.a]\nimage = "no"\naudio = "text"\n'
    manifest, complaints = examine_manifest(workshop.write("curator", {"plugin.toml": text}))
    assert [str(one)[:23] for one in complaints] == [
        "plugin.toml:1:12: TA482",
        "plugin.toml:2:11: TA480",
        "plugin.toml:4:9: TA4805",
    ]
    assert manifest == Manifest(
        name="curator", targets=("claude",), clients=(ClientPolicy(prefix="a", audio="text"),)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x"\nversion =\n', "2:10: TA4805 is not TOML: Invalid value"),
        ("a = 1\na = 2", "2:6: TA4805 is not TOML: Cannot overwrite a value"),
        ("\n\n'a", "3:3: TA4805 is not TOML: "),
        ("x = " + "[" * 5000, "1:1: TA4805 is not TOML: "),
    ],
)
def test_a_syntax_error_says_where(workshop: Workshop, text: str, message: str) -> None:
    assert refusal(workshop, text).startswith(message)


def test_a_file_that_is_not_utf_8_is_a_clear_error(workshop: Workshop) -> None:
    plugin = workshop.write("curator")
    (plugin.root / "plugin.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(PluginError, match="cannot be read"):
        read_manifest(plugin)


def test_a_folder_in_the_place_of_the_file_is_a_clear_error(workshop: Workshop) -> None:
    plugin = workshop.write("curator", {"plugin.toml/x": ""})
    with pytest.raises(PluginError, match="cannot be read"):
        read_manifest(plugin)
