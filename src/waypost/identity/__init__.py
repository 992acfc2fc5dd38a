"""Projects and how they are found, sessions and what they continue, users."""
