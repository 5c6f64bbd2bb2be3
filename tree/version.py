"""Version: which memtree this is. A module of its own, so that those who only compare it load nothing else."""

VERSION = "0.1.0"
