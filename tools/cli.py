"""The `memtree` command."""


def main() -> None:
    """Replaced as commands land."""
