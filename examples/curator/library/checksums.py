r"""Checksums of a whole library, in a file that `sha256sum --check` reads.

Reading a library can take hours, so what was read is kept as it comes: in a journal beside the
output, a JSON line for each file, on the disk before the next files are read. Whoever was
interrupted begins where he left off: a file that has its identity, size and time still is not read
again. The output itself appears whole, when all is read; then the journal goes.

    SHA256SUMS           the output: `<digest>  <path>`, by path, in the format of GNU coreutils
    SHA256SUMS.journal   what is known so far; a last line that was cut off is as good as none

Above: whoever serves. Below: hashing, printable, values.

Rules: an output that exists is never replaced; neither of the two is a part of the library; a file
that cannot be read is a problem, and the others are listed all the same.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast, final

import attrs
import trio

from curator.library.hashing import digest_files
from curator.library.printable import from_printable, to_printable
from curator.library.values import FileRecord, LibraryError, Problem, Report, Survey

STRIDE_BYTES: Final = 256 << 20
"""Read between two writes of the journal: about a second of work is done again at the most."""

STRIDE_FILES: Final = 1_000

MAX_PROBLEMS: Final = 40
"""Problems that the result shows; all are counted."""


@final
@attrs.frozen(kw_only=True)
class Checksums:
    """What became of a library.

    Attributes:
        output: where the list is, in printable form.
        files: names in it; hard links are names of their own.
        total_bytes: of those files, each name counted.
        resumed_files: how many of them were known before anything was read.
        problems: the first of those that were met.
        omitted_problems: how many are not shown.
    """

    output: str
    files: int
    total_bytes: int
    resumed_files: int
    problems: tuple[Problem, ...]
    omitted_problems: int


def journal_of(output: Path) -> Path:
    """Where the journal of an output is."""
    return output.with_name(f"{output.name}.journal")


async def check_output(output: Path) -> None:
    """Refuse an output that is there already, or has no directory to be in.

    Raises:
        LibraryError: `output-exists`, `output-unwritable`.
    """
    await trio.to_thread.run_sync(_check_output, output)


async def write_checksums(survey: Survey, output: Path, report: Report) -> Checksums:
    """Read what the journal does not know of `survey`, and write `output`.

    `report` hears bytes, those included that were known before. On cancellation the journal has
    all but the files of the stride that was being read, and there is no output.

    Raises:
        LibraryError: as `check_output`, or one of the two cannot be written.
    """
    journal = journal_of(output)
    files = _without(survey, (output, journal))
    known = await trio.to_thread.run_sync(_read_journal, journal)
    pending = [file for file in files if _key(file) not in known]
    resumed = len(files) - len(pending)
    problems = [*survey.problems]
    total = sum(file.size for file in files)
    done = total - sum(file.size for file in pending)
    report(done, total=total, message="Reading")
    for stride in _strides(pending):
        found = await digest_files(survey.root, stride, _Offset(report, done, total))
        problems += found.problems
        digests = {
            _key(file): found.by_identity[file.identity]
            for file in stride
            if file.identity in found.by_identity
        }
        await trio.to_thread.run_sync(_add_to_journal, journal, digests)
        known |= digests
        done += sum(file.size for file in stride)
    listed = [file for file in files if _key(file) in known]
    lines = [_line(file.path, known[_key(file)]) for file in listed]
    await trio.to_thread.run_sync(_publish, output, lines)
    return Checksums(
        output=to_printable(str(output)),
        files=len(listed),
        total_bytes=sum(file.size for file in listed),
        resumed_files=resumed,
        problems=tuple(problems[:MAX_PROBLEMS]),
        omitted_problems=max(len(problems) - MAX_PROBLEMS, 0),
    )


@final
class _Offset:
    """A report about one stride, told as one about the whole."""

    def __init__(self, report: Report, done: int, total: int) -> None:
        self._report = report
        self._done = done
        self._total = total

    def __call__(
        self,
        completed: float = 0,
        *,
        total: float | None = None,  # noqa: ARG002  # of the stride, of which nobody wants to hear
        message: str | None = None,  # noqa: ARG002  # the same
    ) -> None:
        # A hard link is read once, and counts as often as it has names.
        self._report(min(self._done + completed, self._total), total=self._total, message="Reading")


def _check_output(output: Path) -> None:
    if os.path.lexists(output):
        raise LibraryError("output-exists", f"expected a new file, got {str(output)!r}")
    if not output.parent.is_dir():
        message = f"expected a file in an existing directory, got {str(output)!r}"
        raise LibraryError("output-unwritable", message)


def _without(survey: Survey, own: tuple[Path, ...]) -> list[FileRecord]:
    """The files of a library that are not our own."""
    root = os.path.realpath(from_printable(survey.root))
    names = {os.path.join(os.path.realpath(path.parent), path.name) for path in own}
    return [
        file for file in survey.files if os.path.join(root, from_printable(file.path)) not in names
    ]


def _strides(files: Sequence[FileRecord]) -> Iterator[list[FileRecord]]:
    stride: list[FileRecord] = []
    size = 0
    for file in files:
        stride.append(file)
        size += file.size
        if size >= STRIDE_BYTES or len(stride) == STRIDE_FILES:
            yield stride
            stride, size = [], 0
    if stride:
        yield stride


def _key(file: FileRecord) -> str:
    """What a file was when it was read; all its names share it."""
    return f"{file.identity} {file.size} {file.modified_us}"


def _read_journal(path: Path) -> dict[str, str]:
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unwritable(path, error) from error
    known: dict[str, str] = {}
    # Without its line feed, the last one was cut off.
    for line in lines[:-1]:
        try:
            entry: object = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            members = cast("dict[str, object]", entry)
            known |= {key: value for key, value in members.items() if isinstance(value, str)}
    return known


def _add_to_journal(path: Path, digests: Mapping[str, str]) -> None:
    lines = [json.dumps({key: digest}) for key, digest in digests.items()]
    try:
        with path.open("ab") as file:
            # What a cut-off line left behind must not swallow the first of these.
            file.write("\n".join(["", *lines, ""]).encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(path, error) from error


def _line(path: str, digest: str) -> bytes:
    name = os.fsencode(from_printable(path))
    # As sha256sum writes names that would break its lines.
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")
    mark = b"" if escaped == name else b"\\"
    return mark + digest.encode() + b"  " + escaped + b"\n"


def _publish(output: Path, lines: Sequence[bytes]) -> None:
    """Let the output appear whole, if nothing is there by now, and drop the journal."""
    draft = output.with_name(f"{output.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        try:
            # A link, not a rename: that would replace what somebody has put there meanwhile.
            os.link(draft, output)
        finally:
            draft.unlink()
        journal_of(output).unlink(missing_ok=True)
    except FileExistsError as error:
        raise LibraryError("output-exists", f"expected a new file, got {str(output)!r}") from error
    except OSError as error:
        raise _unwritable(output, error) from error


def _unwritable(path: Path, error: OSError) -> LibraryError:
    why = error.strerror or type(error).__name__
    return LibraryError("output-unwritable", f"{str(path)!r} cannot be used: {why}")
