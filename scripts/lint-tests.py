#!/usr/bin/env python3
"""Whether a test can end as passed without having checked anything: because what it waited for never came, or is not what it unwraps,
a `guard` of it returns in silence. Such a guard records an issue first, or is a `try #require`.

    lint-tests.py FOLDER...
"""

import pathlib
import re
import sys

GUARD = re.compile(r"^( *)guard ((?:(?!\bguard\b).)*?) else \{\s*return\s*\}", re.M | re.S)


def tests(text):
    """The functions with `@Test`: the number of the first line, the indentation, and the text."""
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        found = re.match(r"^( *)@Test\b", lines[index])
        begin = index
        index += 1
        if not found:
            continue
        indentation = found.group(1)
        while index < len(lines) and lines[index] != indentation + "}":
            index += 1
        yield begin + 1, len(indentation), "\n".join(lines[begin:index])


def main():
    wrong = []
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*.swift")):
            for first, indentation, test in tests(path.read_text()):
                for found in GUARD.finditer(test):
                    condition = found.group(2)
                    unwraps = re.match(r"(let|var|case)\b", condition) is not None
                    # A guard that is further in may be one of a closure, which leaves out what is not meant for it.
                    if "await" in condition or unwraps and len(found.group(1)) == indentation + 4:
                        line = first + test[: found.start()].count("\n")
                        wrong.append(f"{path}:{line}: this test can end in silence: record an issue, or use try #require")
    if wrong:
        sys.exit("\n".join(wrong))


main()
