"""scaling_test.py TOOL MPIRUN: scaling studies of ranks that mpirun starts, and of results that are given."""

import os
import re
import signal
import subprocess
import sys
import unittest

from support import QUICK, REPOSITORY, TOOL, ResultsTest, parse, validate

MPIRUN = sys.argv.pop(1)
RUN = ["--workload", "cifar10", "--loader", "serial", "--ceilings", "off", *QUICK]
LAUNCHER = f"{MPIRUN} --oversubscribe -n {{ranks}}"


class Scaling(ResultsTest):
    kinds = ("cifar10",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # mpirun refuses to run as root, as in a container, unless two variables confirm it.
        cls.work.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def command(self, *arguments):
        return ["scale", "--launcher", LAUNCHER, *RUN, *arguments]

    def study(self, name):
        document = parse((self.work.path / name).read_text())
        validate(document, name)
        return document

    def scale(self, *arguments, code=0):
        done = subprocess.run([str(TOOL), *self.command(*arguments)], cwd=self.work.path, env=self.work.environment,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=600)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_measures_each_number_of_ranks_and_goes_on_by_the_same_command(self):
        done = self.scale("--ranks", "1,2", "-o", "weak.json")
        self.assertIn("cifar10, serial: weak scaling of FULL, batches of 64 per rank\n", done.stdout)
        self.assertIn("study: weak.json\n", done.stdout)
        study = self.study("weak.json")
        self.assertEqual((study["scaling"], study["complete"]), ("weak", True))
        self.assertEqual([source["file"] for source in study["sources"]], ["weak-1.json", "weak-2.json"])
        points = study["curves"][0]["points"]
        self.assertEqual([(p["ranks"], p["batch_size"], p["global_batch"]) for p in points], [(1, 64, 64), (2, 64, 128)])
        self.assertIsNone(points[0]["slowest_rank_share"])
        self.assertIsNotNone(points[1]["slowest_rank_share"])
        for point in points:
            self.assertGreater(point["read_bytes_per_second"], 0)

        runs = [source["run_id"] for source in study["sources"]]
        again = self.scale("--ranks", "1,2", "-o", "weak.json")
        self.assertIn("2 ranks: weak-2.json is complete", again.stderr)
        self.assertEqual([source["run_id"] for source in self.study("weak.json")["sources"]], runs)
        (self.work.path / "weak-2.json").unlink()
        self.scale("--ranks", "1,2", "-o", "weak.json")
        after = [source["run_id"] for source in self.study("weak.json")["sources"]]
        self.assertEqual(after[0], runs[0])
        self.assertNotEqual(after[1], runs[1])

        other = self.scale("--ranks", "1,2", "-o", "weak.json", "--trials", "3", code=1)
        self.assertEqual(other.stderr.splitlines()[-1],
                         "loadline: weak-1.json was measured with a different --trials; remove it, or name another "
                         "--output; 0 of 2 numbers of ranks are measured")
        self.check_reports("weak.json")

    def check_reports(self, name):
        text = self.work.run(["report", name])
        self.assertIn("weak scaling of FULL", text)
        rows = self.work.run(["report", name, "--format", "csv"]).splitlines()
        self.assertEqual(len(rows), 3)
        self.assertTrue(rows[0].startswith("workload,configuration,scaling,mode,ranks,nodes,devices,"))
        self.assertIn("\n## Throughput over ranks\n", self.work.run(["report", name, "--format", "markdown"]))
        self.work.run(["report", name, "-o", "weak.html", "--overwrite"])
        page = (self.work.path / "weak.html").read_text()
        self.assertIn('id="rank-scaling"', page)
        self.assertIn('id="rank-lost"', page)

    def test_strong_scaling_shares_the_batch(self):
        self.scale("--ranks", "1,2", "--scaling", "strong", "-o", "strong.json", "-q")
        study = self.study("strong.json")
        self.assertEqual(study["scaling"], "strong")
        points = study["curves"][0]["points"]
        self.assertEqual([(p["batch_size"], p["global_batch"]) for p in points], [(64, 64), (32, 64)])
        # The same study from the files, in any order. They say what kind it is.
        self.work.run(["scale", "strong-2.json", "strong-1.json", "-o", "files.json"])
        self.assertEqual(self.study("files.json"), study)

    def test_what_fails_keeps_what_is_measured(self):
        launcher = 'bash -c "if [ {ranks} = 3 ]; then exit 7; fi; exec \\"\\$@\\"" x ' + LAUNCHER
        done = self.scale("--ranks", "1,2,3", "-o", "failed.json", "--launcher", launcher, code=1)
        self.assertRegex(done.stderr.splitlines()[-1],
                         r"^loadline: bash .* ended with exit code 7; 2 of 3 numbers of ranks are measured, and "
                         r"failed\.json holds these; the same command continues$")
        self.assertFalse(self.study("failed.json")["complete"])

    @unittest.skipUnless(os.geteuid() == 0, "only root is refused")
    def test_root_is_told_what_mpirun_wants_before_anything_is_measured(self):
        environment = {name: value for name, value in self.work.environment.items() if not name.startswith("OMPI_")}
        done = subprocess.run([str(TOOL), *self.command("--ranks", "1,2", "-o", "root.json")], cwd=self.work.path,
                              env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "loadline: scale: mpirun of Open MPI refuses to run as root: set OMPI_ALLOW_RUN_AS_ROOT=1 "
                             "and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or use another user\n"))
        self.assertFalse(list(self.work.path.glob("root*")))

    def stop_at_two_ranks(self, *options):
        """Sends a signal at the second number of ranks; returns what is said, and the words of the command."""
        # Seconds of steps that take no CPU.
        words = self.command("--ranks", "1,2", *options, "--mode", "full", "--compute", "device:samples_per_second=20000",
                             "--trials", "40", "--trial-seconds", "0.05")
        process = subprocess.Popen([str(TOOL), *words], cwd=self.work.path, env=self.work.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stderr:
            if line.startswith("2 ranks: "):
                break
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        return err, words

    def test_a_signal_ends_it_and_the_same_command_goes_on(self):
        err, words = self.stop_at_two_ranks("-o", "stopped.json")
        self.assertIn("loadline: interrupted; 1 of 2 numbers of ranks are measured; the same command continues\n", err)
        self.assertFalse((self.work.path / "stopped.json").exists())
        first = self.work.result("stopped-1.json")["run_id"]
        self.work.run(words)
        self.assertEqual(self.study("stopped.json")["sources"][0]["run_id"], first)

    def test_a_command_that_named_no_output_is_told_which_one_continues(self):
        err, words = self.stop_at_two_ranks()
        name = re.search(r"; the same command with -o (loadline-scaling-\S+\.json) continues\n", err)
        self.assertTrue(name, err)
        first = self.work.result(name[1].replace(".json", "-1.json"))["run_id"]
        self.work.run([*words, "-o", name[1]])
        self.assertEqual(self.study(name[1])["sources"][0]["run_id"], first)

    def test_says_which_exclusions_no_cell_meets(self):
        arguments = ["--ranks", "1,2", "--launcher", "no-such-launcher {ranks}", "--exclude", "loader=serail,loader=serial",
                     "--loader", "serial,thread-pool"]
        self.assertEqual(self.scale(*arguments, code=1).stderr.splitlines()[0], "--exclude: no cell meets loader=serail")
        self.assertNotIn("no cell meets", self.scale(*arguments, "-q", code=1).stderr)

    def test_refuses_in_one_sentence(self):
        for arguments, code, sentence in (
                (["scale"], 2, "scale: want --ranks to measure, or results of earlier runs"),
                (["scale", "--ranks", "2"], 2, "--ranks: want at least two numbers of ranks"),
                (["scale", "--ranks", "0,1"], 2, "--ranks: want whole numbers of at least 1, got '0'"),
                (["scale", "--ranks", "1,2", "--scaling", "week"], 2,
                 "--scaling 'week': want one of weak, strong (did you mean weak?)"),
                (["scale", "--ranks", "1,2", "--launcher", "mpirun -n 2"], 2,
                 "--launcher: want {ranks} in place of the number of ranks, got 'mpirun -n 2'"),
                (["scale", "--ranks", "1,2", "--launcher", "no-such-launcher {ranks}"], 1,
                 "cannot run no-such-launcher: No such file or directory; 0 of 2 numbers of ranks are measured"),
                (["scale", "--ranks", "1,3", "--scaling", "strong", "--batch-size", "64"], 2,
                 "--scaling strong: 3 ranks cannot share a batch of 64 evenly")):
            done = subprocess.run([str(TOOL), *arguments], cwd=self.work.path, env=self.work.environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1]), (code, f"loadline: {sentence}"), done.stderr)

    def test_every_member_is_documented(self):
        def names(node):
            if isinstance(node, list):
                return set().union(*map(names, node))
            if not isinstance(node, dict):
                return set()
            return set(node.get("properties", {})).union(*map(names, node.values()))

        page = (REPOSITORY / "docs" / "scaling.md").read_text()
        schema = parse((REPOSITORY / "results" / "scaling_schema.json").read_text())
        self.assertEqual(names(schema) - set(re.findall(r"`(\w+)`", page)), set())

    def test_the_committed_study_is_valid(self):
        for path in sorted((REPOSITORY / "results").glob("*scaling*.json")):
            if path.name != "scaling_schema.json":
                validate(parse(path.read_text()), path.name)


if __name__ == "__main__":
    unittest.main()
