"""Short runs of the tool without much work for ceilings."""

import os
import resource


def keep_ceilings_small(limit_mib=512):
    """Runs in the process that becomes the tool. A ceiling fills up to 1 GiB for each trial, which is most of the cost of a short
    one, but at most an eighth of this limit. The stacks of threads count too."""
    limit = (limit_mib + 16 * os.cpu_count()) << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
