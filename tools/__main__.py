"""`python -m memtree.tools` is the `memtree` command."""

from memtree.tools.cli import main

main()
