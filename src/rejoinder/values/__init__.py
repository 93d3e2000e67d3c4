"""The nouns. Values are frozen, know no provider and touch nothing outside themselves."""
