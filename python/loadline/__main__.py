"""The command line in the interpreter of the user, whose functions it can call: `python3 -m loadline`."""

import faulthandler
import os
import sys

from loadline import _core, scripts


def _tell_of_sudden_ends():
    """os._exit() in a loader or step would otherwise end the run as if it had succeeded, or found a regression."""
    end, owner = os._exit, os.getpid()

    def exit_of_script(status):
        if os.getpid() != owner:  # of a worker process, where it is usual
            end(status)
        saved = _core.saved_words()
        os.write(2, f"loadline: a loader or compute called os._exit({status}){saved}\n".encode())
        end(1)

    os._exit = exit_of_script
    return end


def main():
    end = _tell_of_sudden_ends()
    faulthandler.enable()  # where a loader was that ends the process by a signal
    sys.path.insert(0, os.getcwd())
    try:
        code = _core.run_cli(["loadline", *scripts.completed(sys.argv[1:])], owns_process=True)
    finally:
        scripts.forget()
        os._exit = end
    if _core.any_left_behind():
        sys.stdout.flush()
        end(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
