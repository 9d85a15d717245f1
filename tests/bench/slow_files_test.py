"""slow_files_test.py SLOW_FILES: the throttled storage of bench/forecast_check.py, if FUSE is there and it was built."""

import mmap
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop())


@unittest.skipUnless(PROGRAM.exists(), "slow_files is not built")
@unittest.skipUnless(os.access("/dev/fuse", os.R_OK | os.W_OK), "no /dev/fuse")
class SlowFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name, "source")
        self.shown = pathlib.Path(folder.name, "shown")
        self.source.mkdir()
        self.shown.mkdir()
        self.source.joinpath("file").write_text("first")

    def show(self, limits):
        process = subprocess.Popen([PROGRAM, self.source, self.shown, limits])
        self.addCleanup(process.wait, timeout=30)
        self.addCleanup(subprocess.run, ["fusermount3", "-u", self.shown], check=True)
        for _ in range(100):
            if self.shown.joinpath("file").exists():
                return
            time.sleep(0.1)
        self.fail("slow_files does not come up")

    def change_unseen(self, text):
        """Changes the file but not its size and time, so that the page cache does not notice."""
        file = self.source / "file"
        before = file.stat()
        file.write_text(text)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def test_reads_each_opening_from_the_storage_even_while_another_has_the_file_open(self):
        self.show("latency=0")
        with open(self.shown / "file") as one, open(self.shown / "file") as other:
            self.assertEqual(one.read(), "first")
            self.change_unseen("other")
            self.assertEqual(other.read(), "other", "what one rank has read, no other gets for nothing")

    def test_lists_folders_of_more_names_than_one_answer_holds(self):
        folder = self.source / "folder"
        folder.mkdir()
        names = [f"{i:03}-{'x' * 200}" for i in range(500)]
        for name in names:
            folder.joinpath(name).touch()
        self.show("latency=0")
        self.assertEqual(sorted(os.listdir(self.shown / "folder")), names)
        with self.assertRaises(FileNotFoundError):
            os.stat(self.shown / "folder" / "absent")

    def test_keeps_what_was_read_while_the_file_is_open(self):
        self.show("latency=0")
        with open(self.shown / "file", "rb") as file:
            self.assertEqual(os.pread(file.fileno(), 5, 0), b"first")
            self.change_unseen("other")
            self.assertEqual(os.pread(file.fileno(), 5, 0), b"first", "so what is read ahead is not read again")

    def test_can_be_mapped_as_loadline_maps_files(self):
        self.show("latency=0")
        with open(self.shown / "file") as file:
            mapped = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
            self.assertEqual(mapped[:], b"first")


if __name__ == "__main__":
    unittest.main()
