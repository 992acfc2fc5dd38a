"""The Python client: every verb over both ways, faults at every stage of a request, and what its types say."""
