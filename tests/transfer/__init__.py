"""Export and import: a whole store as lines, on either engine and between them."""
