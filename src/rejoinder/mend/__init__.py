"""Which fix is taken, in which order, and what is written down about it."""
