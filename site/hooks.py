"""Makes the README the first page, adds the Javadoc, and makes links to files outside docs/ lead to the repository."""

import functools
import logging
import posixpath
import re
import shutil
from pathlib import Path

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link
from mkdocs.utils import get_relative_url

LOG = logging.getLogger("mkdocs.hooks")

# .ci/site makes the Javadoc here. The site has it in this folder.
JAVADOC = Path(__file__).parent.parent / "target/reports/apidocs"
API = "api/"

# Parts of a page whose code has a link already or must not have one.
NO_LINKS = re.compile(r"(<a\b.*?</a>|<pre\b.*?</pre>|<h[1-6]\b.*?</h[1-6]>)", re.DOTALL)
TYPE = re.compile(r"<code>@?([A-Z]\w+)(?:\.\w+(?:\([^<]*\))?)?</code>")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    readme = Path(config.docs_dir).parent / "README.md"
    files.append(File.generated(config, "index.md", content=readme.read_text(encoding="utf-8")))
    return files


def on_nav(nav, config, files):
    if JAVADOC.exists():
        nav.items.append(Link("Javadoc", API + "index.html"))
    else:
        LOG.info("The site has no Javadoc, because .ci/site has not made it.")
    return nav


def on_page_markdown(markdown, page, config, files):
    root = Path(config.docs_dir).parent
    # The README is in the repository's root, and every other page is in docs/.
    folder = "" if page.file.src_uri == "index.md" else posixpath.dirname("docs/" + page.file.src_uri)

    def resolved(match):
        text, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        if path == "README.md":
            path = "docs/index.md"
        if path.startswith("docs/"):
            return "[%s](%s%s)" % (text, posixpath.relpath(path, folder if folder else "docs"), anchor)
        if not (root / path).exists():
            raise ValueError("%s links to %s, which does not exist." % (page.file.src_uri, path))
        kind = "tree" if (root / path).is_dir() else "blob"
        return "[%s](%s/%s/main/%s%s)" % (text, config.repo_url.rstrip("/"), kind, path, anchor)

    # Links in code stay as they are written.
    parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("`") else LINK.sub(resolved, part) for part in parts)


def on_page_content(html, page, config, files):
    """Makes the names of public types lead to their Javadoc."""
    types = javadoc_of_types()

    def linked(match):
        if match[1] not in types:
            return match[0]
        return '<a href="%s">%s</a>' % (get_relative_url(API + types[match[1]], page.url), match[0])

    parts = NO_LINKS.split(html)
    parts[::2] = [TYPE.sub(linked, part) for part in parts[::2]]
    return "".join(parts)


def on_post_build(config):
    if JAVADOC.exists():
        shutil.copytree(JAVADOC, Path(config.site_dir) / API, dirs_exist_ok=True)


@functools.cache
def javadoc_of_types():
    """Returns the Javadoc pages of the types whose names are unique."""
    pages = {}
    for page in JAVADOC.glob("dev/**/[A-Z]*.html"):
        if "model" not in page.parts:  # Generated; some of its names are also those of other types.
            pages.setdefault(page.stem, []).append(page.relative_to(JAVADOC).as_posix())
    return {name: found[0] for name, found in pages.items() if len(found) == 1}
