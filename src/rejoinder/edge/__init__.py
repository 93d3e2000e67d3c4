"""The world: files, the terminal, and whatever else blocks or can fail. Nothing below imports it."""
