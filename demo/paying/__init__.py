"""Payments as jobs: money is held for an attempt, spent when it completes, and free when it is rescued."""
