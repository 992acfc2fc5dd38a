"""A whole store as lines of JSON, which every engine writes alike and reads alike. `docs/export.md` is the format's own page.

`tables` says what is carried, `lines` how a record is written down, `writing` and `reading` are the two ways. Engines bring their
catalogue, their rows and their loading; nothing here knows one.
"""
