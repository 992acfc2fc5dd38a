"""Where things are kept: the interface that domains see, the engines behind it, migrations, the journal, backup."""
