"""Refuse a commit message whose subject is longer than 72 characters; run by pre-commit."""

import sys
from pathlib import Path

MOST = 72


def main(path: str) -> None:
    """Check the message in a file."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    subject = next((line for line in lines if line and not line.startswith("#")), "")
    if len(subject) > MOST:
        sys.exit(f"The subject has {len(subject)} characters; it takes {MOST} at most.")


if __name__ == "__main__":
    main(sys.argv[1])
