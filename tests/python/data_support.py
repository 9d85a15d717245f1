"""Small datasets, and loaders over them."""

import importlib.util
import os
import struct
import tempfile
import unittest

import numpy

import loadline

needs_torch = unittest.skipIf(importlib.util.find_spec("torch") is None, "needs PyTorch")

SAMPLES = 100


def write_mnist(directory, samples=SAMPLES):
    """A dataset in MNIST's format whose sample i is an image of byte i % 256 with label i % 10."""
    with open(os.path.join(directory, "train-images-idx3-ubyte"), "wb") as images:
        images.write(struct.pack(">IIII", 0x803, samples, 28, 28))
        for i in range(samples):
            images.write(bytes([i % 256]) * (28 * 28))
    with open(os.path.join(directory, "train-labels-idx1-ubyte"), "wb") as labels:
        labels.write(struct.pack(">II", 0x801, samples))
        labels.write(bytes(i % 10 for i in range(samples)))


def write_photos(directory, count=24, edge=40):
    """A folder of `count` photographs of one class; returns their paths."""
    paths = [os.path.join(directory, "class", f"{i:04}.ppm") for i in range(count)]
    os.mkdir(os.path.join(directory, "class"))
    for i, path in enumerate(paths):
        with open(path, "wb") as file:
            file.write(b"P6 %d %d 255\n" % (edge, edge) + bytes([i]) * (edge * edge * 3))
    return paths


def write_volume(directory, edge=6):
    """A volume in two arrays of NumPy, of 2 channels and of 3."""
    for name, channels in (("Nbody", 2), ("Hydro", 3)):
        numpy.save(os.path.join(directory, f"{name}.npy"), numpy.ones((channels, edge, edge, edge), numpy.float32))


class WithData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._directory = tempfile.TemporaryDirectory()
        cls.data = cls._directory.name
        write_mnist(cls.data)

    @classmethod
    def tearDownClass(cls):
        cls._directory.cleanup()

    def loader(self, **options):
        options.setdefault("batch_size", 8)
        options.setdefault("workers", 2)
        loader = loadline.Loader(options.pop("data", self.data), **options)
        self.addCleanup(loader.close)
        return loader
