"""Takes each listed guard out of a copy of the source in turn and expects its promise's test to fail: `make bite`."""
