"""A form as a dialogue: lines to show, a prompt, and what the typed lines come to.  Pure.

    copies [1]:                 a text or a number; Enter takes what is in brackets
    paper                       one choice: the word itself, or its number
      1  matt
      2  gloss
    paper (1-2) [matt]:
    glossy [y/n]:               a boolean
    tags (1-3, commas):         several choices

A form without fields asks for yes or no: no declines.  Otherwise a lone `!` declines, and the end
of the input cancels, at any prompt.  What may be left out is left out by Enter.  A line that does
not fit says what was expected, and the same field is asked again, so a dialogue that ends with
`accept` has a content that fits its form.  What only the component knows of, a date or a pattern,
is tried when all is filled in, and the fields that it refuses are asked again.

Not here: terminals, encodings, and who asks.  Above: `asking`.  Below: `context.form_schema`,
which knows what a form may hold.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

from trio_agent.context.form_schema import SchemaForm
from trio_agent.protocol.schema.issues import SchemaError, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trio_agent.protocol.schema.issues import SchemaIssue

Members: TypeAlias = "dict[str, object]"

DECLINE: Final = "!"
"""Typed alone; `\\!` is an exclamation mark."""

_YES: Final = frozenset({"y", "yes", "true"})
_NO: Final = frozenset({"n", "no", "false"})
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,400}")
_NUMBER: Final = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


class _RefusedError(Exception):
    """Private: what was typed does not fit; carries the sentence to `feed`."""


@final
class FormDialogue:
    """One form, asked field by field.

    Args:
        message: what is asked, above the form.
        schema: of a form, as `context.form.make_form` allows it.
        read: what the content will be read with; raises `SchemaError` if it does not fit.

    Attributes:
        answer: what MCP calls the result of `elicitation/create`; None until it is known.
    """

    def __init__(
        self,
        message: str,
        schema: Mapping[str, object],
        read: Callable[[Members], object] | None = None,
    ) -> None:
        form = SchemaForm.of(dict(schema))
        self._message: Final = message
        self._form: Final = form
        self._try: Final = form.read if read is None else read
        self._members: Final = cast("dict[str, Members]", schema["properties"])
        self._left: Final = [*form.fields]
        self._content: Final[Members] = {}
        self._refused: Final[dict[str, str]] = {}
        self.answer: Members | None = None

    @property
    def opening(self) -> Sequence[str]:
        """The lines before the first prompt."""
        if not self._left:
            return (self._message,)
        return (self._message, f"({DECLINE} declines, Ctrl-D cancels)", *self._about_field())

    @property
    def prompt(self) -> str:
        """What stands before the cursor; only while there is no answer."""
        if not self._left:
            return "[y/n]: "
        name = self._left[0]
        member = self._members[name]
        hint = _hint(member)
        default = member.get("default")
        shows = not _is_flag(member) and default not in (None, "", [])
        kept = f" [{_spelled(member, default)}]" if shows else ""
        return f"{_label(name, member)}{hint}{kept}: "

    def feed(self, line: str | None) -> Sequence[str]:
        """Take a line, without its end; None is the end of the input.

        Returns:
            What to show before the next prompt.
        """
        if line is None:
            self.answer = {"action": "cancel"}
        elif not self._form.fields:
            return self._confirm(line.strip().lower())
        elif line.strip() == DECLINE:
            self.answer = {"action": "decline"}
        else:
            return self._take(line)
        return ()

    def _confirm(self, word: str) -> Sequence[str]:
        if word in _YES:
            self.answer = {"action": "accept", "content": {}}
        elif word in _NO or word == DECLINE:
            self.answer = {"action": "decline"}
        else:
            return (f"expected y or n, received {show(word) if word else 'nothing'}",)
        return ()

    def _take(self, line: str) -> Sequence[str]:
        name = self._left[0]
        try:
            self._fill(name, line)
        except _RefusedError as refused:
            return (str(refused),)
        self._left.pop(0)
        return self._about_field() if self._left else self._close()

    def _fill(self, name: str, line: str) -> None:
        member = self._members[name]
        if line.strip():
            self._content[name] = self._read(name, line)
        elif "default" in member:
            self._content[name] = member["default"]
        elif name in self._form.required:
            raise _RefusedError(f"expected {self._form.fields[name].expected}, received nothing")
        else:
            # It is asked a second time, and left out now.
            self._content.pop(name, None)

    def _close(self) -> Sequence[str]:
        """All is filled in: accept it, or begin again with what is refused."""
        try:
            self._try(dict(self._content))
        except SchemaError as error:
            return self._begin_again(error.issues)
        self.answer = {"action": "accept", "content": self._content}
        return ()

    def _begin_again(self, issues: Sequence[SchemaIssue]) -> Sequence[str]:
        said: list[str] = []
        for issue in issues:
            # An issue of a `SchemaForm` counts its steps from the answer, not from the content.
            name, *_ = (*issue.steps[issue.place == "answer" :], None)
            sentence = f"expected {issue.expected}, received {issue.shown}"
            if name in self._members:
                self._refused[name] = f"{_label(name, self._members[name])}: {sentence}"
            else:
                said.append(sentence)
        # What is wrong with the whole may be mended anywhere.
        self._left.extend(name for name in self._members if said or name in self._refused)
        return [*said, *self._about_field()]

    def _read(self, name: str, line: str) -> object:
        field, member = self._form.fields[name], self._members[name]
        typed = line.strip()
        typed = typed[1:] if typed == f"\\{DECLINE}" else typed
        value = _VALUES[str(member["type"])](member, typed)
        if not field.accepts(value):
            raise _RefusedError(f"expected {field.expected}, received {show(value)}")
        return value

    def _about_field(self) -> Sequence[str]:
        """What is shown above the prompt of a field."""
        name = self._left[0]
        member = self._members[name]
        said = member.get("description")
        lines = [f"{_label(name, member)}: {said}"] if isinstance(said, str) else []
        if name in self._refused:
            lines.append(self._refused.pop(name))
        choices = _choices(member)
        width = len(str(len(choices)))
        return [
            *lines,
            *(f"  {index:>{width}}  {title}" for index, (_, title) in enumerate(choices, 1)),
        ]


# ------------------------------------------------------------------------------ fields


def _label(name: str, member: Members) -> str:
    title = member.get("title")
    return title if isinstance(title, str) else name


def _is_flag(member: Members) -> bool:
    return member["type"] == "boolean"


def _hint(member: Members) -> str:
    if _is_flag(member):
        # The capital is what Enter takes.
        return {True: " [Y/n]", False: " [y/N]"}.get(cast("bool", member.get("default")), " [y/n]")
    choices = _choices(member)
    if not choices:
        return f" ({member['format']})" if "format" in member else ""
    return f" (1-{len(choices)}, commas)" if member["type"] == "array" else f" (1-{len(choices)})"


def _spelled(member: Members, default: object) -> str:
    """A default as somebody would type it."""
    if isinstance(default, list):
        return ", ".join(_spelled(member, one) for one in cast("list[object]", default))
    if isinstance(default, str):
        return dict(_choices(member)).get(default, default)
    return show(default)


def _choices(member: Members) -> Sequence[tuple[str, str]]:
    """Each choice and what it is called."""
    source = cast("Members", member["items"]) if member["type"] == "array" else member
    options = cast("list[Members]", source.get("oneOf") or source.get("anyOf") or [])
    if options:
        return [(str(one["const"]), str(one["title"])) for one in options]
    values = cast("list[str]", source.get("enum") or [])
    titles = cast("list[str]", source.get("enumNames") or values)
    return list(zip(values, titles if len(titles) == len(values) else values, strict=True))


def _text(member: Members, typed: str) -> object:
    choices = _choices(member)
    return _chosen(choices, typed) if choices else typed


def _several(member: Members, typed: str) -> object:
    choices = _choices(member)
    words = [word.strip() for word in typed.split(",")]
    # Nobody chooses a thing twice.
    return list(dict.fromkeys(_chosen(choices, word) for word in words if word))


def _chosen(choices: Sequence[tuple[str, str]], typed: str) -> str:
    """The choice of that value, of that title, or of that number; the first rule that applies."""
    for value, _ in choices:
        if typed == value:
            return value
    folded = typed.casefold()
    for value, title in choices:
        if folded in {value.casefold(), title.casefold()}:
            return value
    if _INTEGER.fullmatch(typed) and 1 <= int(typed) <= len(choices):
        return choices[int(typed) - 1][0]
    return typed


def _number(_member: Members, typed: str) -> object:
    if _INTEGER.fullmatch(typed):
        return int(typed)
    if _NUMBER.fullmatch(typed) and math.isfinite(number := float(typed)):
        return number
    return typed


def _flag(_member: Members, typed: str) -> object:
    word = typed.lower()
    if word in _YES:
        return True
    return False if word in _NO else typed


_VALUES: Final = {
    "string": _text,
    "number": _number,
    "integer": _number,
    "boolean": _flag,
    "array": _several,
}
