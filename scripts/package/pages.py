#!/usr/bin/env python3
"""Whether the manual and the completions of a package have every command and every flag that the parser knows, and no others.

    pages.py PROGRAM MANUALS BASH ZSH FISH    a folder with the pages, then the files of the three shells
"""

import json
import pathlib
import re
import subprocess
import sys


def commands(command, path=()):
    """Each command's name, as a tuple, and its flags."""
    name = path + (command["commandName"],)
    flags = {
        ("-" if flag["kind"] == "short" else "--") + flag["name"]
        for argument in command.get("arguments", [])
        if argument["shouldDisplay"]
        for flag in argument.get("names", [])
    }
    yield name, flags
    for subcommand in command.get("subcommands", []):
        yield from commands(subcommand, name)


def in_page(folder, name):
    text = (folder / ("-".join(name) + ".1")).read_text()
    lines = re.findall(r"^\.It Fl (.*?)(?: Ar .*)?$", text, re.M)
    return {"-" + flag for line in lines for flag in line.split(" , ")}


def function(text, name):
    """The body of a shell function of this name."""
    found = re.search(r"^_" + "_".join(name) + r"\(\) \{\n(.*?)^\}", text, re.M | re.S)
    return found.group(1) if found else ""


def in_bash(text, name):
    # The first command's list is one of names that are declared, those of the others are taken again.
    lists = re.findall(r"repeating_(?:flags|options)=\((.*?)\)", function(text, name))
    return {flag for flags in lists for flag in flags.split()}


def in_zsh(text, name):
    specs = re.findall(r"^ +'.*$", function(text, name), re.M)
    flags = set()
    for spec in specs:
        head = spec.strip().split("[")[0]
        flags |= set(re.findall(r"--?[a-zA-Z0-9][a-zA-Z0-9-]*", head)) if "[" in spec else set()
    return flags


def in_fish(text, name):
    lines = [line for line in text.splitlines() if f'flags_or_options "{" ".join(name)}"' in line]
    found = set()
    for line in lines:
        # What follows is for people, or completes the flag's value.
        line = re.split(r" -d '| -r?fa '", line)[0]
        found |= {"--" + flag for flag in re.findall(r"(?<= -l )'?([a-zA-Z0-9-]+)", line)}
        found |= {"-" + flag for flag in re.findall(r"(?<= -s )'?([a-zA-Z0-9])", line)}
    return found


def main():
    program, manuals, *shells = sys.argv[1:]
    bash, zsh, fish = (pathlib.Path(shell).read_text() for shell in shells)
    dump = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    known = dict(commands(json.loads(dump)["command"]))
    wrong = []
    for name, flags in known.items():
        for place, found in (
            ("the manual", in_page(pathlib.Path(manuals), name)),
            ("bash", in_bash(bash, name)),
            ("zsh", in_zsh(zsh, name)),
            ("fish", in_fish(fish, name)),
        ):
            if found != flags:
                wrong.append(f"{' '.join(name)}, {place}: without {sorted(flags - found)}, unknown {sorted(found - flags)}")
    pages = {"-".join(name) + ".1" for name in known}
    if {page.name for page in pathlib.Path(manuals).iterdir()} != pages:
        wrong.append(f"the pages are not {sorted(pages)}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"the manual and the completions have all {len(known)} commands with all their flags")


main()
