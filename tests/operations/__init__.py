"""What each operation promises, proved on the operation itself. Doors prove apart that they pass it on."""
