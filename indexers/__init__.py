"""Views of a commit that can always be rebuilt: they follow commits by their diffs and store the commit they reflect."""
