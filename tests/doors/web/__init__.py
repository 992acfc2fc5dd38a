"""The pages as HTML, without a browser."""
