"""How findings, messages and differences look to a person. Pure: values in, lines out; nothing here writes."""
