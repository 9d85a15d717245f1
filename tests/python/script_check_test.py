"""`python3 -m loadline check`: a user's loader against the dataset that it reads."""

import os
import unittest

from script_support import WithScripts

CHECKED_SCRIPT = """
import numpy


def images(place):
    values = numpy.fromfile(place + "/train-images-idx3-ubyte", numpy.uint8)[16:].reshape(-1, 1, 28, 28)
    labels = numpy.fromfile(place + "/train-labels-idx1-ubyte", numpy.uint8)[8:].astype(numpy.int64)
    return (values.astype(numpy.float32) / 255 - 0.5) / 0.25, labels


def batches(order, values, labels, size=10):
    return [(values[order[i:i + size]], labels[order[i:i + size]]) for i in range(0, len(order), size)]


def make_good(data, workers=0):
    return batches(numpy.random.permutation(100), *images(data))


def make_lossy(data):
    order = numpy.arange(100)
    order[7] = 8
    return batches(order, *images(data))


def make_mislabelled(data):
    values, labels = images(data)
    labels[3] = 4
    return batches(numpy.arange(100), values, labels)


def make_features(data):
    values, labels = images(data)
    return batches(numpy.arange(100), values.mean(axis=(2, 3)), labels)


def make_few(data):
    return make_features(data)[:5]


def make_turned(data):
    values, labels = images(data)
    return batches(numpy.arange(100), values.swapaxes(2, 3), labels)


def make_differing(data):
    good = make_good(data)
    return good[:-1] + [(good[-1][0][:, :, :14], good[-1][1])]


def make_infinite(data):
    class Infinite:
        def __iter__(self):
            while True:
                yield from make_good(data)
    return Infinite()
"""


class Check(WithScripts):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.directory, "checked.py"), "w", encoding="utf-8") as file:
            file.write(CHECKED_SCRIPT)
        # Each image has a pattern of its own.
        with open(os.path.join(self.directory, "train-images-idx3-ubyte"), "r+b") as images:
            images.seek(16)
            for i in range(100):
                images.write(bytes((i * j) % 251 for j in range(28 * 28)))

    def check(self, function, *words, code=0):
        done = self.run_tool(
            "check", f"checked.py:{function}", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", *words
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_a_good_loader_passes_by_its_contents(self):
        text = self.check("make_good", "--workers", "0,2")
        self.assertIn("samples are identified by their contents", text)
        self.assertIn("ok: each sample comes once per epoch, with its own label", text)

    def test_lost_and_repeated_samples_are_named(self):
        text = self.check("make_lossy", code=1)
        self.assertIn("1 sample never came: 7", text)
        self.assertIn("1 sample came more than once: 8", text)

    def test_labels_of_others_are_named(self):
        self.assertIn("1 sample came with the label of another sample: 3", self.check("make_mislabelled", code=1))

    def test_without_contents_labels_are_counted(self):
        self.assertIn("labels were counted", self.check("make_features"))

    def test_a_few_labels_are_named(self):
        text = self.check("make_few", "--epochs", "1", code=1)
        faults = [f"epoch 0: label {label} came 5 times, but 10 samples have it\n" for label in range(5)]
        self.assertIn(
            "epoch 0: it delivers 50 samples, but an epoch has 100\n" + "".join(faults)
            + "epoch 0: 5 more labels came too often or too rarely\n",
            text,
        )  # fmt: skip

    def test_arrays_in_another_order_are_told_after_their_shape(self):
        self.assertIn("f32[1x28x28] not in C order with labels", self.check("make_turned"))

    def test_batches_that_differ_are_faults(self):
        self.assertIn("that the dataset does not contain", self.check("make_differing", code=1))

    def test_the_dataset_must_be_named(self):
        done = self.run_tool("check", "mine.py:make_plain")
        self.assertEqual(
            (done.returncode, done.stderr),
            (2, "loadline: check mine.py:make_plain: name the dataset that it reads with --workload or --data, to "
             "compare its batches with\n"),
        )  # fmt: skip

    def test_epochs_without_end_are_faults(self):
        self.assertIn("does not end", self.check("make_infinite", code=1))


if __name__ == "__main__":
    unittest.main()
