"""loadline.Loader: our loaders in a user's loop."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

import numpy

import loadline
from data_support import SAMPLES, WithData, write_mnist, write_photos, write_volume


class Batches(WithData):
    def test_are_images_and_their_labels(self):
        for images, labels in self.loader(dtype="u8"):
            self.assertEqual(images.shape[1:], (1, 28, 28))
            self.assertEqual(images.dtype, numpy.uint8)
            self.assertEqual(labels.dtype, numpy.int32)
            self.assertTrue((images[:, 0, 0, 0] % 10 == labels).all())

    def test_have_each_sample_once_an_epoch(self):
        loader = self.loader(dtype="u8")
        for _ in range(3):
            seen = [int(image[0, 0, 0]) for images, _ in loader for image in images]
            self.assertEqual(sorted(seen), list(range(SAMPLES)))

    def test_have_another_order_each_epoch(self):
        loader = self.loader(dtype="u8")
        first, second = ([images[0, 0, 0, 0] for images, _ in loader] for _ in range(2))
        self.assertNotEqual(first, second)

    def test_come_as_stored_where_nothing_is_shuffled(self):
        seen = [int(image[0, 0, 0]) for images, _ in self.loader(dtype="u8", shuffle=False) for image in images]
        self.assertEqual(seen, list(range(SAMPLES)))

    def test_are_the_same_with_any_loader_and_number_of_workers(self):
        def epoch(**options):
            return [(images.copy(), labels.copy()) for images, labels in self.loader(data=self.data, **options)]

        reference = epoch(loader="serial")
        for options in ({"workers": 1}, {"workers": 3}, {"loader": "flow-graph"}):
            for (images, labels), (these, their) in zip(reference, epoch(**options), strict=True):
                numpy.testing.assert_array_equal(images, these)
                numpy.testing.assert_array_equal(labels, their)

    def test_of_a_path_alone_are_from_0_to_1(self):
        images, _ = next(iter(self.loader(shuffle=False)))
        self.assertEqual(images.dtype, numpy.float32)
        self.assertAlmostEqual(float(images[7].max()), 7 / 255, places=6)

    def test_are_normalised_as_the_workload_or_as_asked_for(self):
        images, _ = next(iter(self.loader(workload="mnist", shuffle=False)))
        self.assertAlmostEqual(float(images[7].max()), (7 / 255 - 0.1307) / 0.3081, places=5)
        images, _ = next(iter(self.loader(mean=0.5, std=0.25, shuffle=False)))
        self.assertAlmostEqual(float(images[7].max()), (7 / 255 - 0.5) / 0.25, places=5)

    def test_may_have_channels_last(self):
        images, _ = next(iter(self.loader(layout="nhwc")))
        self.assertEqual(images.shape, (8, 28, 28, 1))

    def test_tell_their_indices(self):
        for images, _, indices in self.loader(dtype="u8", indices=True):
            numpy.testing.assert_array_equal(images[:, 0, 0, 0], indices)

    def test_leave_out_the_short_one_where_asked_to(self):
        self.assertEqual([len(labels) for _, labels in self.loader(batch_size=48)], [48, 48, 4])
        self.assertEqual([len(labels) for _, labels in self.loader(batch_size=48, drop_last=True)], [48, 48])
        self.assertEqual(len(self.loader(batch_size=48)), 3)

    def test_of_a_volume_are_pairs_of_crops(self):
        with tempfile.TemporaryDirectory() as directory:
            write_volume(directory)
            inputs, targets = next(iter(self.loader(data=directory, crop_edge=4)))
        self.assertEqual((inputs.shape, targets.shape), ((8, 2, 4, 4, 4), (8, 3, 4, 4, 4)))

    def test_of_a_path_that_names_no_data_say_so(self):
        with self.assertRaisesRegex(loadline.Error, "cannot open /nowhere"):
            self.loader(data="/nowhere")


class Options(WithData):
    def test_that_are_unknown_are_told_with_the_nearest(self):
        with self.assertRaisesRegex(TypeError, r"no option 'prefetsch' \(did you mean prefetch\?\)"):
            self.loader(prefetsch=2)

    def test_that_are_none_are_not_given(self):
        unshuffled = self.loader(shuffle=False, order=None, dtype="u8")
        self.assertEqual([int(image[0, 0, 0]) for images, _ in unshuffled for image in images], list(range(SAMPLES)))
        self.assertEqual(self.loader(shuffle=None).state_dict(), self.loader().state_dict())
        self.assertEqual(self.loader(delivery=None).state_dict(), self.loader().state_dict())

    def test_are_held_to_the_rules_of_the_tool(self):
        with self.assertRaisesRegex(loadline.Error, "--dtype"):
            self.loader(dtype="f16")
        with self.assertRaisesRegex(loadline.Error, "--batch-size 101 is larger than the dataset of 100 samples"):
            self.loader(batch_size=101)
        with self.assertRaisesRegex(loadline.Error, "want one value"):
            self.loader(layout="nchw,nhwc")

    def test_of_the_wrong_kind_are_refused_by_name(self):
        for options, sentence in (
            ({"data": None}, "data: want a workload or the path of a dataset, got None"),
            ({"data": ""}, "data: want a workload or the path of a dataset, got ''"),
            ({"loader": 5}, "loader: want one that `loadline list` shows, got 5"),
            ({"hold": "a"}, "hold: want a whole number of at least 0, got 'a'"),
            ({"hold": -1}, "hold: want a whole number of at least 0, got -1"),
        ):
            with self.assertRaises(loadline.Error) as caught:
                self.loader(**options)
            self.assertEqual(str(caught.exception), sentence)
        with self.assertRaisesRegex(loadline.Error, "^epoch: want a whole number of at least 0, got 'a'$"):
            self.loader().set_epoch("a")

    def test_tell_the_batch_size_that_a_workload_chose(self):
        with tempfile.TemporaryDirectory() as directory:
            write_mnist(directory, 256 * 3)
            loader = self.loader(data=directory, workload="mnist", batch_size=None)
            self.assertEqual(loader.batch_size, len(next(iter(loader))[1]))
            self.assertRegex(repr(loader), rf"batches of {loader.batch_size}>$")

    def test_for_other_data_are_refused(self):
        def refusal(**options):
            with self.assertRaises(loadline.Error) as caught:
                self.loader(**options)
            return str(caught.exception)

        images = f"{self.data}, which holds images of one size"
        for workload in (None, "mnist"):
            self.assertEqual(
                refusal(image_size=8, workload=workload), f"--image-size: it applies to photographs, not to {images}"
            )
        self.assertEqual(refusal(crop_edge=4), f"--crop-edge: it applies to volumes, not to {images}")
        self.assertEqual(refusal(text_key="k"), f"--text-key: it applies to text, not to {images}")
        self.assertEqual(
            refusal(on_corrupt="skip"), f"--on-corrupt: it applies to photographs and text, not to {images}"
        )
        with tempfile.TemporaryDirectory() as volume:
            write_volume(volume)
            self.assertEqual(
                refusal(data=volume, crop_edge=4, image_size=8),
                f"--image-size: it applies to photographs, not to {volume}, which holds volumes",
            )

    def test_of_text_are_taken(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "train.jsonl")
            with open(path, "w") as file:
                file.write('{"body": "abc"}\n' * 8)
            tokens = next(iter(self.loader(data=path, workload="text", text_key="body", sequence_length=5)))[0]
            self.assertEqual(tokens.shape, (8, 6))
            with self.assertRaisesRegex(loadline.Error, 'pass workload="text" too'):
                self.loader(data=path, text_key="body")

    def test_that_name_a_loader_of_hdf5_tell_how_to_convert(self):
        with self.assertRaises(loadline.Error) as caught:
            self.loader(loader="hdf5")
        self.assertEqual(
            str(caught.exception),
            f"loader hdf5: it reads HDF5, but the format of {self.data} is idx; make a copy in HDF5 with "
            f"`loadline data convert {self.data} {self.data}.h5`",
        )
        with self.assertRaisesRegex(loadline.Error, "cannot open /nowhere: no such file or directory"):
            self.loader(data="/nowhere", loader="hdf5")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "train.jsonl")
            with open(path, "w") as file:
                file.write('{"text": "abc"}\n' * 8)
            with self.assertRaises(loadline.Error) as caught:
                self.loader(data=path, loader="hdf5")
        self.assertEqual(str(caught.exception), f"loader hdf5: it reads HDF5, but the format of {path} is text")

    def test_without_mean_or_deviation_cannot_normalise(self):
        with self.assertRaisesRegex(loadline.Error, "normalise: a path has no mean"):
            self.loader(normalise=True)
        with self.assertRaisesRegex(loadline.Error, "mean and std: want both"):
            self.loader(mean=0.5)

    def test_of_numpy_have_no_bfloat16(self):
        with self.assertRaisesRegex(loadline.Error, "NumPy has no such type"):
            self.loader(dtype="bf16")


class Ranks(WithData):
    def test_share_the_samples(self):
        seen = []
        for rank in range(3):
            for images, _ in self.loader(dtype="u8", rank=rank, ranks=3):
                seen += [int(image[0, 0, 0]) for image in images]
        self.assertEqual(sorted(seen), list(range(SAMPLES)))

    def test_are_those_of_the_environment(self):
        self.addCleanup(os.environ.pop, "RANK")
        self.addCleanup(os.environ.pop, "WORLD_SIZE")
        os.environ.update(RANK="1", WORLD_SIZE="4")
        loader = self.loader()
        self.assertEqual((loader.rank, loader.ranks, loader.samples), (1, 4, 25))
        self.assertEqual(self.loader(rank=0, ranks=1).samples, SAMPLES)
        os.environ["RANK"] = "one"
        with self.assertRaisesRegex(loadline.Error, "RANK: want a whole number, got 'one'"):
            self.loader()


class Epochs(WithData):
    @staticmethod
    def first_bytes(batches):
        return [int(images[0, 0, 0, 0]) for images, _ in batches]

    def test_can_be_named(self):
        loader = self.loader(dtype="u8")
        epochs = [self.first_bytes(loader) for _ in range(3)]
        loader.set_epoch(1)
        self.assertEqual(self.first_bytes(loader), epochs[1])
        self.assertEqual(self.first_bytes(loader), epochs[2])
        loader.set_epoch(2)
        self.assertEqual(self.first_bytes(loader), epochs[2])

    def test_that_are_left_early_are_followed_by_the_next(self):
        loader = self.loader(dtype="u8")
        epochs = [self.first_bytes(loader) for _ in range(2)]
        loader.set_epoch(0)
        for _ in loader:
            break
        self.assertEqual(self.first_bytes(loader), epochs[1])

    def test_go_on_in_their_middle(self):
        whole = self.loader(dtype="u8")
        expected = self.first_bytes(whole) + self.first_bytes(whole)
        first = self.loader(dtype="u8")
        seen = []
        for images, _ in first:
            seen.append(int(images[0, 0, 0, 0]))
            if len(seen) == 5:
                break
        state = first.state_dict()
        self.assertEqual((state["epoch"], state["batch"]), (0, 5))
        second = self.loader(dtype="u8", loader="serial")
        second.load_state_dict(state)
        self.assertEqual(second.state_dict(), state)
        self.assertEqual(seen + self.first_bytes(second) + self.first_bytes(second), expected)

    def test_that_have_ended_are_no_middle(self):
        loader = self.loader(batch_size=50)
        states = []
        for _ in loader:
            states.append(loader.state_dict())
        states.append(loader.state_dict())
        self.assertEqual([(s["epoch"], s["batch"]) for s in states], [(0, 1), (1, 0), (1, 0)])

    def test_that_are_none_are_refused(self):
        for state in ({}, "x", {"epoch": 0}):
            with self.assertRaisesRegex(loadline.Error, r"want what state_dict\(\) of a Loader returned"):
                self.loader().load_state_dict(state)

    def test_of_no_epoch_or_batch_are_refused(self):
        loader = self.loader()
        state = loader.state_dict()
        with self.assertRaisesRegex(loadline.Error, "load_state_dict: epoch: want a whole number of at least 0, got -1"):
            loader.load_state_dict({**state, "epoch": -1})
        with self.assertRaisesRegex(loadline.Error, "load_state_dict: batch: want a whole number of at least 0, got 'x'"):
            loader.load_state_dict({**state, "batch": "x"})
        self.assertEqual(loader.state_dict(), state)

    def test_of_another_order_are_no_place_to_go_on(self):
        state = self.loader(seed=1).state_dict()
        with self.assertRaisesRegex(loadline.Error, "the state has seed 1, but this loader has 2"):
            self.loader(seed=2).load_state_dict(state)

    def test_of_the_same_order_are_a_place_to_go_on_even_if_standard_values_are_named(self):
        state = self.loader(order="page-shuffled").state_dict()
        loader = self.loader(order="page-shuffled", page_samples=64, window_samples=4096)
        loader.load_state_dict(state)
        self.assertEqual(loader.state_dict(), state)

    def test_of_text_are_no_place_to_go_on_in_other_buckets_or_sequences(self):
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "train.txt"), "w") as file:
                file.writelines("word " * (1 + i % 7) + "\n" for i in range(64))
            text = {"data": directory, "workload": "text", "sequence_length": 8}
            state = self.loader(bucket_batches=2, **text).state_dict()
            self.loader(bucket_batches=2, **text).load_state_dict(state)
            with self.assertRaisesRegex(loadline.Error, "the state has bucket_batches 2, but this loader has 0"):
                self.loader(**text).load_state_dict(state)
            with self.assertRaisesRegex(loadline.Error, "the state has sequence_length 8, but this loader has 9"):
                self.loader(bucket_batches=2, **{**text, "sequence_length": 9}).load_state_dict(state)

    def test_in_order_of_completion_have_each_sample_once(self):
        loader = self.loader(dtype="u8", delivery="completion", workers=3)
        for _ in range(3):
            seen = [int(image[0, 0, 0]) for images, _ in loader for image in images]
            self.assertEqual(sorted(seen), list(range(SAMPLES)))
        with self.assertRaisesRegex(loadline.Error, "state_dict"):
            loader.state_dict()

    def test_are_gone_through_by_one_loop_at_a_time(self):
        loader = self.loader()
        first = iter(loader)
        next(first)
        second = iter(loader)
        next(second)
        with self.assertRaisesRegex(loadline.Error, "another iteration"):
            next(first)


class Corrupt(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.data = directory.name
        self.broken = write_photos(self.data)[3]
        with open(self.broken, "wb") as file:
            file.write(b"no image")

    def test_photographs_end_the_iteration_by_name(self):
        with loadline.Loader(self.data, batch_size=4, workers=2, image_size=32) as loader:
            with self.assertRaisesRegex(loadline.Error, os.path.basename(self.broken)):
                for _ in loader:
                    pass
            with self.assertRaisesRegex(loadline.Error, os.path.basename(self.broken)):
                for _ in loader:
                    pass

    def test_photographs_can_be_skipped_and_are_told(self):
        with loadline.Loader(self.data, batch_size=1, image_size=32, on_corrupt="skip") as loader:
            self.assertEqual(sum(len(labels) for _, labels in loader), 23)
            self.assertEqual(list(loader.skipped), [self.broken])


class Ends(WithData):
    def test_are_clean_whenever_they_come(self):
        loader = self.loader()
        batches = iter(loader)
        next(batches)
        loader.close()
        loader.close()
        with self.assertRaisesRegex(loadline.Error, "closed"):
            next(batches)
        with self.assertRaisesRegex(loadline.Error, "closed"):
            iter(loader)

    def run_script(self, script, **how):
        return subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), self.data],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **how,
        )

    def test_of_the_interpreter_close_what_is_open(self):
        process = self.run_script(
            """
            import sys, loadline
            loader = loadline.Loader(sys.argv[1], batch_size=8)
            loader.itself = loader  # a cycle, which the end may not collect
            images, labels = next(iter(loader))
            print("ok")
            """
        )
        out, err = process.communicate(timeout=300)
        self.assertEqual((process.returncode, out, err), (0, "ok\n", ""))

    def test_by_ctrl_c_while_a_batch_is_waited_for(self):
        with tempfile.TemporaryDirectory() as photos:
            (path,) = write_photos(photos, count=1, edge=1000)
            for i in range(4000):
                os.link(path, f"{path}-{i}.ppm")
            # One worker that decodes thousands of photographs for the first batch.
            process = self.run_script(
                f"""
                import os, loadline
                loader = loadline.Loader({photos!r}, workers=1, batch_size=4000, image_size=32, dtype="u8")
                try:
                    print("begins", flush=True)
                    next(iter(loader))
                except KeyboardInterrupt:
                    print("interrupted", flush=True)
                    os._exit(0)
                """
            )
            self.assertEqual(process.stdout.readline(), "begins\n")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
            self.assertEqual((process.returncode, out, err), (0, "interrupted\n", ""))

    def test_in_a_child_that_was_forked_off_are_its_own(self):
        loader = self.loader(dtype="u8")
        batches = iter(loader)
        images, _ = next(batches)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                try:
                    next(batches)
                except loadline.Error as error:
                    code = 0 if "forked" in str(error) else 2
                if code == 0:
                    code = 0 if sum(len(labels) for _, labels in loader) == SAMPLES else 3
                del images, batches
                gc.collect()
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(list(map(len, batches))), len(loader) - 1)

    def test_of_a_wait_leave_other_threads_alone(self):
        loader = self.loader(loader="serial")
        count = []
        other = threading.Thread(target=lambda: count.append(sum(len(labels) for _, labels in loader)))
        other.start()
        other.join()
        self.assertEqual(count, [SAMPLES])


if __name__ == "__main__":
    unittest.main()
