"""The contract of mail, driven through the command line alone: nothing here imports the product."""
