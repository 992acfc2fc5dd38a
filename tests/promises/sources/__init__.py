"""The promises, one module for each source that makes them."""
