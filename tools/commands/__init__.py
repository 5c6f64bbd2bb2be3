"""One module a group of commands; each command parses its arguments, calls the workspace and renders what comes back."""
