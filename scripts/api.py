#!/usr/bin/env python3
"""Prints the public API of modules as text, a line for each declaration: api.py FOLDER MODULE..., where FOLDER has their symbol graphs."""

import json
import pathlib
import sys


def declarations(graph: dict) -> list[str]:
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
    lines = []
    for symbol in graph["symbols"]:
        text = "".join(fragment["spelling"] for fragment in symbol.get("declarationFragments", []))
        path = ".".join(symbol["pathComponents"][:-1])
        lines.append(f"{path + ': ' if path else ''}{' '.join(text.split())}")
    for relation in graph["relationships"]:
        if relation["kind"] != "conformsTo" or relation["source"] not in names:
            continue
        target = names.get(relation["target"]) or relation.get("targetFallback")
        # What every type has unless it says otherwise is no news.
        if target and target not in ("Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"):
            lines.append(f"{names[relation['source']]}: conforms to {target}")
    return lines


def main() -> None:
    folder, modules = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for module in modules:
        # A module's own graph, and one for each module that it extends: MODULE@OTHER.
        files = [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]
        lines = {line for file in files for line in declarations(json.loads(file.read_text()))}
        print(f"# {module}\n")
        print("\n".join(sorted(lines)) + "\n")


main()
