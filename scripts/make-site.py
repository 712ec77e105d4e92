#!/usr/bin/env python3
"""Makes one site of DocC's archive and the pages of the repository, for a host that serves files and does nothing else.

    scripts/make-site.py FOLDER [BASE]    FOLDER has the archive; BASE is the path of the site on its host, / by default

README.md becomes FOLDER/index.html, docs/queue.md FOLDER/docs/queue.html, and so on, rendered by cmark-gfm. Relative links lead from page to
page, from pages to DocC's articles, and from articles to both; what is not on the site, such as a source file, is a link to the repository.
DocC leaves relative links as they are written. So its data is changed here.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

import links

ROOT = links.ROOT
REPOSITORY = "https://github.com/supervised-push/supervised-push"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem }}
pre {{ overflow-x: auto; padding: .75rem; background: #8882 }}
code {{ font-size: 90% }}
table {{ display: block; overflow-x: auto; border-collapse: collapse }}
th, td {{ border: 1px solid #8886; padding: .25rem .5rem; vertical-align: top }}
img {{ max-width: 100% }}
</style>
</head>
<body>
<nav><a href="{base}">supervised-push</a> · <a href="{base}docs/">documents</a> · <a href="{base}documentation/">reference</a></nav>
{body}
</body>
</html>
"""


def is_page(path):
    return path.suffix == ".md" and ".docc" not in str(path) and not str(path.relative_to(ROOT)).startswith((".", "Tests/"))


class Site:
    def __init__(self, folder, base):
        self.folder = folder
        self.base = "/" + base.strip("/") + "/" if base.strip("/") else "/"
        self.wrong = []

    def data(self, article):
        """What DocC made of an article: the path of its page below the base, and its data."""
        module = article.parent.stem.lower()
        place = f"documentation/{module}" if article.stem.lower() == module else f"documentation/{module}/{article.stem.lower()}"
        return place, self.folder / "data" / f"{place}.json"

    def address(self, source, target):
        """Where a relative link of a file leads on the site."""
        path, _, anchor = target.partition("#")
        file = (source.parent / path).resolve() if path else source
        if file.suffix == ".md" and file.parent.suffix == ".docc":
            place, data = self.data(file)
            if not data.exists():
                self.wrong.append(f"{source.relative_to(ROOT)}: DocC made no page of {target}")
                return target
            if anchor:
                # DocC keeps the capitals of a heading.
                known = re.findall(r'"anchor":"([^"]*)"', data.read_text())
                anchor = next((name for name in known if name.lower() == anchor.lower()), anchor)
            return self.base + place + "/" + (f"#{anchor}" if anchor else "")
        name = file.relative_to(ROOT)
        if is_page(file):
            name = name.with_name("index.html") if name.name == "README.md" else name.with_suffix(".html")
            return self.base + str(name).removesuffix("index.html") + (f"#{anchor}" if anchor else "")
        if file.suffix == ".svg":
            self.copy(file)
            return self.base + str(name)
        if file.is_dir() and (file / "README.md").exists():
            return self.base + str(name) + "/"
        kind = "tree" if file.is_dir() else "blob"
        return f"{REPOSITORY}/{kind}/main/{name}" + (f"#{anchor}" if anchor else "")

    def copy(self, file):
        place = self.folder / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)

    def page(self, file):
        """Renders one page of Markdown."""
        arguments = ["cmark-gfm", "--unsafe", "--extension", "table", "--extension", "strikethrough", str(file)]
        body = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
        names = list(links.anchors(file.read_text()))

        def heading(match):
            return f'<h{match[1]} id="{names.pop(0)}">' if names else match[0]

        def link(match):
            target = html.unescape(match[2])
            if re.match(r"[a-z][a-z+.-]*:|//", target):
                return match[0]
            return f'{match[1]}="{html.escape(self.address(file, target))}"'

        body = re.sub(r"<h([1-6])>", heading, body)
        body = re.sub(r'\b(href|src|srcset)="([^"]*)"', link, body)
        title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
        title = re.sub(r"<[^>]+>", "", title[1]) if title else file.stem
        name = file.relative_to(ROOT)
        place = self.folder / (name.with_name("index.html") if name.name == "README.md" else name.with_suffix(".html"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(PAGE.format(title=title, body=body, base=self.base))

    def article(self, file):
        """Makes the relative links of one article lead somewhere."""
        _, path = self.data(file)
        if not path.exists():
            # The documentation of a symbol that a catalog extends stands at the symbol's own place, and has no such links.
            if any(links.links(file.read_text())):
                self.wrong.append(f"{file.relative_to(ROOT)}: DocC made no page of it, so its relative links lead nowhere")
            return
        data = json.loads(path.read_text())
        for reference in data["references"].values():
            url = reference.get("url", "")
            if reference.get("type") == "link" and not re.match(r"[a-z][a-z+.-]*:|[/#]", url):
                reference["url"] = self.address(file, url)
        path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    site = Site(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) == 3 else "")
    files = links.files()
    for file in files:
        if is_page(file):
            site.page(file)
        elif file.suffix == ".md" and file.parent.suffix == ".docc":
            site.article(file)
    if site.wrong:
        sys.exit("\n".join(site.wrong))
    print(f"{sum(map(is_page, files))} pages beside the reference")


if __name__ == "__main__":
    main()
