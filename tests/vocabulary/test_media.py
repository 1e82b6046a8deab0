"""Images, audio and resources: their rules, their wire form and what counts as media."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import base64_texts, resources
from trio_agent.errors import ContractError
from trio_agent.vocabulary.field import Annotations
from trio_agent.vocabulary.media import AudioNode, ImageNode, ResourceNode

NOTES = Annotations(priority=0.5)
LINK = {"uri": "file:///a", "name": "a"}


def refusal(make: Any, **fields: object) -> str:
    with pytest.raises(ContractError) as caught:
        make(**fields)
    assert caught.value.code == "invalid-document"
    return caught.value.message


@pytest.mark.parametrize("make", [ImageNode, AudioNode])
def test_media_writes_its_members_and_absent_ones_not_at_all(make: Any) -> None:
    assert json.loads(make(data="QQ==", mime_type="a/b").wire_text()) == {
        "kind": make.kind,
        "data": "QQ==",
        "mimeType": "a/b",
    }
    full = make(data="QQ==", mime_type=" a/b; c=d", alt="", annotations=NOTES)
    assert list(json.loads(full.wire_text()).items()) == [
        ("kind", make.kind),
        ("data", "QQ=="),
        ("mimeType", " a/b; c=d"),
        ("alt", ""),
        ("annotations", {"priority": 0.5}),
    ]


@pytest.mark.parametrize("make", [ImageNode, AudioNode])
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"data": ""}, "data is a string that is not blank, received ''"),
        ({"data": b"QQ=="}, "data is a string that is not blank, received b'QQ=='"),
        ({"data": "not base64!"}, "data is base64 without line breaks, received 'not base64!'"),
        ({"mime_type": " "}, "mimeType is a string that is not blank, received ' '"),
        ({"mime_type": "png"}, "mimeType is a MIME type such as image/png, received 'png'"),
        ({"alt": 3}, "alt is a string, received 3"),
    ],
)
def test_media_that_breaks_a_rule_is_refused(
    make: Any, fields: dict[str, object], expected: str
) -> None:
    good: dict[str, object] = {"data": "QQ==", "mime_type": "image/png"}

    assert refusal(make, **good | fields) == f"{make.kind} {expected}"


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (ImageNode, {"data": "QQ==", "mime_type": "a/b"}),
        (AudioNode, {"data": "QQ==", "mime_type": "a/b"}),
        (ResourceNode, LINK),
    ],
)
def test_annotations_are_of_their_class(make: Any, fields: dict[str, object]) -> None:
    assert refusal(make, **fields, annotations={}) == (
        "annotations is an instance of Annotations, received {}"
    )


@pytest.mark.parametrize("make", [ImageNode, AudioNode])
def test_base64_counts_as_media_and_not_in_the_size(make: Any) -> None:
    small = make(data="QQ==", mime_type="a/b")
    large = make(data="QUFB" * 100 + "QQ==", mime_type="a/b")

    assert small.size == large.size == len(small.wire_text()) - 4
    assert (small.media, large.media) == (4, 404)
    assert small != large


@given(base64_texts())
def test_a_blob_counts_as_media_and_text_does_not(blob: str) -> None:
    embedded = ResourceNode(uri="u", name="n", blob=blob)

    assert embedded.media == len(blob)
    assert embedded.size == len(embedded.wire_text()) - len(blob)
    assert ResourceNode(uri="u", name="n", text=blob).media == 0


def test_a_resource_writes_its_members_and_absent_ones_not_at_all() -> None:
    assert json.loads(ResourceNode(uri="u", name="n").wire_text()) == {
        "kind": "resource",
        "uri": "u",
        "name": "n",
    }
    full = ResourceNode(
        uri="u",
        name="n",
        mime_type="a/b",
        title="t",
        byte_size=0,
        text="x",
        alt="z",
        annotations=NOTES,
    )
    assert list(json.loads(full.wire_text()).items()) == [
        ("kind", "resource"),
        ("uri", "u"),
        ("name", "n"),
        ("mimeType", "a/b"),
        ("title", "t"),
        ("size", 0),
        ("text", "x"),
        ("alt", "z"),
        ("annotations", {"priority": 0.5}),
    ]


@given(resources())
def test_the_totals_of_a_resource_are_those_of_its_text(resource: ResourceNode) -> None:
    assert resource.size + resource.media == len(resource.wire_text().encode())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"uri": " "}, "resource uri is a string that is not blank, received ' '"),
        ({"name": ""}, "resource name is a string that is not blank, received ''"),
        ({"name": None}, "resource name is a string that is not blank, received None"),
        ({"mime_type": ""}, "resource mimeType is a string that is not blank, received ''"),
        ({"mime_type": "x"}, "resource mimeType is a MIME type such as image/png, received 'x'"),
        ({"title": 1}, "resource title is a string, received 1"),
        ({"text": 1}, "resource text is a string, received 1"),
        ({"alt": 1}, "resource alt is a string, received 1"),
        ({"byte_size": 1.0}, "resource size is a number of bytes, received 1.0"),
        ({"byte_size": True}, "resource size is a number of bytes, received True"),
        ({"byte_size": -1}, "resource size is an integer from 0 to 2**53 - 1, received -1"),
        (
            {"byte_size": 2**53},
            f"resource size is an integer from 0 to 2**53 - 1, received {2**53}",
        ),
        ({"blob": "?"}, "resource blob is base64 without line breaks, received '?'"),
        (
            {"blob": "QQ==", "text": ""},
            "resource content of 'file:///a' is text or blob, received 'both'",
        ),
    ],
)
def test_a_resource_that_breaks_a_rule_is_refused(fields: dict[str, object], expected: str) -> None:
    assert refusal(ResourceNode, **LINK | fields) == expected


@pytest.mark.parametrize(
    "node",
    [
        ImageNode(data="QQ==", mime_type="a/b"),
        AudioNode(data="QQ==", mime_type="a/b"),
        ResourceNode(uri="u", name="n"),
    ],
    ids=lambda node: str(node.kind),
)
@pytest.mark.parametrize("name", ["kind", "data", "media", "size", "uri", "blob", "alt"])
def test_media_is_frozen(node: object, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(node, name, "other")
