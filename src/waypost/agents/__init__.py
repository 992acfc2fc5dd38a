"""The coding agents: what each one's hooks read and print, and what `waypost setup` writes for it. One module for each."""
