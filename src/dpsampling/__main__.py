"""`python -m dpsampling` is the command line."""

from dpsampling.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
