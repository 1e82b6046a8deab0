"""Identities: what a stream was made by, and the epoch of a package."""

from __future__ import annotations

import string
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from tests.strategies import identities, texts
from trio_agent.errors import ArtifactEpochError, RequestError
from trio_agent.vocabulary.identity import (
    EPOCH_DIGITS,
    PROTOCOL_REVISION,
    Identity,
    artifact_epoch,
)

DIGESTS = {"curator/a.py": "00" * 32, "curator/b.py": "ff" * 32}


def refusal(call: Any, *args: object) -> str:
    with pytest.raises(RequestError) as caught:
        call(*args)
    assert caught.value.code == "invalid-invocation"
    return caught.value.message


@given(identities())
def test_an_identity_comes_back_from_its_wire_form(identity: Identity) -> None:
    assert Identity.from_wire(identity.to_wire()) == identity
    assert identity.to_wire() == {
        "protocolRevision": identity.protocol_revision,
        "artifactEpoch": identity.artifact_epoch,
    }


def test_an_identity_is_of_this_protocol_unless_it_says_otherwise() -> None:
    assert Identity("e").protocol_revision == PROTOCOL_REVISION == "1"


@pytest.mark.parametrize("value", ["", " ", None, 3, b"e"], ids=repr)
def test_epoch_and_revision_are_not_blank(value: object) -> None:
    assert refusal(Identity, value) == (
        f"artifact_epoch is a string that is not blank, received {value!r}"
    )
    assert refusal(Identity, "e", value) == (
        f"protocol_revision is a string that is not blank, received {value!r}"
    )


@pytest.mark.parametrize(
    "wire",
    [
        None,
        "e",
        [],
        {},
        {"artifactEpoch": "e"},
        {"artifactEpoch": "e", "protocolRevision": "1", "more": 1},
    ],
    ids=repr,
)
def test_a_preface_has_two_members(wire: object) -> None:
    assert refusal(Identity.from_wire, wire).startswith(
        "a preface has protocolRevision and artifactEpoch, received "
    )


def test_a_preface_of_a_wrong_type_is_refused() -> None:
    assert refusal(Identity.from_wire, {"artifactEpoch": 3, "protocolRevision": "1"}) == (
        "artifact_epoch is a string that is not blank, received 3"
    )


@given(identities(), identities())
def test_only_the_same_identity_passes(ours: Identity, theirs: Identity) -> None:
    ours.check(attrs.evolve(ours))
    if theirs != ours:
        with pytest.raises(ArtifactEpochError) as caught:
            ours.check(theirs)
        assert (caught.value.expected, caught.value.received) == (str(ours), str(theirs))


def test_another_revision_of_the_same_epoch_is_another_identity() -> None:
    with pytest.raises(ArtifactEpochError) as caught:
        Identity("e", "1").check(Identity("e", "2"))

    assert caught.value.message == (
        "the rows are of epoch e, protocol 2, but this runtime reads epoch e, protocol 1"
    )


@pytest.mark.parametrize("name", ["artifact_epoch", "protocol_revision", "new"])
def test_an_identity_is_frozen(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Identity("e"), name, "other")


def test_an_identity_is_a_value() -> None:
    assert len({Identity("e"), Identity("e"), Identity("f"), Identity("e", "2")}) == 3


# ---------------------------------------------------------------- the epoch


def test_an_epoch_has_32_hexadecimal_digits() -> None:
    epoch = artifact_epoch(DIGESTS, version="0.1.0")

    assert len(epoch) == EPOCH_DIGITS == 32
    assert set(epoch) <= set(string.hexdigits.lower())


def test_an_epoch_is_the_same_on_every_machine() -> None:
    # Written down once: whatever changes it makes every stored epoch a lie.
    assert artifact_epoch(DIGESTS, version="0.1.0") == "070f534f214d528310d8bf465d8cf195"


@given(st.dictionaries(texts(), texts()), st.randoms(use_true_random=False))
def test_the_order_of_the_files_does_not_count(digests: dict[str, str], random: Any) -> None:
    shuffled = list(digests.items())
    random.shuffle(shuffled)

    assert artifact_epoch(dict(shuffled), version="1") == artifact_epoch(digests, version="1")


@pytest.mark.parametrize(
    "other",
    [
        {"curator/a.py": "00" * 32},
        {"curator/a.py": "ff" * 32, "curator/b.py": "00" * 32},
        {"curator/a.py": "00" * 32, "curator/c.py": "ff" * 32},
        {"curator/a.py\0": "00" * 32, "curator/b.py": "ff" * 32},
        {},
    ],
    ids=repr,
)
def test_another_file_or_digest_is_another_epoch(other: dict[str, str]) -> None:
    assert artifact_epoch(other, version="0.1.0") != artifact_epoch(DIGESTS, version="0.1.0")


def test_another_version_is_another_epoch() -> None:
    assert artifact_epoch(DIGESTS, version="0.1.1") != artifact_epoch(DIGESTS, version="0.1.0")


@pytest.mark.parametrize("name", [0xDCFF, 0xD800, 0xE9], ids=hex)
def test_a_file_may_have_any_name(name: int) -> None:
    assert len(artifact_epoch({chr(name): "00"}, version="1")) == 32
