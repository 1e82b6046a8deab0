"""What a component tells its host, checked on its own line; and where there is no host."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, get_args

import pytest

from trio_agent.context.host import (
    ListChanged,
    ListKind,
    LogLevel,
    LogNotice,
    Notice,
    ResourceUpdated,
    StreamEnd,
)
from trio_agent.context.telling import Telling
from trio_agent.errors import ContractError
from trio_agent.vocabulary.json import Json


def test_everything_that_is_told_is_a_notice() -> None:
    told: list[Notice] = []
    telling = Telling(told.append)
    telling.log("info", {"a": [1]}, "curator")
    telling.resource_updated("file:///x")
    telling.list_changed("tools")
    telling.end_stream()
    assert told == [
        LogNotice("info", Json.of({"a": [1]}), "curator"),
        ResourceUpdated("file:///x"),
        ListChanged("tools"),
        StreamEnd(),
    ]


def test_what_makes_no_sense_is_refused_where_it_is_told() -> None:
    telling = Telling(None)
    wrong: Any = "wrong"
    calls: list[Callable[[], None]] = [
        lambda: telling.log(wrong, "x", None),
        lambda: telling.log("info", object(), None),
        lambda: telling.log("info", "x", " "),
        lambda: telling.resource_updated(" "),
        lambda: telling.list_changed(wrong),
    ]
    for call in calls:
        with pytest.raises(ContractError) as caught:
            call()
        assert caught.value.code == "invalid-document"


def test_without_a_host_its_log_is_ours(caplog: pytest.LogCaptureFixture) -> None:
    telling = Telling(None)
    caplog.set_level(logging.DEBUG, "trio_agent.author")
    for level in get_args(LogLevel):
        telling.log(level, f"at {level}", None)
    telling.log("warning", {"files": 3}, "curator")
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("DEBUG", "at debug"),
        ("INFO", "at info"),
        ("INFO", "at notice"),
        ("WARNING", "at warning"),
        ("ERROR", "at error"),
        ("CRITICAL", "at critical"),
        ("CRITICAL", "at alert"),
        ("CRITICAL", "at emergency"),
        ("WARNING", "curator: {'files': 3}"),
    ]


def test_without_a_host_nobody_else_is_told_anything(caplog: pytest.LogCaptureFixture) -> None:
    telling = Telling(None)
    telling.resource_updated("file:///x")
    for kind in get_args(ListKind):
        telling.list_changed(kind)
    telling.end_stream()
    assert caplog.records == []
