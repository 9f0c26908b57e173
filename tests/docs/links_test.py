#!/usr/bin/env python3
"""Links between the repository's Markdown files lead somewhere, and commands
of ours that they name exist."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?<![\w/.-])((?:scripts|\.ci)/[\w.-]+)")


def main():
  wrong = []
  pages = [page for page in ROOT.rglob("*.md")
           if not re.match(r"build|\.git", str(page.relative_to(ROOT)))]
  if len(pages) < 5:
    sys.exit(f"expected the documentation, got {len(pages)} pages")
  for page in pages:
    for number, line in enumerate(page.read_text().splitlines(), 1):
      where = f"{page.relative_to(ROOT)}:{number}"
      for target in LINK.findall(line):
        path = target.split("#")[0]
        if path and "://" not in path and not path.startswith("mailto:"):
          if not (page.parent / path).exists():
            wrong.append(f"{where}: no file {path}")
      for command in COMMAND.findall(line):
        if not (ROOT / command.rstrip(".")).exists():
          wrong.append(f"{where}: no command {command}")
  sys.exit("\n".join(wrong) if wrong else 0)


main()
