"""Makes the README the first page, and makes links to files outside docs/ lead to the repository."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    readme = Path(config.docs_dir).parent / "README.md"
    files.append(File.generated(config, "index.md", content=readme.read_text(encoding="utf-8")))
    return files


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
