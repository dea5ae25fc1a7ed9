"""Draws the samples: one picture a question, PNG."""


def draw(samples, folder):
    """Every picture for which there are samples."""
