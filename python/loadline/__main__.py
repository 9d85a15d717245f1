"""The command line in the interpreter of the user, whose functions it can call: `python3 -m loadline`."""

import faulthandler
import os
import sys

from loadline import _core, scripts


def main():
    faulthandler.enable()  # where a loader was that ends the process by a signal
    sys.path.insert(0, os.getcwd())
    try:
        code = _core.run_cli(["loadline", *scripts.completed(sys.argv[1:])], owns_process=True)
    finally:
        scripts.forget()
    if _core.any_left_behind():
        sys.stdout.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
