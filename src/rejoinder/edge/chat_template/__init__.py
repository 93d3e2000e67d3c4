"""Chat templates: read from files, rendered in a process of their own, probed, and made a target."""
