"""Entry point of `python3 -m checksum`."""

from checksum.main import main

raise SystemExit(main())
