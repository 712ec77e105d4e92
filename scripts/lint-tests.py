#!/usr/bin/env python3
"""Whether a test can end as passed without having checked anything: because what it waited for never came, or is not what it unwraps,
a `guard` of it returns in silence. Such a guard records an issue first, or is a `try #require`.

And whether a test waits in a loop around `Task.yield()`, which keeps a core that other tests need. A long computation may give a turn
now and then: `if step.isMultiple(of: 50) { await Task.yield() }`.

    lint-tests.py FOLDER...
"""

import pathlib
import re
import sys

GUARD = re.compile(r"^( *)guard ((?:(?!\bguard\b).)*?) else \{\s*return\s*\}", re.M | re.S)

LOOP = re.compile(r"\b(while|for|repeat)\b")
# The loops of the one helper.
HELPER = pathlib.PurePath("TestSupport/Until.swift")


def spins(text):
    """The numbers of the lines that yield in a loop."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "Task.yield()" not in line or ".isMultiple(of:" in line:
            continue
        indentation = len(line) - len(line.lstrip())
        around = [line.split("Task.yield()")[0]]
        for before in reversed(lines[:number]):
            further_out = len(before) - len(before.lstrip())
            if before.strip() and further_out < indentation:
                indentation = further_out
                around.append(before)
                if re.search(r"\bfunc\b", before):
                    break
        if any(LOOP.search(code.split("//")[0]) for code in around):
            yield number + 1


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
            text = path.read_text()
            if not path.match(str(HELPER)):
                wrong += [
                    f"{path}:{line}: this loop keeps a core: wait for an event, or with `until` of {HELPER}" for line in spins(text)
                ]
            for first, indentation, test in tests(text):
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
