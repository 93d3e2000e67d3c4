"""What an application calls each turn."""
