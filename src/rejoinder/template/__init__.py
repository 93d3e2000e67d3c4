"""Templates: text with places for values. Reads data only; nothing that a template or a value says is ever run."""
