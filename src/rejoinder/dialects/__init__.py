"""The wire shapes. A dialect knows facts about JSON and judges nothing."""
