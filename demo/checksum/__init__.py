"""Checksums a directory tree with jobs of awa_ring: one producer, several workers, live progress, a proof at the end.

worker.py is the part to copy. producer.py shows enqueueing in batches; the other modules are the demonstration.
"""
