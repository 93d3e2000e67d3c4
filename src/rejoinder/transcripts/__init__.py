"""Session files of agents, our own among them: rows in, a tree of messages out, with what is odd about both."""
