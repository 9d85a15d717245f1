"""The command line in the interpreter of the user, whose functions it can call: `python3 -m loadline`."""

import os
import sys

from loadline import _core, scripts


def main():
    sys.path.insert(0, os.getcwd())
    try:
        return _core.run_cli(["loadline", *scripts.completed(sys.argv[1:])])
    finally:
        scripts.forget()


if __name__ == "__main__":
    sys.exit(main())
