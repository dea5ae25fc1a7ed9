"""What the demonstrations share: how their main process runs and ends, and the line that shows how far it is."""
