"""`python -m memtree.tools` is the `memtree` command."""

from memtree.tools.main import main

main()
