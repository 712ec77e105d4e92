#!/usr/bin/env python3
"""Whether each link of the documents leads somewhere: relative links and their anchors in Markdown, and pages of docs/ that sources,
scripts and tests name. DocC checks the links within its catalogs that are written as <doc:…>; an article to which a page outside of its
catalog links has none of them, because only DocC can follow them.

    scripts/links.py    prints what is wrong, and ends with 1 if anything is
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.M | re.S)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|\b(?:href|src|srcset)=\"([^\"\s]+)\"")
PAGE = re.compile(r"(?<![\w./-])docs/[\w./-]*\w\.(?:md|txt|svg)\b")


def files():
    """What Git has or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = sorted(filter(None, listed.stdout.split("\0")))
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def slug(title):
    """The anchor that GitHub gives to a heading."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def anchors(text):
    seen = {}
    for title in re.findall(r"^ {0,3}#{1,6} +(.+?) *#*$", FENCE.sub("", text), re.M):
        name = slug(title)
        seen[name] = seen.get(name, -1) + 1
        yield name if seen[name] == 0 else f"{name}-{seen[name]}"


def prose(text):
    """A page without its code."""
    return CODE.sub("", FENCE.sub("", text))


def links(text):
    """The links of a page that name a file or an anchor of the repository."""
    for match in LINK.finditer(prose(text)):
        target = match[1] or match[2]
        if not re.match(r"[a-z][a-z+.-]*:", target):
            yield target


def main():
    wrong = []
    texts = {}
    for file in files():
        try:
            texts[file] = file.read_text()
        except UnicodeDecodeError:
            pass
    # The changelog tells of pages that were.
    for file, text in texts.items():
        name = file.relative_to(ROOT)
        wrong += [f"{name}: there is no {page}" for page in sorted(set(PAGE.findall(text))) if not (ROOT / page).exists()]
        if file.suffix != ".md":
            continue
        for target in links(text):
            path, _, anchor = target.partition("#")
            page = (file.parent / path).resolve() if path else file
            if not page.exists():
                wrong.append(f"{name}: a dead link, {target}")
            elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
                wrong.append(f"{name}: a dead anchor, {target}")
            elif page.parent.suffix == ".docc" and page.parent != file.parent and "<doc:" in prose(page.read_text()):
                wrong.append(f"{name}: {target} has links that only DocC can follow: write [title](Article.md) there")
    for line in dict.fromkeys(wrong):
        print(line)
    if wrong:
        sys.exit(1)
    print("each link of the documents leads somewhere")


if __name__ == "__main__":
    main()
