#!/usr/bin/env python3
"""Whether what the documents say of pushctl is so: each flag that stands with a command is one of that command, each default is the
program's, and each exit code is one that the program has. PC/ContractPageTests compares the tables of docs/pushctl.md with the parser; this reads
what stands anywhere else, and the defaults of those tables that the parser does not know.

    scripts/facts.py               prints what is wrong, and ends with 1 if anything is; PUSHCTL names the program
    scripts/facts.py --self-test   plants an error of each kind, and ends with 1 if one of them is not found
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Pages on which a flag without a command is one of pushctl.
OURS = {"pushctl", "bulk", "bench", "doctor", "worker", "queue", "inbox", "broadcast", "simulator-script", "status-socket"}
# Flags of other programs on those pages.
FOREIGN = {"--traits", "--help", "--version", "--product", "--force", "--save", "--port", "--data"}

FENCE = re.compile(r"^( *)(```+|~~~+)([^\n]*)\n(.*?)^ *\2 *$", re.M | re.S)
SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
FLAG = re.compile(r"(?<![\w=/-])(--[a-z][a-z-]*[a-z])\b")
NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"
CODES = re.compile(
    r"\b(?:exit (?:code|status)(?: is)?|(?:ends?|ended|exits?|exited) with(?: code| status)?) "
    rf"((?:{NUMBER})(?:(?:, or | or | and |, )(?:{NUMBER}))*)(?![\d.,:]*\d)(?! ?(?:%|ms|µs|s|bytes|pushes|rows|links|days|of)\b)")
DEFAULT = re.compile(rf"`(--[a-z-]+)(?: [A-Z]+)?`[^.|`\n]{{0,40}}?\b(?:default(?:s to| is|:)?|by default)[ :(]+({NUMBER})\b")


class Tool:
    """What the program knows, by its own dump."""

    def __init__(self, dump, codes):
        self.commands = {}
        self.codes = set(codes)
        self.add(dump["command"], "")

    def add(self, command, path):
        name = f"{path} {command['commandName']}".strip()
        below = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
        for sub in below:
            self.add(sub, name)
        flags = {"--help": {}, "-h": {}, "--version": {}}
        for argument in command.get("arguments", []):
            for item in argument.get("names", []):
                flags[("--" if item["kind"] == "long" else "-") + item["name"]] = argument
        self.commands[name] = flags

    def words(self, words):
        """The command that these words begin with, and how many name it; nil if they name none."""
        name, count = "pushctl", 0
        for word in words:
            if f"{name} {word}" not in self.commands:
                break
            name, count = f"{name} {word}", count + 1
        return name, count

    @property
    def all_flags(self):
        return set().union(*self.commands.values())

    def defaults(self, flag):
        """What it is without this flag, by the parser and by the flag's help, over all commands."""
        found = set()
        for flags in self.commands.values():
            argument = flags.get(flag)
            if not argument:
                continue
            if argument.get("defaultValue"):
                found.add(argument["defaultValue"])
            found.update(number.replace(",", "") for number in re.findall(NUMBER, argument.get("abstract") or ""))
        return found


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def codes_of(text):
    """Each code of the text, with its line. A cell of a table below a heading that names exit codes is one."""
    for match in CODES.finditer(text):
        for number in re.findall(NUMBER, match[1]):
            yield int(number.replace(",", "")), line_of(text, match.start())
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            inside = "exit code" in line.lower()
        elif inside and re.match(r"\| *[\d, ]+ *\|", line):
            for code in re.findall(r"\d+", line.split("|")[1]):
                yield int(code), number


def calls(code):
    """The words behind each `pushctl` of a piece of shell, up to the end of its command."""
    code = re.sub(r"\\\n *", " ", code)
    for match in re.finditer(r"(?<![\w./-])pushctl(?= )", code):
        rest = re.split(r"\n|[;|&<>)]| -- | # ", code[match.end():], maxsplit=1)[0]
        try:
            words = shlex.split(rest)
        except ValueError:
            words = rest.replace("'", " ").replace('"', " ").split()
        yield [word for word in words if word]


def wrong_flags(place, code, tool):
    for words in calls(code):
        name, count = tool.words(words)
        if count == 0:
            continue
        rest = words[count:]
        if any(known.startswith(name + " ") for known in tool.commands) and rest and re.fullmatch(r"[a-z]+", rest[0]):
            yield f"{place}: {name} has no command {rest[0]}"
        for word in rest:
            flag = word.split("=")[0]
            if re.fullmatch(r"--[a-z][a-z-]*|-[a-z]", flag) and flag not in tool.commands[name]:
                yield f"{place}: {name} has no flag {flag}"


def wrong_spans(file, text, tool):
    blank = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    ours = re.fullmatch(r"docs/([\w-]+)\.md", file)
    for match in SPAN.finditer(blank):
        place, code = f"{file}:{line_of(text, match.start())}", " ".join(match[2].split())
        yield from wrong_flags(place, code, tool)
        flag = FLAG.match(code)
        if ours and ours[1] in OURS and flag and flag[1] not in tool.all_flags | FOREIGN:
            yield f"{place}: no command of pushctl has the flag {flag[1]}"


def wrong_defaults(file, text, tool):
    for match in DEFAULT.finditer(text):
        said, known = match[2].replace(",", ""), tool.defaults(match[1])
        if match[1] in tool.all_flags and said not in known:
            yield f"{file}:{line_of(text, match.start())}: {match[1]} is {said} by default here, and in pushctl {sorted(known) or 'nothing'}"
    if file != "docs/pushctl.md":
        return
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split(" | ")
        if not line.startswith("| `--") or len(cells) < 3 or not re.fullmatch(NUMBER, cells[1]):
            continue
        for flag in FLAG.findall(cells[0]):
            if cells[1].replace(",", "") not in tool.defaults(flag):
                yield f"{file}:{number}: {flag} is {cells[1]} by default here, and in pushctl {sorted(tool.defaults(flag)) or 'nothing'}"


def wrong_codes(file, text, tool):
    # 126 and 127 are those of a shell, and 137 is that of kill -9. What is larger than 255 is no exit code.
    known = tool.codes | {126, 127, 137}
    for code, line in codes_of(text):
        if code not in known and code < 256:
            yield f"{file}:{line}: pushctl never ends with {code}"
    if file == "docs/pushctl.md":
        table = re.split(r"^## Exit codes$", text, flags=re.M)
        said = {code for code, _ in codes_of("## Exit codes" + table[1].split("\n## ")[0])} if len(table) > 1 else set()
        for code in sorted(tool.codes - said):
            yield f"{file}: the table of exit codes lacks {code}"


def problems(pages, tool):
    for file, text in sorted(pages.items()):
        for match in FENCE.finditer(text):
            if match[3].strip() in ("bash", "sh", "shell", "console", "yaml", "dockerfile", ""):
                yield from wrong_flags(f"{file}:{line_of(text, match.start())}", match[4], tool)
        yield from wrong_spans(file, text, tool)
        yield from wrong_defaults(file, text, tool)
        yield from wrong_codes(file, text, tool)


def pages():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


def program():
    path = os.environ.get("PUSHCTL") or ROOT / ".build/debug/pushctl"
    try:
        dump = subprocess.run([path, "--experimental-dump-help"], check=True, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"scripts/facts.py: {path} does not say its flags ({error}); build pushctl, or name it in PUSHCTL")
    source = (ROOT / "Sources/PushTerminal/Ending/ExitStatus.swift").read_text(encoding="utf-8")
    return Tool(json.loads(dump), map(int, re.findall(r"case \w+ = (\d+)", source)))


def self_test(tool):
    """Each planted error must be found, and nothing else."""
    table = "## Exit codes\n\n| code | when |\n|---|---|\n" + "".join(f"| {code} | – |\n" for code in sorted(tool.codes))
    sound = "`pushctl send aabb --body x`, which ends with 77.\n\n```bash\npushctl simulate -- \\\n  pushctl bulk a.csv --body x\n```\n"
    planted = [
        ("pages/a.md", "`pushctl send aabb --boddy x`\n", "pushctl send has no flag --boddy"),
        ("pages/a.md", "```bash\npushctl simulate --body x -- pushctl send aabb --body x\n```\n", "pushctl simulate has no flag --body"),
        ("Sources/A.docc/B.md", "```bash\npushctl bulk a.csv \\\n  --outcome b.csv\n```\n", "pushctl bulk has no flag --outcome"),
        ("README.md", "`pushctl queue delete`\n", "pushctl queue has no command delete"),
        ("docs/worker.md", "With `--max-outrage` it ends.\n", "no command of pushctl has the flag --max-outrage"),
        ("docs/worker.md", "`--drain S` (default 31) is the time.\n", "--drain is 31 by default"),
        ("docs/pushctl.md", table + "\n| flag | default | meaning |\n|---|---|---|\n| `--max-outcomes N` | 999 | x |\n", "--max-outcomes is 999"),
        ("Examples/A/README.md", "Then it exits with 65.\n", "never ends with 65"),
        ("pages/a.md", "It ends with 77, 69 or 70.\n", "never ends with 70"),
        ("docs/doctor.md", "## Exit codes\n\n| code | when |\n|---|---|\n| 129, 131 | x |\n", "never ends with 131"),
        ("docs/pushctl.md", table.replace("| 69 | – |\n", ""), "lacks 69"),
    ]
    failures = [f"nothing is wrong, and it says: {problem}" for problem in problems({"pages/a.md": sound}, tool)]
    for file, text, words in planted:
        found = list(problems({file: text}, tool))
        if len(found) != 1 or words not in found[0]:
            failures.append(f"{file}: {words!r} was planted, and it says: {found}")
    return failures, len(planted)


def main():
    tool = program()
    if sys.argv[1:] == ["--self-test"]:
        wrong, count = self_test(tool)
        said = f"{count} planted errors were found"
    elif not sys.argv[1:]:
        read = pages()
        wrong = list(problems(read, tool))
        said = f"{len(read)} pages say of pushctl what is so"
    else:
        sys.exit(f"usage: {sys.argv[0]} [--self-test]")
    print("\n".join(wrong) if wrong else said)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
