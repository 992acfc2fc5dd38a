"""How local programs reach the server: folders, run file, transport, launch. Standard library only; nothing is imported here."""
