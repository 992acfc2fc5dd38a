"""Messages from one project to another, what may happen to them, and how they are kept."""
