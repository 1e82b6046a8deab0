"""A whole server in a process of its own: what its client sees."""

from tests.surfaces.mcp.child import notification, request, started


def test_a_server_answers_until_its_input_ends() -> None:
    with started() as child:
        assert child.call("initialize") == {"protocolVersion": "2025-11-25", "capabilities": {}}
        assert child.call("echo", {"a": [1, "é\u2028"]}, "x") == {"a": [1, "é\u2028"]}
        child.write(b"nonsense")
        assert child.read()["error"]["code"] == -32700
        child.write(notification("notifications/tell", {"a": 1}))
        assert child.read() == {
            "jsonrpc": "2.0",
            "method": "notifications/told",
            "params": {"a": 1},
        }
        child.send("nowhere", id_=2)
        assert child.read()["error"] == {
            "code": -32601,
            "message": "Method not found",
            "data": "nowhere",
        }
        assert child.call("ping", id_=3) == {}
        code, left, _ = child.end()

    assert (code, left) == (0, [])


def test_answers_that_are_nearly_finished_are_written_after_the_end_of_the_input() -> None:
    with started() as child:  # BR-32
        child.write(*(request("sleep", {"s": 0.2}, number) for number in range(5)))
        code, left, _ = child.end()

    assert code == 0
    assert sorted(str(message["id"]) for message in left) == list("01234")
