#!/usr/bin/env python3
"""An ordinary training script: PyTorch's DataLoader on Fashion-MNIST, and a small convolutional network.

Run by itself, it trains for one epoch. loadline measures it unchanged:

    python3 -m loadline run --workload fashion-mnist --workers 0,1,2,4 \\
        --loader thread-pool,bench/examples/fashion_mnist.py:make_loader \\
        --compute bench/examples/fashion_mnist.py:make_step

The data is Debian's package dataset-fashion-mnist.
"""

import gzip
import pathlib

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PLACE = "/usr/share/datasets/fashion-mnist"


def read_idx(path, header_bytes):
    with gzip.open(path) as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header_bytes)


class FashionMnist(Dataset):
    """Normalised as torchvision's ToTensor and Normalize do it, sample by sample."""

    def __init__(self, place=PLACE, part="train"):
        place = pathlib.Path(place)
        self.images = read_idx(place / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
        self.labels = read_idx(place / f"{part}-labels-idx1-ubyte.gz", 8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index].copy()).unsqueeze(0)
        return (image.to(torch.float32) / 255 - 0.2860) / 0.3530, int(self.labels[index])


def make_loader(workers=0, batch_size=512, data=PLACE):
    return DataLoader(FashionMnist(data), batch_size, shuffle=True, num_workers=workers)


def make_step():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 6 * 6, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()

    def step(batch):
        images, labels = batch
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        return float(loss)

    return step


def main():
    step = make_step()
    for number, batch in enumerate(make_loader(workers=2)):
        loss = step(batch)
        if number % 20 == 0:
            print(f"batch {number}: loss {loss:.3f}")


if __name__ == "__main__":
    main()
