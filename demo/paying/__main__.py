"""Entry point of `python3 -m paying`."""

from paying.main import main

raise SystemExit(main())
