#!/usr/bin/env python3
"""Whether `localizedDescription` of every public error is the sentence of its `description`: the type conforms to `LocalizedError`, in its
declaration or in an extension. Prints the types that were checked.

    lint-errors.py SOURCES
"""

import pathlib
import re
import sys

DECLARATION = re.compile(r"^(.*)\b(?:struct|enum|class|actor) +(\w+) *(?:<[^>]*>)? *:([^{]*)\{", re.M)
EXTENSION = re.compile(r"^(.*)\bextension +([\w.]+) *:([^{]*)\{", re.M)


def conformances(text):
    """What stands after the colon of a declaration: `Error, Sendable where …` gives the names before `where`."""
    return {name.split()[-1].split(".")[-1] for name in re.split(r"\bwhere\b", text)[0].replace("&", ",").split(",") if name.split()}


def main():
    public, localized = {}, set()
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.swift")):
        text = re.sub(r"^ *//.*$", "", path.read_text(), flags=re.M)
        for found in [*DECLARATION.finditer(text), *EXTENSION.finditer(text)]:
            name, names = found.group(2).split(".")[-1], conformances(found.group(3))
            isPublic = re.search(r"\b(public|open)\b", found.group(1)) is not None
            if isPublic and names & {"Error", "LocalizedError"}:
                public.setdefault(name, f"{path}:{1 + text[: found.start()].count(chr(10))}")
            if "LocalizedError" in names:
                localized.add(name)
    if not public:
        sys.exit(f"{sys.argv[1]}: no public error was found")
    missing = sorted(public.keys() - localized)
    if missing:
        sys.exit("\n".join(f"{public[name]}: {name} is a public error: let it conform to LocalizedError" for name in missing))
    print(f"{len(public)} public errors: {', '.join(sorted(public))}")


main()
