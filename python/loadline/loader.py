"""Batches of loadline's own loaders for a training loop in Python."""

import atexit
import functools
import importlib.util
import os
import weakref

from loadline import _arguments, _core
from loadline._core import Error

# Closed before the interpreter ends, because it does not know their threads.
_open = weakref.WeakSet()


@atexit.register
def _close_all():
    for loader in list(_open):
        loader.close()


def text_of(value):
    """An option's value as on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if hasattr(value, "tolist"):  # an array or a number of NumPy, or a tensor
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return ",".join(text_of(item) for item in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _share(rank, ranks):
    """This process's rank and the number of ranks, from the arguments or as torchrun sets them."""

    def number(name, standard):
        text = os.environ.get(name, "")
        if not text:
            return standard
        if not text.isdigit():
            raise Error(f"{name}: want a whole number, got '{text}'")
        return int(text)

    if rank is None and ranks is None:
        return number("RANK", 0), number("WORLD_SIZE", 1)
    if rank is None or ranks is None:
        raise Error("rank and ranks: want both, or neither")
    return rank, ranks


def _form(as_, dtype):
    """The word of `as_`, chosen here if it is None, and the form to request from the extension."""
    if as_ is None:
        as_ = "numpy" if importlib.util.find_spec("numpy") else "array"
    forms = {
        "numpy": _core.ArrayForm.numpy,
        "torch": _core.ArrayForm.dlpack,
        "array": _core.ArrayForm.array,
    }
    if as_ not in forms:
        raise Error(f"as_: want one of {', '.join(forms)}, got '{as_}'")
    if as_ == "numpy" and dtype == "bf16":
        raise Error("dtype bf16: NumPy has no such type; use as_='torch' or as_='array'")
    return as_, forms[as_]


@functools.lru_cache(maxsize=None)
def tensors_of_capsules():
    """A function that turns a batch's capsules into tensors."""
    try:
        from torch.utils.dlpack import from_dlpack
    except ImportError as error:
        raise Error(f"as_='torch': cannot import PyTorch: {error}") from error

    def whole(tensor):
        # PyTorch wants labels and indices of 64 bits: a few bytes per sample are copied, images never.
        return tensor.long() if tensor.dim() == 1 else tensor

    def tensors(batch):
        if len(batch) == 2:
            return from_dlpack(batch[0]), whole(from_dlpack(batch[1]))
        return from_dlpack(batch[0]), whole(from_dlpack(batch[1])), whole(from_dlpack(batch[2]))

    return tensors


class Dataset:
    """What a Loader reads: `len()` is the number of samples over all ranks."""

    def __init__(self, facts):
        self.path = facts["path"]
        self.format = facts["format"]
        self.classes = facts["classes"]
        self._samples = facts["samples"]

    def __len__(self):
        return self._samples

    def __repr__(self):
        return f"<loadline dataset {self.path}: {self.format}, {self._samples} samples>"


class Loader:
    """Iterates over the batches of one of loadline's loaders: (images, labels), one epoch per loop.

    data        a workload as `loadline list` shows it ("cifar10"), with its place, augmentation and
                normalisation; or the path of a dataset, whose format is detected. With a path,
                samples are changed only as the options say: float values are in [0, 1],
                photographs are resized and cropped in the centre. `workload=` overrides that.
    loader      "thread-pool", "serial" or another one that `loadline list` shows
    workers     threads that make batches; a loader without workers ("serial") ignores it
    batch_size  samples; the last batch of an epoch may have fewer, unless drop_last is set. None: the
                workload's own
    dtype       "f32", "bf16" or "u8"
    shuffle     a new order each epoch; otherwise as stored. `order=` offers more orders
    seed        for order and augmentation: the same seed gives the same batches, bit for bit,
                with any loader and number of workers
    rank, ranks this process's share of each epoch; by default RANK and WORLD_SIZE, as torchrun and
                most job scripts set them, otherwise everything
    hold        batches that the loop may keep in addition to the current one
    as_         "numpy", "torch" or "array" (loadline.Array); by default "numpy" if it is installed
    indices     yield (images, labels, indices) with the samples' places in the dataset
    options     of `loadline run` for data, transform, order and loader, with _ for -: layout="nhwc",
                crop_padding=4, flip=True, mean=(...), std=(...), on_corrupt="skip", image_size=160,
                split="test", prefetch=8, in_memory=True and so on; None means that it is not given

    Images are [batch, channels, height, width] or, with layout="nhwc", [batch, height, width,
    channels]; labels are int32, or int64 with as_="torch", which is the only copy. For a volume the
    two are inputs and targets, [batch, channels, edge, edge, edge] each.

    Nothing else is copied: an array is the memory that workers fill, and goes back to them when the
    last array, tensor or view of its batch is dropped, even after the loader itself. Arrays may be
    written to. Holding more batches than `hold` allows raises Error.

    Workers are threads without the GIL and read ahead across the end of an epoch. One thread iterates
    at a time. A forked process begins its own iteration. Raises Error with the sentences of the
    command line; it names a sample that cannot be read.
    """

    def __init__(
        self,
        data,
        loader="thread-pool",
        workers=4,
        batch_size=256,
        dtype="f32",
        *,
        shuffle=True,
        seed=1,
        drop_last=False,
        rank=None,
        ranks=None,
        workload=None,
        hold=2,
        as_=None,
        indices=False,
        **options,
    ):
        known = _core.loader_options()
        for name in options:
            if name not in known:
                raise TypeError(f"Loader() has no option '{name}'{_core.hint_of(name, known)}")
        options = {name: value for name, value in options.items() if value is not None}
        hold = _arguments.whole("hold", hold, 0)
        if not isinstance(data, (str, os.PathLike)) or not os.fspath(data):
            raise _arguments.refusal("data", "a workload or the path of a dataset", data)
        if not isinstance(loader, str):
            raise _arguments.refusal("loader", "one that `loadline list` shows", loader)
        self.rank, self.ranks = _share(rank, ranks)
        self.as_, form = _form(as_, dtype)
        self._convert = tensors_of_capsules() if self.as_ == "torch" else None
        if isinstance(data, str) and data in _core.workload_names() and workload is None:
            workload = data
        else:
            options["data"] = data
        options.setdefault("order", "shuffled" if shuffle or shuffle is None else "sequential")
        options.update(
            loader=loader,
            batch_size=batch_size,
            dtype=dtype,
            seed=seed,
            drop_last=drop_last,
            rank=self.rank,
            world_size=self.ranks,
        )
        if _core.has_workers(loader):
            options["workers"] = workers
        if workload is not None:
            options["workload"] = workload
        given = [(k.replace("_", "-"), text_of(v)) for k, v in options.items() if v is not None]
        self._native = _core.NativeLoader(given, workload is not None, hold, form, indices)
        self.dataset = Dataset(self._native.facts)
        self._order = self._native.order  # a state fits only a loader that has the same
        self.batch_size = self._order["batch_size"]
        self._in_order = options.get("delivery", "in-order") == "in-order"
        self._next = (0, 0)  # epoch and batch that the next loop begins with
        self._at = None  # of the loop in hand; None: there is none
        _open.add(self)

    def __len__(self):
        """Batches per epoch, for this rank."""
        return self._native.batches_per_epoch

    @property
    def samples(self):
        """Samples per epoch, for this rank."""
        return self._native.samples_per_epoch

    @property
    def skipped(self):
        """With on_corrupt="skip", the samples left out so far, and why."""
        return self._native.skipped

    def __iter__(self):
        """The next epoch, or after load_state_dict() the rest of one. Ends an iteration that is still
        running."""
        epoch, batch = self._next
        self._native.start(epoch, batch)
        self._next = (epoch + 1, 0)
        self._at = _Epoch(self, epoch)
        return self._at

    def set_epoch(self, epoch):
        """The next loop is this epoch, counted from 0. For jobs that continue; the order depends on
        nothing else."""
        self._next = (_arguments.whole("epoch", epoch, 0), 0)

    def state_dict(self):
        """Where the loop stands, for load_state_dict(): after the last batch that it was given."""
        if not self._in_order:
            raise Error("state_dict: with delivery='completion' it is not known which batches came; use in-order")
        epoch, batch = self._next
        if self._at is not None and self._native.position != (self._at.epoch + 1, 0):
            epoch, batch = self._native.position
        return {"epoch": epoch, "batch": batch, **self._order}

    def load_state_dict(self, state):
        """Makes the next loop continue where `state` was taken. Raises Error if that loader's batches
        differ from this one's."""
        if not isinstance(state, dict) or not {"epoch", "batch", "samples"} <= state.keys():
            raise Error("load_state_dict: want what state_dict() of a Loader returned")
        for name, value in self._order.items():
            its = state.get(name)  # an older state lacks what was added since
            if its != value:
                raise Error(f"load_state_dict: the state has {name} {its}, but this loader has {value}")
        epoch = _arguments.whole("load_state_dict: epoch", state["epoch"], 0)
        self._next = (epoch, _arguments.whole("load_state_dict: batch", state["batch"], 0))
        self._at = None

    def close(self):
        """Stops the workers. Batches that were handed out stay valid."""
        self._native.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<loadline.Loader of {self.dataset.path}: {len(self)} batches of {self.batch_size}>"


class _Epoch:
    """One loop over a Loader. Holds no batch: that would be one more than `hold` allows."""

    __slots__ = ("epoch", "_loader", "_take", "_convert")

    def __init__(self, loader, epoch):
        self.epoch = epoch
        self._loader = loader
        self._take = loader._native.next
        self._convert = loader._convert

    def __iter__(self):
        return self

    def __next__(self):
        if self._loader._at is not self:
            raise Error("another iteration over this loader has begun, and it allows one at a time")
        if self._convert is None:
            return self._take()
        return self._convert(self._take())
