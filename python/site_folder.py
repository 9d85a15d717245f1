"""site_folder.py PREFIX: prints where below PREFIX this interpreter, or one that is installed there, looks for packages."""

import site
import sys

prefix = sys.argv[1].rstrip("/")
below = [path[len(prefix) + 1:] for path in site.getsitepackages() if path.startswith(f"{prefix}/lib")]
print(below[0] if below else f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages")
