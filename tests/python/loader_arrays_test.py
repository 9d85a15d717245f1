"""loadline.Loader: the memory of its batches, as arrays and tensors of others."""

import gc
import struct
import unittest

import numpy

import loadline
from data_support import WithData, needs_torch

try:
    import torch
except ImportError:
    torch = None


class Memory(WithData):
    def test_is_not_copied_and_comes_back(self):
        loader = self.loader(loader="serial", hold=1)
        places = {images.ctypes.data for images, _ in loader}
        self.assertLessEqual(len(places), 3)

    def test_stays_while_anything_looks_at_it(self):
        loader = self.loader(dtype="u8", shuffle=False, hold=2)
        batches = iter(loader)
        corner = next(batches)[0][3:, :, 5:7, 5]  # the array itself is dropped at once
        for _ in range(2):
            next(batches)
        gc.collect()
        self.assertEqual(int(corner[0, 0, 0]), 3)

    def test_outlives_its_loader(self):
        loader = loadline.Loader(self.data, batch_size=8, dtype="u8", shuffle=False)
        images, labels = next(iter(loader))
        loader.close()
        del loader
        gc.collect()
        self.assertEqual(images[:, 0, 0, 0].tolist(), list(range(8)))
        self.assertEqual(labels.tolist(), list(range(8)))

    def test_that_is_held_for_longer_than_promised_is_an_error(self):
        for options in ({}, {"loader": "serial"}):
            loader = self.loader(hold=3, **options)
            kept = []
            with self.assertRaisesRegex(loadline.Error, "5 batches of the loader are still held, but hold=3"):
                for batch in loader:
                    kept.append(batch)
            self.assertEqual(len(kept), 5)
            kept.clear()
            del batch
            self.assertEqual(len(list(zip(range(5), map(len, loader)))), 5)

    def test_may_be_written_to(self):
        for images, _ in self.loader():
            images += 1
            self.assertGreaterEqual(float(images.min()), 1)

    def test_of_a_copy_is_nobodys_concern(self):
        kept = [images.copy() for images, _ in self.loader(hold=0, batch_size=10)]
        self.assertEqual(len(kept), 10)


class Arrays(WithData):
    def arrays(self, **options):
        return next(iter(self.loader(as_="array", shuffle=False, **options)))

    def test_are_described(self):
        images, labels = self.arrays()
        self.assertEqual((images.shape, images.ndim, images.dtype), ((8, 1, 28, 28), 4, "float32"))
        self.assertEqual((images.itemsize, images.nbytes, len(images)), (4, 8 * 784 * 4, 8))
        self.assertEqual(repr(labels), "<loadline.Array int32 (8,)>")

    def test_are_taken_by_numpy_in_each_way(self):
        images, labels = self.arrays(dtype="u8")
        place = images.__array_interface__["data"][0]
        for taken in (numpy.asarray(images), numpy.from_dlpack(images), numpy.frombuffer(images, numpy.uint8)):
            self.assertEqual(taken.ctypes.data, place)
        self.assertEqual(numpy.asarray(labels).tolist(), list(range(8)))
        self.assertEqual(numpy.asarray(images).strides, (784, 784, 28, 1))

    def test_are_buffers(self):
        images, labels = self.arrays(dtype="u8")
        view = memoryview(images)
        self.assertEqual((view.shape, view.format, view.readonly), ((8, 1, 28, 28), "B", False))
        self.assertEqual(view[5, 0, 0, 0], 5)
        self.assertEqual(bytes(labels), struct.pack("8i", *range(8)))
        self.assertEqual(loadline._core.touch(images), 8 * 784)

    def test_keep_their_memory_for_what_was_made_of_them(self):
        loader = self.loader(as_="array", dtype="u8", shuffle=False)
        batches = iter(loader)
        view = memoryview(next(batches)[0])
        capsule = next(batches)[0].__dlpack__()
        next(batches)
        with self.assertRaisesRegex(loadline.Error, "hold=2"):
            kept = [next(batches), next(batches), next(batches)]
        self.assertEqual(view[5, 0, 0, 0], 5)
        del view, capsule
        self.assertIsNotNone(next(batches))

    def test_of_bfloat16_are_refused_where_there_is_no_such_type(self):
        images, _ = self.arrays(dtype="bf16")
        self.assertEqual(images.dtype, "bfloat16")
        with self.assertRaisesRegex(BufferError, "bfloat16"):
            memoryview(images)
        with self.assertRaisesRegex(loadline.Error, "NumPy has no type bfloat16"):
            numpy.asarray(images)
        self.assertEqual(loadline._core.touch(images), 8 * 784 * 2)


@needs_torch
class Tensors(WithData):
    def test_are_the_arrays_of_the_loader(self):
        images, labels, indices = next(iter(self.loader(as_="torch", dtype="u8", shuffle=False, indices=True)))
        self.assertEqual((tuple(images.shape), images.dtype), ((8, 1, 28, 28), torch.uint8))
        self.assertEqual((labels.tolist(), labels.dtype), (list(range(8)), torch.int64))
        self.assertEqual((indices.tolist(), indices.dtype), (list(range(8)), torch.int64))

    def test_are_made_of_arrays_too(self):
        images, _ = next(iter(self.loader(as_="array", shuffle=False)))
        tensor = torch.from_dlpack(images)
        self.assertEqual(tensor.data_ptr(), images.__array_interface__["data"][0])
        self.assertEqual(tensor.dtype, torch.float32)

    def test_may_be_bfloat16(self):
        images, _ = next(iter(self.loader(as_="torch", dtype="bf16", shuffle=False)))
        self.assertEqual(images.dtype, torch.bfloat16)
        self.assertAlmostEqual(float(images[7].max()), 7 / 255, places=3)

    def test_hold_their_memory_until_they_are_dropped(self):
        kept = []
        with self.assertRaisesRegex(loadline.Error, "hold=2"):
            for images, _ in self.loader(as_="torch"):
                kept.append(images[0, 0])


if __name__ == "__main__":
    unittest.main()
