"""Streams and answers: events as they come from the network, the answer they make, and events again.

A dialect gives a `StreamCodec`: how its events join into the answer it would have given at once, how such an
answer splits into events, and how events are read as, and written from, *moments*: what happens in any stream,
in words of no provider. Everything across dialects goes by moments; everything within one keeps what only it knows.
"""
