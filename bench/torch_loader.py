#!/usr/bin/env python3
"""IO of the tool against PyTorch's DataLoader, on the same data, with the same transform, batches and workers.

    /usr/bin/python3 bench/torch_loader.py --workers 2

needs PyTorch, torchvision, NumPy and Pillow, but not the loadline package. Three parts, each with the usual code of
its kind:

    photos      torchvision.datasets.ImageFolder (Pillow) and its transforms: random resized crop to 224, flip, normalise
    photos-io   the same by torchvision.io.decode_jpeg, on tensors
    cifar10     torchvision's CIFAR-10 pipeline: an image per sample, padded crop, flip, normalise

DataLoader runs with persistent workers, which have delivered batches before its trial begins, as the tool's have.
Nothing reads its batches, while the tool's IO reads every cache line. Trials follow each other in either order. Each
pair gives the ratio of samples per second, the tool's over DataLoader's, and all pairs a geometric mean with the 95 % t
interval of the logarithms. Writes every pair as JSON; each part replaces its own. Needs a quiet machine.
"""

import argparse
import pathlib
import platform
import random
import sys
import tempfile
import time

from experiments import Tool, cell_of, names_in, ratio_interval, say, write_part

try:
    import numpy
    import torch
    import torch.utils.data
    import torchvision
    from PIL import Image
    from torchvision import transforms
    MISSING = None
except ModuleNotFoundError as error:
    MISSING = error.name  # main() says so, after what it says of the arguments

BATCH = {"photos": 64, "photos-io": 64, "cifar10": 512}
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CIFAR10 = ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))


class DecodedByTorchvision:
    """The samples of an ImageFolder, decoded to tensors."""

    def __init__(self, folder):
        self.samples = folder.samples
        self.transform = transforms.Compose(
            [transforms.RandomResizedCrop(224, antialias=True), transforms.RandomHorizontalFlip(),
             transforms.ConvertImageDtype(torch.float32), transforms.Normalize(*IMAGENET)])

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, label = self.samples[index]
        pixels = torchvision.io.decode_jpeg(torchvision.io.read_file(path), torchvision.io.ImageReadMode.RGB)
        return self.transform(pixels), label


class Cifar10:
    """What torchvision.datasets.CIFAR10 does with each image, for files in the binary format."""

    def __init__(self, directory):
        files = sorted(pathlib.Path(directory).glob("data_batch_*.bin"))
        rows = numpy.concatenate([numpy.fromfile(file, numpy.uint8) for file in files]).reshape(-1, 3073)
        self.labels = rows[:, 0].tolist()
        self.images = rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).copy()
        self.transform = transforms.Compose(
            [transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
             transforms.Normalize(*CIFAR10)])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.transform(Image.fromarray(self.images[index])), self.labels[index]


def torch_data(part, directory):
    if part == "cifar10":
        return Cifar10(directory)
    usual = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(),
                                transforms.ToTensor(), transforms.Normalize(*IMAGENET)])
    folder = torchvision.datasets.ImageFolder(directory / "train", usual)
    return DecodedByTorchvision(folder) if part == "photos-io" else folder


class Comparison:
    def __init__(self, tool, part, options):
        self.tool = tool
        self.options = options
        self.random = random.Random(1)
        self.workload = part.removesuffix("-io")
        self.batch_size = BATCH[part]
        self.directory = tool.directory / self.workload
        if not self.directory.exists():
            say(f"{part}: making data")
            of_photos = ["--samples", options.photos, "--from", options.photographs]
            tool.run("data", "make", self.workload, self.directory, "--quiet",
                     *(of_photos if self.workload == "photos" else []))
        self.loader = torch.utils.data.DataLoader(
            torch_data(part, self.directory), self.batch_size, shuffle=True, drop_last=True,
            num_workers=options.workers, persistent_workers=options.workers > 0)
        # At the end of an epoch DataLoader's workers run dry, and a clock that starts in the next one begins with
        # batches that were ready. Long epochs make both small.
        if len(self.loader) < 10 * max(1, options.workers):
            sys.exit(f"{part}: {len(self.loader)} batches are too few for {options.workers} workers; use --photos "
                     f"{10 * max(1, options.workers) * self.batch_size}")
        for _ in self.loader:  # an epoch, so that workers run and files are in the page cache
            pass

    def of_tool(self):
        result = self.tool.result("--workload", self.workload, "--data", self.directory, "--mode", "io", "--loader",
                                  "thread-pool", "--workers", self.options.workers, "--batch-size", self.batch_size,
                                  "--trials", "1", "--trial-seconds", self.options.seconds)
        trial = cell_of(result, "IO")["trials"][0]
        return trial["samples"] / trial["wall_seconds"]

    def of_torch(self):
        samples = 0
        rate = None
        begin = None
        while rate is None:
            # The first batches of each worker were made while nobody waited. The epoch is taken to its end, so that no
            # worker is still busy when the tool's turn comes.
            for number, (images, _) in enumerate(self.loader):
                now = time.perf_counter()
                if begin is None:
                    begin = now if number == 2 * self.options.workers else None
                elif rate is None:
                    samples += len(images)
                    if now >= begin + self.options.seconds:
                        rate = samples / (now - begin)
        return rate

    def measure(self):
        pairs = []
        for _ in range(self.options.repetitions):
            order = ["tool", "torch"]
            self.random.shuffle(order)
            rates = {name: getattr(self, f"of_{name}")() for name in order}
            pairs.append({"first": order[0], **rates})
            say(f"tool {rates['tool']:,.0f}/s, DataLoader {rates['torch']:,.0f}/s")
        value, interval = ratio_interval([pair["tool"] / pair["torch"] for pair in pairs])
        return {"ratio": value, "ci95": interval, "pairs": pairs}


def table(parts):
    lines = [f"{'part':<11}{'workers':>7}{'pairs':>6}{'tool':>14}{'DataLoader':>14}   tool / DataLoader"]
    for part, made in parts.items():
        pairs = made["pairs"]
        mean = {side: sum(pair[side] for pair in pairs) / len(pairs) for side in ("tool", "torch")}
        spread = f" ({made['ci95'][0]:.2f} to {made['ci95'][1]:.2f})" if made["ci95"] else ""
        lines.append(f"{part:<11}{made['settings']['workers']:>7}{len(pairs):>6}{mean['tool']:>12,.0f}/s"
                     f"{mean['torch']:>12,.0f}/s   {made['ratio']:.2f}{spread}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bench/loadline", help="[%(default)s]")
    parser.add_argument("--part", default=",".join(BATCH), help="[%(default)s]")
    parser.add_argument("--workers", type=int, default=2, help="of both sides [%(default)s]")
    parser.add_argument("--repetitions", type=int, default=10, help="pairs of each part [%(default)s]")
    parser.add_argument("--seconds", type=float, default=2, help="length of a trial [%(default)s]")
    parser.add_argument("--photos", type=int, default=1920, help="photographs, of 500 x 375 pixels [%(default)s]")
    parser.add_argument("--photographs", default="/usr/share/backgrounds", help="images to cut them from [%(default)s]")
    parser.add_argument("-o", "--output", default="results/torch-loader.json", help="[%(default)s]")
    options = parser.parse_args()
    for name in ("workers", "repetitions"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: want at least 1")
    if not pathlib.Path(options.tool).exists():
        parser.error(f"--tool: {options.tool} does not exist")
    chosen = names_in("--part", options.part, list(BATCH))
    if MISSING:
        sys.exit(f"torch_loader.py: the Python module {MISSING} is missing: "
                 "install PyTorch, torchvision, NumPy and Pillow")
    settings = {name: value for name, value in vars(options).items()
                if name not in ("tool", "output", "part", "photographs")}
    versions = {"python": platform.python_version(), "torch": torch.__version__,
                "torchvision": torchvision.__version__}
    parts = {}
    with tempfile.TemporaryDirectory(prefix="loadline-") as directory:
        tool = Tool(pathlib.Path(options.tool).absolute(), directory, options.photographs)
        for part in chosen:
            begin = time.monotonic()
            made = Comparison(tool, part, options).measure()
            parts = write_part(options.output, part, {"version": tool.version(), "versions": versions,
                                                      "settings": settings,
                                                      "seconds": round(time.monotonic() - begin, 1), **made})
    print(table(parts))


if __name__ == "__main__":
    sys.exit(main())
