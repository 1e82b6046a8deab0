"""Every case of the reference has a line in the tables of `test_cases`.

A number is that of a case; those that are missing in between never were cases.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import test_cases, test_situations_mcp

RUNTIME = """
1 2 4 5 7 8 10 11 13 14 16 17 19 20 22 23  25 26 28 29 31 32 34 35 37 38 40 41 43 44 46 47
49 50 52 53 55 56  58 59 61 62 64 65 67 68 70 71 73 74 76 77 79 80 82 83 85 86 88 89 91 92
94 95 97 98 100 101 103 104 106 107 109 110 112 113 115 116  118 119 121 122 124 125
127 128 130 131 133  134 136 137 139 140 142 143 145 146 148 149 151 152 154 155 157 158
"""
SURFACES = """
1 2 4 5 7 8 10 11 13 14 16 17  19 20 22 23 25 26 28 29 31 32 34 35 37 38 40  41 43 44 46
47 49 50 52 53 55 56 58 59  61 62 64 65 67 68 70
71 73 74 76 77 79 80 82 83 85 86 88 89 91 92 94 95 97 98  100 101 103 104
106 107 109 110 112 113 115  164 166 167 169 170 172
"""


@pytest.mark.parametrize(("title", "cases"), [("case  ", RUNTIME), ("surfaces  ", SURFACES)])
def test_every_case_has_a_line_that_says_what_became_of_it(title: str, cases: str) -> None:
    table = str(test_cases.__doc__).split(f"    {title}", 1)[1].split("\n\n", 1)[0]
    told: list[int] = []
    for line in table.splitlines()[1:]:
        # The cases, and behind two blanks at least what became of them.
        found = re.match(r" {4}((?:\d+ )*\d+) {2,}\S", line)
        told += map(int, found.group(1).split()) if found else []
    expected = [int(word) for word in cases.split()]
    assert sorted(set(expected) - set(told)) == []
    assert sorted(set(told) - set(expected)) == []


@pytest.mark.parametrize("told", [test_cases.__doc__, test_situations_mcp.__doc__])
def test_the_modules_that_are_named_are_there(told: str) -> None:
    there = {path.stem for path in Path(__file__).parent.rglob("test_*.py")}
    named = set(re.findall(r"\btest_[a-z_]+", told))
    assert named
    assert named - there == set()
