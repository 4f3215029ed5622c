"""``python -m samara`` is the command ``samara``."""

from samara.cli import main

if __name__ == "__main__":
    main()
