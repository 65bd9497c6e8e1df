"""Dependencies of pyproject.toml -> the same, each at the lowest version that it declares.

Prints requirements for pip: ``python packaging/lowest.py io anndata > lowest.txt``. Those of the
package itself come first, then those of the extras that are named. The rest of what tests need is
not pinned.
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9.]+)")


def lowest(requirements: list[str]) -> list[str]:
    """Return requirements with the lower bound as the version."""
    found = [REQUIREMENT.match(each) for each in requirements]
    return [f"{match[1]}=={match[2]}.*" for match in found if match]


def main(extras: list[str]) -> None:
    """Print the requirements."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    print("\n".join(dict.fromkeys(lowest(wanted))))


if __name__ == "__main__":
    main(sys.argv[1:])
