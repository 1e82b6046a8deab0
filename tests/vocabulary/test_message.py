"""Messages of prompts: what they may hold, and how they are written."""

from typing import Any

import attrs
import pytest
from hypothesis import given

from tests.strategies import leaves
from trio_agent import Agent, Message
from trio_agent.errors import ContractError
from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.wire import node_from_wire


def test_a_message_is_text_or_a_leaf() -> None:
    assert Message("user", "Hello").to_wire() == {"role": "user", "content": "Hello"}
    image = Agent.Image(b"hi", "image/png")
    assert Message("assistant", image).to_wire() == {
        "role": "assistant",
        "content": {"kind": "image", "data": "aGk=", "mimeType": "image/png"},
    }


@given(leaf=leaves())
def test_every_leaf_that_can_be_read_is_written_so_that_it_can_be_read_back(leaf: LeafNode) -> None:
    if not isinstance(leaf, ProgressNode):
        assert node_from_wire(Message("user", leaf).to_wire()["content"]) == leaf


@pytest.mark.parametrize(
    ("role", "content", "message"),
    [
        ("system", "x", "message role is user or assistant, received 'system'"),
        ([], "x", r"message role is user or assistant, received \[\]"),
        ("user", 3, "message content is a string or a leaf that can be read, received 3"),
        ("user", Agent.Progress(), "message content is a string or a leaf that can be read"),
        ("user", Agent.Result(), "message content is a string or a leaf that can be read"),
    ],
)
def test_anything_else_is_refused_where_it_is_made(role: Any, content: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message) as caught:
        Message(role, content)
    assert caught.value.code == "invalid-document"


def test_a_message_is_frozen() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Message("user", "x").role = "assistant"  # type: ignore[misc]  # wrong on purpose
