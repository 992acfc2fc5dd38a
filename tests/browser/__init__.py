"""The pages in a real browser, and a command that takes pictures of them."""
