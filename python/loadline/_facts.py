"""Facts about a loader, the program around it and the other ranks, without importing anything."""

import os
import platform
import sys


def type_name(thing):
    """"torch.utils.data.dataloader.DataLoader"."""
    kind = type(thing)
    prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return prefix + kind.__qualname__


def uncounted(batch):
    """A sentence without its end: which batch has no samples that can be counted."""
    axes = ", which has no axes" if getattr(batch, "shape", None) == () else ""
    return f"cannot count the samples of a batch of type {type_name(batch)}{axes}"


def short_name(thing):
    """"DataLoader"."""
    return type(thing).__qualname__.split(".")[-1]


def whole(value):
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def workers_of(loader):
    """The number of processes or threads that the loader reports."""
    for name in ("num_workers", "workers", "num_threads"):
        workers = whole(getattr(loader, name, None))
        if workers is not None:
            return workers
    return 0


def prefetch_of(loader):
    """Batches that a worker makes ahead; None: the loader does not say."""
    return whole(getattr(loader, "prefetch_factor", None))


def length_of(thing):
    try:
        return whole(len(thing))
    except Exception:  # an IterableDataset, or what a program uses as one
        return None


def kind_of(loader):
    """What loaders have in common that a program makes for the same loop, one for each epoch."""
    dataset = getattr(loader, "dataset", None)
    return (
        type(loader),
        getattr(loader, "gi_code", None),
        workers_of(loader),
        length_of(loader),
        type(dataset),
        length_of(dataset),
    )


def versions():
    found = {"python": platform.python_version()}
    for name in ("torch", "numpy"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            found[name] = str(version)
    return found


def arguments():
    return [str(word) for word in sys.argv] if sys.argv and sys.argv[0] else ["python"]


def program_name():
    """"train" of train.py."""
    name = os.path.splitext(os.path.basename(arguments()[0]))[0]
    return name if name and not name.startswith("-") else "program"


def error_sentence(error):
    """One line: the first and the last line of a worker process's exception are what matters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    name = type(error).__name__
    if not lines:
        return name
    if len(lines) == 1 or lines[0] == lines[-1]:
        return f"{name}: {lines[0]}"
    return f"{name}: {lines[0].rstrip('.:')}: {lines[-1]}"


def cuda():
    """torch.cuda if this program uses it, else None."""
    module = sys.modules.get("torch.cuda")
    try:
        return module if module is not None and module.is_initialized() else None
    except Exception:
        return None


def synchronise():
    """Waits for the work launched on a CUDA device, if one is in use."""
    device = cuda()
    if device is not None:
        device.synchronize()


def distributed():
    """torch.distributed if its processes have found each other, else None."""
    module = sys.modules.get("torch.distributed")
    try:
        met = module is not None and module.is_available() and module.is_initialized()
        return module if met else None
    except Exception:
        return None


def _environment_number(names, standard):
    for name in names:
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return standard


def rank():
    group = distributed()
    return group.get_rank() if group else _environment_number(("RANK", "SLURM_PROCID"), 0)


def world_size():
    """The number of processes that torchrun or a step of a Slurm job started."""
    group = distributed()
    names = ("WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
    size = group.get_world_size() if group else _environment_number(names, 1)
    return size if size > rank() else 1
