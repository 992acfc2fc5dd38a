"""What Waypost promises: the manifest (`manifest.py`), the mark that tests carry (`marks.py`) and the command that lists them.

`python -m tests.promises` lists the promises set aside, `--unproved` the live ones that no test names.
"""
