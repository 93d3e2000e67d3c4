"""From one wire shape to another: what each part becomes, where it goes, what is lost, and the way back."""
