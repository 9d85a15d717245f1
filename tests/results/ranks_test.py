"""ranks_test.py TOOL MPIRUN: ranks that mpirun starts are one run with one result, and end together."""

import os
import select
import shutil
import signal
import subprocess
import sys
import unittest

from support import QUICK, TOOL, ResultsTest, keep_ceilings_small

HOST = os.uname().nodename
MPIRUN = sys.argv.pop(1)
CELLS = ["run", "--workload", "cifar10", "--loader", "serial", "--ceilings", "off", *QUICK]
# Each process writes its id before it becomes the tool. The words for one rank follow those for all.
EACH = '''echo $$ > "pid.$OMPI_COMM_WORLD_RANK"; own="RANK_$OMPI_COMM_WORLD_RANK"
if [ -n "$OWN_CWD" ]; then
  mkdir -p "cwd-$OMPI_COMM_WORLD_RANK" && cd "cwd-$OMPI_COMM_WORLD_RANK" && ln -sfn "../data-$OMPI_COMM_WORLD_RANK" own
fi
exec "$@" ${!own}'''


class RanksTest(ResultsTest):
    """Starts ranks, and has what they say."""

    kinds = ("cifar10",)

    def start(self, arguments, count=2, **environment):
        # mpirun refuses to run as root, as in a container, unless two variables confirm it.
        environment = {**self.work.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       **environment}
        return subprocess.Popen([MPIRUN, "--oversubscribe", "-n", str(count), "bash", "-c", EACH, "rank", str(TOOL),
                                 *arguments],
                                cwd=self.work.path, env=environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=keep_ceilings_small)

    def finish(self, process):
        out, err = process.communicate(timeout=300)
        sentences = [line for line in err.splitlines() if line.startswith("loadline: ")]
        return process.returncode, out, err, sentences

    def run_all(self, *arguments, **environment):
        return self.finish(self.start(list(arguments), **environment))


class Ranks(RanksTest):
    def test_is_one_run_with_one_table_one_verdict_and_one_result(self):
        before = self.documents()
        code, out, err, sentences = self.run_all(*CELLS, "--ceilings", "on", "-o", "one.json")
        self.assertEqual((code, sentences), (0, []), err)
        for once in ("samples/s, mean", "ranks: 2 by mpirun", "result: one.json"):
            self.assertEqual(out.count(once), 1, out)
        held = "holds up the others (for|is too noisy)"
        unwrapped = " ".join(out.split())
        self.assertRegex(unwrapped, f"cifar10, serial: (how long )?the last of 2 ranks to end {held}")
        self.assertEqual(self.documents() - before, {"one.json"})
        result = self.work.result("one.json")
        self.assertEqual(result["status"], "complete")
        self.assertEqual(len(result["ranks"]["places"]), 2)
        for cell in result["cells"]:
            self.assertEqual(cell["world_size"], 2)
            for trial in cell["trials"]:
                self.check_trial(trial)

    def test_ranks_that_train_sum_up_their_gradients_and_keep_one_model(self):
        code, out, err, sentences = self.run_all(*CELLS, "--compute", "cnn:network=lenet,bucket_bytes=100000",
                                                 "--mode", "synthetic,full", "-o", "gradients.json")
        self.assertEqual((code, sentences), (0, []), err)
        self.assertIn("gradients hold up the step for", out)
        trained = [cell for cell in self.work.result("gradients.json")["cells"] if cell["mode"] != "OVERHEAD"]
        self.assertEqual(len(trained), 2)
        for cell in trained:
            for trial in cell["trials"]:
                ranks = trial["ranks"]
                self.assertTrue(ranks["same_weights"])
                self.assertEqual(ranks["gradients"]["buckets"], 2)
                self.assertGreater(ranks["gradients"]["step_bytes"], 4 * 61706)
                self.assertLessEqual(ranks["least_gradient_share"], ranks["gradient_share"])
                names = [stage["name"] for stage in trial["stages"]]
                self.assertEqual(names, ["host waits", "copy", "forward", "backward", "optimizer", "gradients",
                                         "other", "slowest rank"])
        self.assertIn(",gradient_share,", self.work.run(["report", "gradients.json", "--format", "csv", "-o", "-"]))

    def test_ranks_without_buckets_train_alone(self):
        code, _, err, _ = self.run_all(*CELLS, "--compute", "cnn:network=lenet,bucket_bytes=0", "--mode",
                                       "synthetic,full", "-o", "own.json")
        self.assertEqual(code, 0, err)
        for cell in self.work.result("own.json")["cells"]:
            self.assertFalse(any("gradients" in trial["ranks"] for trial in cell["trials"]))

    def test_devices_of_ranks_wait_for_each_other(self):
        for buckets in ("", ",bucket_bytes=1e6"):
            compute = f"device:samples_per_second=50000,gradient_bytes=4e6{buckets}"
            code, out, err, _ = self.run_all(*CELLS, "--compute", compute, "--overwrite", "-o", "devices.json")
            self.assertEqual(code, 0, err)
            self.assertIn("gradients hold up the step for", out)
            expected = {"step_bytes": 4000000, "buckets": 4} if buckets else {"step_bytes": 0, "buckets": 1}
            for cell in self.work.result("devices.json")["cells"]:
                for trial in cell["trials"]:
                    self.assertEqual(trial["ranks"].get("gradients"),
                                     None if cell["mode"] in ("IO", "OVERHEAD") else expected)

    def test_each_sample_comes_once_an_epoch_whatever_the_loader_and_the_number_of_ranks(self):
        for count in (2, 3, 4):
            code, out, err, _ = self.finish(self.start(
                ["run", "--workload", "cifar10", "--loader", "serial,thread-pool,flow-graph", "--workers", "2", "--mode",
                 "io", "--ceilings", "off", "--trials", "1", "--trial-batches", "60", "--batch-size", "16",
                 "--overwrite", "-o", "once.json"], count))
            self.assertEqual(code, 0, err)
            cells = [cell for cell in self.work.result("once.json")["cells"] if cell["mode"] == "IO"]
            self.assertEqual({cell["loader"] for cell in cells}, {"serial", "thread-pool", "flow-graph"})
            for cell in cells:
                coverage = cell["trials"][0]["ranks"]["coverage"]
                self.assertGreater(coverage["proved_epochs"], 0, cell["name"])
                self.assertEqual(coverage["wrong_epochs"], 0, cell["name"])
            self.assertIn("Ranks together read each sample exactly once in", " ".join(out.split()))

    def test_one_rank_a_node_copies_the_data_and_all_read_the_copy(self):
        node = self.work.path / "node"
        node.mkdir()
        for copied in (1, 0):
            code, out, err, sentences = self.run_all(*CELLS, "--stage", "node", "--overwrite", "-o", "staged.json")
            self.assertEqual((code, sentences), (0, []), err)
            self.assertEqual(out.count("\nstaged: "), 1, out)
            data = self.work.result("staged.json")["datasets"][0]
            self.assertTrue(data["path"].startswith(f"{node}/loadline-"))
            staged = data["staged"]
            self.assertEqual((staged["nodes"], staged["copied_nodes"]), (1, copied))
            self.assertEqual(staged["seconds"] is None, copied == 0)
            self.assertEqual(len(os.listdir(node)), 1)

    def test_a_rank_that_cannot_copy_ends_all_with_one_sentence(self):
        code, out, err, sentences = self.run_all(*CELLS, "--stage", "nowhere", "-o", "nowhere.json")
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(len(sentences), 1, err)
        self.assertRegex(sentences[0], "^loadline: cannot stage .* in nowhere: the directory does not exist$")
        self.assertFalse((self.work.path / "nowhere.json").exists())

    def documents(self):
        return {name for name in os.listdir(self.work.path) if name.endswith(".json")}

    def check_trial(self, trial):
        each = trial["ranks"]["each"]
        self.assertEqual([share["rank"] for share in each], [0, 1])
        self.assertEqual(trial["samples"], sum(share["samples"] for share in each))
        walls = [share["wall_seconds"] for share in each]
        self.assertEqual(trial["wall_seconds"], max(walls))
        starts = [share["started_seconds"] for share in each]
        ends = [start + wall for start, wall in zip(starts, walls)]
        self.assertEqual(ends[trial["ranks"]["slowest"]], max(ends))
        self.assertAlmostEqual(trial["ranks"]["held_share"], 1 - min(ends) / max(ends))
        self.assertEqual((min(starts), max(starts)), (0, trial["ranks"]["skew_seconds"]))

    def test_a_process_alone_has_no_ranks(self):
        result = self.work.run_for_result("alone.json", CELLS[1:])
        self.assertNotIn("ranks", result)
        self.assertFalse(any("ranks" in trial for cell in result["cells"] for trial in cell["trials"]))

    def test_ranks_with_shares_of_their_own_are_no_one_run(self):
        code, _, err, _ = self.run_all(*CELLS, "--world-size", "2", RANK_0="--rank 0 -o a.json",
                                       RANK_1="--rank 1 -o b.json")
        self.assertEqual(code, 0, err)
        for name in ("a.json", "b.json"):
            self.assertNotIn("ranks", self.work.result(name))

    def test_refuses_other_options_and_names_rank_and_host(self):
        code, out, err, sentences = self.run_all(*CELLS, "-o", "options.json", RANK_1="--batch-size 32")
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(sentences, [f"loadline: rank 1 on {HOST} was started with --batch-size 32 and rank 0 with 64"])
        self.assertFalse((self.work.path / "options.json").exists())
        _, _, _, sentences = self.run_all(*CELLS, "-o", "options.json", RANK_1="--filter mode=io")
        self.assertEqual(sentences, [f"loadline: rank 1 on {HOST} was started with --filter mode=io and rank 0 without it"])

    def test_refuses_a_baseline_of_another_number_of_ranks_before_the_run(self):
        baselines = {"LOADLINE_BASELINES": str(self.work.path / "baselines")}
        alone = self.work.run_for_result("one-process.json", CELLS[1:])
        self.assertEqual(alone["status"], "complete")
        (self.work.path / "baselines").mkdir()
        shutil.copy(self.work.path / "one-process.json", self.work.path / "baselines" / "main.json")
        code, out, err, sentences = self.run_all(*CELLS, "--baseline", "main", "-o", "baseline.json", **baselines)
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(len(sentences), 1, err)
        self.assertTrue(sentences[0].startswith("loadline: cannot compare this run with baseline main: they differ in "),
                        sentences)
        self.assertIn("processes (1 and 2)", sentences[0])
        self.assertFalse((self.work.path / "baseline.json").exists())

    def test_refuses_other_data_and_names_rank_and_host(self):
        for rank, samples in ((0, "640"), (1, "1280")):
            data = str(self.work.path / f"data-{rank}")
            self.work.run(["data", "make", "cifar10", data, "--samples", samples, "--quiet"])
        # Each rank sees other files by the same name, as on node-local disks.
        code, out, err, sentences = self.run_all(*CELLS, "--data", "/proc/self/cwd/own", "-o", "data.json", OWN_CWD="1")
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(len(sentences), 1, err)
        self.assertTrue(sentences[0].startswith(f"loadline: rank 1 on {HOST} has different data from rank 0: "),
                        sentences)


class LostRanks(RanksTest):
    def lose(self, number, rank, name, *more):
        """Sends the signal to a rank once trials have begun; returns what is said after that, and mpirun's exit code."""
        (self.work.path / name).unlink(missing_ok=True)
        process = self.start([*CELLS, "--trials", "100000", "--rank-timeout", "5", "-o", name, *more])
        for line in process.stderr:
            if line.startswith("trial 2/"):
                break
        else:
            self.fail("no trial has begun")
        pids = [int((self.work.path / f"pid.{r}").read_text()) for r in (0, 1)]
        ends = [os.pidfd_open(pid) for pid in pids]
        os.kill(pids[rank], number)
        code, _, _, sentences = self.finish(process)
        for end in ends:
            self.assertTrue(select.select([end], [], [], 10)[0], f"rank {ends.index(end)} is left")
            os.close(end)
        return code, sentences

    def test_a_killed_rank_ends_the_run_which_keeps_what_it_has(self):
        code, sentences = self.lose(signal.SIGKILL, 1, "killed.json")
        self.assertNotEqual(code, 0)
        self.assertEqual(sentences, [f"loadline: rank 1 on {HOST} was killed or crashed; what was measured before is "
                                     "in killed.json; continue with loadline run --resume killed.json on 2 ranks, "
                                     "started as before"])
        result = self.work.result("killed.json")
        self.assertEqual(result["status"], "partial")
        self.assertTrue(all(cell["trials"] for cell in result["cells"]))

    def test_the_first_rank_is_missed_by_the_next(self):
        code, sentences = self.lose(signal.SIGKILL, 0, "first.json")
        self.assertNotEqual(code, 0)
        self.assertEqual(len(sentences), 1)
        self.assertIn(f"rank 0 on {HOST} ", sentences[0])

    def test_a_lost_rank_leaves_nobody_waiting_for_its_gradients(self):
        steps = ("--mode", "synthetic", "--compute", "cnn:network=lenet")
        code, sentences = self.lose(signal.SIGKILL, 1, "summing.json", *steps)
        self.assertNotEqual(code, 0)
        self.assertEqual(sentences, [f"loadline: rank 1 on {HOST} was killed or crashed; what was measured before is "
                                     "in summing.json; continue with loadline run --resume summing.json on 2 ranks, "
                                     "started as before"])
        code, sentences = self.lose(signal.SIGSTOP, 1, "stopped.json", *steps)
        self.assertNotEqual(code, 0)
        self.assertEqual(sentences, [f"loadline: rank 1 on {HOST} was silent for 5 s; what was measured "
                                     "before is in stopped.json; continue with loadline run --resume stopped.json on 2 "
                                     "ranks, started as before"])

    def test_a_hanging_rank_ends_the_run(self):
        code, sentences = self.lose(signal.SIGSTOP, 1, "hanging.json")
        self.assertNotEqual(code, 0)
        self.assertEqual(sentences, [f"loadline: rank 1 on {HOST} was silent for 5 s; what was measured "
                                     "before is in hanging.json; continue with loadline run --resume hanging.json on 2 "
                                     "ranks, started as before"])

    def test_a_first_rank_that_hangs_is_given_up_by_the_next_and_says_so_itself_if_it_wakes(self):
        code, sentences = self.lose(signal.SIGSTOP, 0, "first-hangs.json")
        self.assertNotEqual(code, 0)
        self.assertEqual(sentences[0], f"loadline: rank 0 on {HOST} was silent for 5 s")
        for sentence in sentences[1:]:
            self.assertRegex(sentence, rf"^loadline: rank 0 on {HOST} was suspended for [\d.]+ s, so the others gave up "
                                       r"on it; what was measured before is in first-hangs.json; continue with loadline "
                                       r"run --resume first-hangs.json on 2 ranks, started as before$")


if __name__ == "__main__":
    unittest.main()
