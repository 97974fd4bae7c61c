"""The words of the house. Frozen values, no I/O, no framework."""
