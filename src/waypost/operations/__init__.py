"""The verbs: typed input and output, and the one pipeline that runs them. Every door calls these and nothing below."""
