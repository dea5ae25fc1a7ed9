"""Entry point of `python3 -m replay`."""

from replay.main import main

raise SystemExit(main())
