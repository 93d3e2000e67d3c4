"""Chat templates of Hugging Face: what they refuse is learnt from each, by probing, and not written down beforehand.

They read the messages of OpenAI Chat, with arguments as a mapping or as text: there is no wire shape of their own here.
"""
