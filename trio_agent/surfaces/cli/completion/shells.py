"""How shells ask for completions, and how they are answered.

A script that `--completion SHELL` prints calls the program back with `TRIO_AGENT_COMPLETE=SHELL`.
bash gives the line up to the cursor as one word, since it has cut it at each `=` and `:`; zsh and
fish give the words.  The answer is lines: first what the shell should offer of its own (`files`,
`folders` or `none`), then, but not for bash, the beginning of the word that stays, then one
candidate each.

Pure.  Above: `completing`.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trio_agent.surfaces.cli.completion.candidates import Completion
    from trio_agent.surfaces.cli.help.usage import Row

Shell: TypeAlias = Literal["bash", "fish", "zsh"]

SHELLS: Final[tuple[str, ...]] = get_args(Shell)

_LONGEST_TEXT: Final = 60
"""Characters of a description that fit beside a candidate on most terminals."""

_UNSAFE: Final = re.compile(r"([^\w@%+=:,./~-])", re.ASCII)
"""What bash would not take for a part of a word; shlex has the same list."""

_BREAKS: Final = "=:"
"""Characters at which bash begins a new word, of those that our words have."""

_QUOTES: Final = frozenset("\"'")


def split_line(line: str) -> list[str]:
    """The words of a bash line up to the cursor; the last is being typed, and may be empty."""
    if not line or line[-1].isspace():
        return [*_split(line), ""]
    return _split(line)


def _split(line: str) -> list[str]:
    # A quote that is open at the cursor, or a backslash, is about to be closed.
    for ending in ("", "\\", '"', "'"):
        try:
            return shlex.split(line + ending)
        except ValueError:
            continue
    return line.split()


def answer_lines(shell: Shell, completion: Completion, typed: str) -> Iterable[str]:
    """The lines of an answer.

    Args:
        shell: which one asks.
        completion: what was found.
        typed: the last word as the shell has it, quotes included.
    """
    yield completion.place or "none"
    if shell == "bash":
        yield from _for_bash(completion.rows, typed)
        return
    yield completion.prefix
    if shell == "zsh":
        for row in completion.rows:
            yield _escaped(row.term) + (f":{_text(row)}" if row.text else "")
    else:
        for row in completion.rows:
            yield row.term + (f"\t{_text(row)}" if row.text else "")


def _for_bash(rows: Sequence[Row], typed: str) -> Iterable[str]:
    """Candidates as bash wants them: without what stands before its own cut, and escaped."""
    quote = _open_quote(typed)
    plain = "".join(_split(typed if quote is None else typed[:quote]))
    # In a quote bash cuts nothing but at the quote itself.
    cut = len(plain) if quote is not None else max(plain.rfind(sign) for sign in _BREAKS) + 1
    for row in rows:
        term = row.term[cut:]
        yield _UNSAFE.sub(r"\\\1", term) if quote is None else term


def _open_quote(typed: str) -> int | None:
    """Where the quote begins that the cursor is in; None outside of quotes."""
    begin: int | None = None
    is_escaped = False
    for position, sign in enumerate(typed):
        if is_escaped:
            is_escaped = False
        elif sign == "\\" and (begin is None or typed[begin] == '"'):
            is_escaped = True
        elif begin is None:
            begin = position if sign in _QUOTES else None
        elif sign == typed[begin]:
            begin = None
    return begin


def _escaped(term: str) -> str:
    """For `_describe` of zsh, a colon ends the candidate."""
    return term.replace("\\", "\\\\").replace(":", "\\:")


def _text(row: Row) -> str:
    text = " ".join(row.text.split())
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3].rstrip() + "..."


def last_raw_word(line: str) -> str:
    """The word under the cursor as it was typed, quotes included."""
    words = _RAW.findall(line)
    return words[-1] if words and not line[-1:].isspace() else ""


_RAW: Final = re.compile(r"""(?:\\.|"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s\\"'])+\\?""", re.DOTALL)


def completion_script(shell: Shell, program: str) -> str:
    """The script that makes *shell* complete *program*.

    Args:
        shell: which one.
        program: its name, as somebody types it.
    """
    name = re.sub(r"\W", "_", program, flags=re.ASCII)
    quoted = shlex.quote(program)
    text = _SCRIPTS[shell]
    return text.replace("@NAME@", name).replace("@PROGRAM@", quoted)


_BASH: Final = """\
# Completion of @PROGRAM@ in bash: eval "$(@PROGRAM@ --completion bash)"
_complete_@NAME@() {
    local place line
    COMPREPLY=()
    {
        read -r place
        while IFS= read -r line; do COMPREPLY+=("$line"); done
    } < <(TRIO_AGENT_COMPLETE=bash "$1" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    case "$place" in
        files) compopt -o default 2>/dev/null ;;
        folders) compopt -o dirnames 2>/dev/null ;;
    esac
}
complete -o nosort -F _complete_@NAME@ @PROGRAM@ 2>/dev/null ||
    complete -F _complete_@NAME@ @PROGRAM@
"""

_ZSH: Final = """\
#compdef @PROGRAM@
# Completion of @PROGRAM@ in zsh: eval "$(@PROGRAM@ --completion zsh)"
_complete_@NAME@() {
    local -a answer found
    answer=("${(@f)$(TRIO_AGENT_COMPLETE=zsh "${words[1]}" "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    found=("${(@)answer[3,-1]}")
    found=("${(@)found:#}")
    (( $#found )) && _describe -t values value found
    [[ -n "$answer[2]" ]] && compset -P "${(b)answer[2]}"
    case "$answer[1]" in
        files) _files ;;
        folders) _files -/ ;;
    esac
}
if [[ "${funcstack[1]}" = "_complete_@NAME@" ]]; then
    _complete_@NAME@ "$@"
else
    compdef _complete_@NAME@ @PROGRAM@
fi
"""

_FISH: Final = """\
# Completion of @PROGRAM@ in fish: @PROGRAM@ --completion fish | source
function __complete_@NAME@
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l answer (TRIO_AGENT_COMPLETE=fish $words[1] $words[2..-1] "$typed" 2>/dev/null)
    set -l start (string length -- "$answer[2]")
    set -l rest (string sub -s (math $start + 1) -- "$typed")
    switch "$answer[1]"
        case files
            string replace -r '^' -- "$answer[2]" (__fish_complete_path "$rest")
        case folders
            string replace -r '^' -- "$answer[2]" (__fish_complete_directories "$rest")
    end
    printf '%s\\n' $answer[3..-1]
end
complete -c @PROGRAM@ -f -a '(__complete_@NAME@)'
"""

_SCRIPTS: Final[dict[Shell, str]] = {"bash": _BASH, "fish": _FISH, "zsh": _ZSH}
