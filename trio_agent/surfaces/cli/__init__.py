"""The command line: `trio-agent run PLUGIN COMMAND`.

`shell` reads the first words and `run` runs one command; both write through `streams`.
"""
