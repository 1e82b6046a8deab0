"""The error tree is the one that is drawn."""

from __future__ import annotations

import re

import pytest

import actors
from actors import errors


def test_the_drawing_shows_every_error() -> None:
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__ or "")
    assert drawn == sorted(error.__name__ for error in errors.ActorError.__subclasses__())


@pytest.mark.parametrize("error", errors.ActorError.__subclasses__())
def test_every_error_is_public(error: type[errors.ActorError]) -> None:
    assert getattr(actors, error.__name__) is error
