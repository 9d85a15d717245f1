"""schema_test.py TOOL: real results of every kind are valid by results/schema.json, which refuses what is not."""

import copy
import functools
import json
import signal
import unittest

import jsonschema

from support import QUICK, REPOSITORY, SCHEMA_FILE, ResultsTest, late_fields, parse, training_schema, validate

SCHEMA = parse(SCHEMA_FILE.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PLANTED = {"planted": True}
# Ceilings take most of a short run; tests of something else leave them out.
WITHOUT_CEILINGS = ["--ceilings", "off"]


def read_until(process, word, times=1):
    """Reads stderr up to the line in which `word` comes for the `times`-th time."""
    for line in process.stderr:
        times -= word in line
        if times == 0:
            return
    raise AssertionError(f"the run ended without saying '{word}'")


class Schema(ResultsTest):
    kinds = ("mnist", "cifar10", "cifar100")

    def check(self, result):
        """What a schema cannot say: that the parts of a result, which has been validated, fit together."""
        self.assertIn("schema_version", result)  # by which validate() knows a result
        names = [cell["name"] for cell in result["cells"]]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(names.count("OVERHEAD"), 1)
        measured = result["cells"] + result["ceilings"]
        places = sorted(trial["place"] for one in measured for trial in one["trials"])
        self.assertEqual(places, list(range(len(places))))
        for cell in result["cells"]:
            self.check_cell(cell, len(result["datasets"]))
        ids = [ceiling["id"] for ceiling in result["ceilings"]]
        self.assertEqual(len(set(ids)), len(ids))
        for ceiling in result["ceilings"]:
            self.check_ceiling(ceiling)
        for cell in result["cells"]:
            self.assertLessEqual(set(cell["bounds"]), {c["id"] for c in result["ceilings"] if c["upper_bound"]})
            if cell["ceiling"]:
                self.assertIn(cell["ceiling"]["binding"], [*cell["bounds"], *names])
        for configuration in result["configurations"]:
            for mode in ("io", "synthetic", "full"):
                self.assertIn(configuration[mode], names + [None])
        for headline in result["headlines"]:
            self.assertEqual(result["configurations"][headline["configuration"]]["workload"], headline["workload"])
        rows = [row["name"] for row in result["benchmarks"]]
        self.assertEqual(rows, [cell["name"] for cell in result["cells"] for _ in cell["trials"]])
        failed = any(cell["error"] for cell in result["cells"])
        self.assertEqual(failed, "cell-failed" in [warning["id"] for warning in result["warnings"]])

    def check_cell(self, cell, datasets):
        self.assertLess(cell["dataset"], datasets)
        self.assertEqual(len(cell["mean"]), len(cell["std"]))
        for trial in cell["trials"]:
            wait = trial["wait"]
            self.assertAlmostEqual(trial["samples_per_second"] * trial["wall_seconds"] / trial["samples"], 1)
            self.assertLessEqual(wait["total_seconds"], trial["wall_seconds"])
            self.assertLessEqual(wait["p50_seconds"], wait["p95_seconds"])
            self.assertLessEqual(wait["p95_seconds"], wait["p99_seconds"])
            self.assertLessEqual(wait["p99_seconds"], wait["max_seconds"])
            self.assertLessEqual(trial["setup_seconds"], trial["first_batch_seconds"])
            self.assertLessEqual(trial["samples"], trial["batches"] * cell["batch_size"])
            self.assertLessEqual(trial["bytes"], trial["batches"] * cell["slot_bytes"])
            for spent in zip(*trial.get("loader_stages", {}).values(), strict=True):
                self.assertGreaterEqual(sum(spent), trial["wall_seconds"] - 1e-6)
        summary = cell["samples_per_second"]
        if summary:
            self.assertEqual(summary["count"], len(cell["trials"]))
            rates = [trial["samples_per_second"] for trial in cell["trials"]]
            self.assertEqual((summary["min"], summary["max"]), (min(rates), max(rates)))
            self.assertAlmostEqual(summary["mean"] * len(rates) / sum(rates), 1)

    def check_ceiling(self, ceiling):
        self.assertEqual(ceiling["workload"] is None, ceiling["dataset"] is None)
        self.assertEqual(ceiling["dtype"] is None, ceiling["batch_size"] is None)
        for trial in ceiling["trials"]:
            self.assertAlmostEqual(trial["per_second"] * trial["wall_seconds"] / trial["amount"], 1)
        if ceiling["per_second"]:
            rates = [trial["per_second"] for trial in ceiling["trials"]]
            self.assertEqual(ceiling["per_second"]["count"], len(rates))
            self.assertAlmostEqual(ceiling["per_second"]["mean"] * len(rates) / sum(rates), 1)

    def test_complete_run_over_both_loaders(self):
        result = self.work.run_for_result("complete.json", ["--workload", "mnist,cifar10", "--workers", "1,2", *QUICK])
        self.check(result)
        self.assertEqual(result["status"], "complete")
        self.assertEqual({cell["loader"] for cell in result["cells"]}, {"serial", "thread-pool", None})
        self.assertTrue(all(len(one["trials"]) == 2 for one in result["cells"] + result["ceilings"]))
        self.assertTrue(all(bool(cell["ceiling"]) == bool(cell["loader"]) for cell in result["cells"]))
        self.assertTrue(all(cell["first_epoch"] for cell in result["cells"] if cell["loader"]))
        self.assertTrue(all(dataset["page_cache"]["after"] for dataset in result["datasets"]))
        for headline in result["headlines"]:
            told = headline["recommended"] is not None
            swept = headline["best_workers"] is not None
            self.assertEqual(headline["fewest_workers"] is not None, told and swept)
            self.assertEqual(headline["configuration"], headline["recommended"] if told else headline["fastest"])

    def test_every_dtype_and_layout(self):
        ceilings = {"u8nchw": [], "bf16nhwc": []}  # they fill slots too
        for dtype in ("u8", "f32", "bf16"):
            for layout in ("nchw", "nhwc"):
                with self.subTest(dtype=dtype, layout=layout):
                    result = self.work.run_for_result(
                        "types.json", ["--workload", "cifar10", "--loader", "serial", "--dtype", dtype,
                                       "--layout", layout, *QUICK,
                                       *ceilings.get(dtype + layout, WITHOUT_CEILINGS)])
                    self.check(result)
                    self.assertEqual({(c["dtype"], c["layout"]) for c in result["cells"]}, {(dtype, layout)})
                    self.assertEqual({len(c["mean"]) for c in result["cells"]}, {0 if dtype == "u8" else 3})

    def test_every_option_set(self):
        staged = self.work.path / "staged"
        staged.mkdir()
        result = self.work.run_for_result(
            "options.json",
            ["--workload", "cifar100", "--data", str(self.work.path / "data" / "cifar100"), "--stage", str(staged),
             "--format", "cifar100", "--split", "test", "--labels", "coarse", "--in-memory", "--normalise", "on", "--mean", "0.1,0.2,0.3",
             "--std", "0.4,0.5,0.6", "--crop-padding", "2", "--flip", "off", "--kernels", "scalar", "--order",
             "page-shuffled", "--page-samples", "8", "--window-samples", "16", "--seed", "9007199254740992", "--rank",
             "1", "--world-size", "2", "--drop-last", "--loader", "thread-pool", "--workers", "2", "--batch-size", "8",
             "--prefetch", "3", "--delivery", "completion", "--compute", "device:samples_per_second=1e6", "--trials",
             "2", "--trial-batches", "12", "--warm-up-batches", "4", "--ceilings", "off", "--au", "1e-6", "--check-verdict",
             "--find", "min-workers", "--exclude", "workers=9", "--filter", "workers<9", "--part", "1/1", "--monitor", "50ms", "--counters"])
        self.check(result)
        # An emulated device refuses the first, a search the other two.
        self.assertEqual([key for key, value in result["config"].items() if value is None],
                         ["compute_threads", "time_limit", "until_ci"])
        self.assertEqual(result["datasets"][0]["access"], "resident")

    def test_genuine_step(self):
        if "built without oneDNN" in self.work.run(["list"]):
            self.skipTest("built without oneDNN")
        result = self.work.run_for_result(
            "cnn.json", ["--workload", "cifar100", "--loader", "thread-pool", "--workers", "1", "--batch-size", "4",
                         "--compute", "cnn:network=lenet", "--fusion", "off", "--compute-threads", "1", "--trials", "1",
                         "--trial-batches", "2", "--ceilings", "off", "--first-epoch-seconds", "0"])
        self.check(result)
        full = next(cell for cell in result["cells"] if cell["mode"] == "FULL")
        self.assertEqual((full["precision"], full["fusion"], full["compute_threads"]), ("f32", "off", 1))
        self.assertTrue(full["compute_description"].startswith("lenet, "))
        trial = full["trials"][0]
        self.assertEqual([stage["name"] for stage in trial["stages"]],
                         ["host waits", "copy", "forward", "backward", "optimizer", "other"])
        self.assertAlmostEqual(sum(stage["total_seconds"] for stage in trial["stages"]), trial["wall_seconds"], 6)

    def test_training(self):
        if "built without oneDNN" in self.work.run(["list"]):
            self.skipTest("built without oneDNN")
        validator = jsonschema.Draft202012Validator(training_schema())
        self.work.run(["train", "--workload", "mnist", "--workers", "1", "--batch-size", "50", "--epochs", "2", "-q", "-o",
                       "training.json"])
        training = self.work.result("training.json")
        self.assertEqual([error.message for error in validator.iter_errors(training)], [])
        self.assertEqual([part["name"] for part in training["epochs"][0]["stages"]],
                         ["set-up", "host waits", "copy", "forward", "backward", "optimizer", "other"])
        for changed in (dict(training, planted=1), {**training, "epochs": [dict(training["epochs"][0], wall_seconds=0)]},
                        {**training, "cell": {**training["cell"], "mode": "HALF"}},
                        {name: value for name, value in training.items() if name != "samples"}):
            self.assertFalse(validator.is_valid(changed))

    def test_checked_verdict(self):
        # Steps long enough that other work on the machine does not hide what the run is bound by.
        result = self.work.run_for_result(
            "checked.json", ["--workload", "mnist", "--loader", "thread-pool", "--workers", "2", "--prefetch", "1",
                             "--compute", "device:samples_per_second=1000,depth=0", "--au", "0.5", "--check-verdict",
                             *QUICK, "--trials", "3", *WITHOUT_CEILINGS])
        self.check(result)
        (loading,) = (cell["trials"] for cell in result["cells"] if cell["mode"] == "IO")
        rates = [trial["samples"] / trial["wall_seconds"] for trial in loading]
        if result["configurations"][0]["bound"] == "unclear" or max(rates) > 3 * min(rates):
            self.skipTest("too noisy a machine to predict anything")
        self.assertEqual({len(check["trials"]) for check in result["checks"]}, {3})
        self.assertEqual([prediction["check"] for prediction in result["predictions"]],
                         list(range(len(result["checks"]))))
        self.assertIsNotNone(result["configurations"][0]["goal"])

    def test_search(self):
        result = self.work.run_for_result(
            "search.json", ["--workload", "mnist", "--loader", "thread-pool", "--workers", "2", "--au", "1e-6",
                            "--find", "min-workers", *QUICK, "--trials", "4", *WITHOUT_CEILINGS])
        self.check(result)
        self.assertEqual((result["search"]["found"], result["search"]["confirmed"]), (1, 1))
        self.assertEqual([probe["confirms"] for probe in result["search"]["probes"]], [False, False, True])

    def test_cache_states(self):
        result = self.work.run_for_result("cache.json", ["--workload", "mnist", "--loader", "serial", "--cache",
                                                         "warm,cold,as-is", *QUICK])
        self.check(result)
        loading = [cell for cell in result["cells"] if cell["loader"]]
        self.assertEqual({cell["cache"] for cell in loading}, {"warm", "cold", "as-is"})
        for cell in loading:
            for one in (cell["first_epoch"], *cell["trials"]):
                self.assertIsNotNone(one["page_cache"]["before"])
                self.assertEqual(one["page_cache"]["after"] is None, cell["cache"] == "warm")
        for configuration in result["configurations"]:
            cold = configuration["further"] == "/cache:cold"
            self.assertEqual((bool(configuration["fetch_stall"]), bool(configuration["prep_stall"])), (cold, cold))

    def test_data_as_it_is(self):
        process = self.work.start(["run", "--workload", "mnist", "--loader", "serial", "--cache", "as-is", *QUICK, *WITHOUT_CEILINGS,
                                   "--trials", "10000", "-o", "unread.json"])
        self.addCleanup(process.kill)
        read_until(process, "trial 2/")
        process.send_signal(signal.SIGINT)
        process.communicate()
        result = self.work.result("unread.json")
        self.check(result)
        self.assertIsNone(result["datasets"][0]["fingerprint"])

    def test_sequential_order(self):
        self.check(self.work.run_for_result("order.json", ["--workload", "mnist", "--order", "sequential", *QUICK,
                                                         *WITHOUT_CEILINGS]))

    def test_io_only_run(self):
        result = self.work.run_for_result("io.json", ["--workload", "mnist", "--mode", "io", *QUICK])
        self.check(result)
        self.assertEqual({cell["mode"] for cell in result["cells"]}, {"IO", "OVERHEAD"})
        for configuration in result["configurations"]:
            self.assertEqual(configuration["bound"], "incomplete")
            self.assertIsNone(configuration["stall"])

    def test_synthetic_only_run(self):
        result = self.work.run_for_result("synthetic.json", ["--workload", "mnist", "--mode", "synthetic", *QUICK])
        self.check(result)
        self.assertEqual((result["configurations"], result["headlines"]), ([], []))

    def test_ceilings_alone(self):
        (self.work.path / "quick.json").write_text('{"trial_seconds": 0.01, "trials": 2}')
        self.work.run(["ceilings", "--config", "quick.json", "--workload", "mnist,cifar10", "--batch-size", "64", "-q",
                       "-o", "ceilings.json"])
        result = self.work.result("ceilings.json")
        self.check(result)
        self.assertEqual(result["status"], "complete")
        # Not every file system can drop files from the page cache.
        self.assertTrue(all(len(ceiling["trials"]) == 2 for ceiling in result["ceilings"]
                            if not ceiling["kind"].startswith("device-")))
        self.assertFalse(any(cell["trials"] or cell["ceiling"] for cell in result["cells"]))

    def test_one_trial_has_no_spread(self):
        result = parse(self.work.run(["run", "--workload", "mnist", "--loader", "serial", *QUICK, "--trials", "1",
                                      "-q", "-o", "-"]))
        validate(result, "stdout")
        self.check(result)
        for cell in result["cells"]:
            self.assertEqual((cell["samples_per_second"]["stddev"], cell["samples_per_second"]["ci95"]), (None, None))
            self.assertTrue(cell["ceiling"] is None or cell["ceiling"]["efficiency"]["ci95"] is None)
        self.assertIsNone(result["configurations"][0]["stall"]["ci95"])

    def test_batch_job_is_described(self):
        slurm = {"SLURM_JOB_ID": "4713", "SLURM_ARRAY_JOB_ID": "4711", "SLURM_ARRAY_TASK_ID": "2",
                 "SLURM_JOB_NAME": "sweep", "SLURM_JOB_PARTITION": "main", "SLURM_JOB_NODELIST": "n1",
                 "SLURM_JOB_NUM_NODES": "1", "SLURM_CPUS_PER_TASK": "1", "SLURM_JOB_CPUS_PER_NODE": "4",
                 "SLURM_MEM_PER_NODE": "1024", "SLURM_JOB_END_TIME": "1764079080", "SLURM_RESTART_COUNT": "1"}
        of_slurm = {"scheduler": "slurm", "id": "4713", "array_id": "4711", "array_index": 2, "name": "sweep",
                    "partition": "main", "nodes": "n1", "node_count": 1, "cpus": 1, "total_cpus": 4,
                    "memory_bytes": 2**30, "ends": "2025-11-25T13:58:00Z", "restarts": 1}
        of_lsf = dict.fromkeys(of_slurm) | {"scheduler": "lsf", "id": "815", "restarts": 0}
        for variables, job in ((slurm, of_slurm), ({"LSB_JOBID": "815"}, of_lsf)):
            with self.subTest(scheduler=job["scheduler"]):
                self.work.environment.update(variables)
                try:
                    result = self.work.run_for_result("job.json",
                                                      ["--workload", "mnist", "--mode", "synthetic", *QUICK])
                finally:
                    for variable in variables:
                        del self.work.environment[variable]
                self.check(result)
                self.assertEqual(result["job"], job)
                self.assertLessEqual(result["machine"]["threads_in_force"], job["cpus"] or 2**20)

    def test_interrupted_run(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                process = self.start_long_run("interrupted.json")
                read_until(process, "trial 2/")
                process.send_signal(number)
                process.communicate()
                self.assertEqual(process.returncode, 128 + number)
                result = self.work.result("interrupted.json")
                self.check(result)
                self.assertEqual(result["status"], "partial")
                self.assertIsNotNone(result["finished"])
                self.assertIsNone(result["datasets"][0]["page_cache"]["after"])
                self.assertGreater(len(result["benchmarks"]), 0)

    def test_killed_run_leaves_what_was_saved(self):
        process = self.start_long_run("killed.json")
        read_until(process, "trial ", times=3)  # the first has been saved by then
        process.kill()
        process.communicate()
        result = self.work.result("killed.json")
        self.check(result)
        self.assertEqual((result["status"], result["finished"]), ("partial", None))

    def start_long_run(self, name):
        (self.work.path / name).unlink(missing_ok=True)
        process = self.work.start(["run", "--workload", "mnist", *QUICK, "--trials", "10000", "-o", name])
        self.addCleanup(process.kill)
        return process

    def test_failed_cell(self):
        directory = self.work.path / "doomed"
        self.work.make_data("cifar10", directory)
        process = self.work.start(
            ["run", "--workload", "cifar10", "--data", str(directory), "--loader", "thread-pool", "--workers", "1",
             *QUICK, *WITHOUT_CEILINGS, "--trials", "50", "--trial-seconds", "0.03", "--first-epoch-seconds", "0", "-o",
             "failed.json"])
        self.addCleanup(process.kill)
        read_until(process, "trial 1/")
        for batch in directory.glob("data_batch_*.bin"):
            with open(batch, "r+b") as file:
                file.truncate(0)
        process.communicate()
        self.assertEqual(process.returncode, 1)
        result = self.work.result("failed.json")
        self.check(result)
        self.assertEqual(result["status"], "complete")
        errors = {cell["mode"]: cell["error"] for cell in result["cells"]}
        self.assertIn(str(directory), errors["IO"])
        self.assertIn(str(directory), errors["FULL"])

    def test_committed_examples(self):
        for path in sorted((REPOSITORY / "results").glob("example-*.json")):
            with self.subTest(example=path.name):
                example = parse(path.read_text())
                validate(example, path.name)
                self.check(example)


@functools.cache
def validator_of(section):
    """The validator of one member of a result."""
    return jsonschema.Draft202012Validator({"$defs": SCHEMA["$defs"],
                                            "properties": {section: SCHEMA["properties"][section]}})


class SchemaIsNotVacuous(ResultsTest):
    kinds = ("mnist",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        result = cls.work.run_for_result("small.json", ["--workload", "mnist", *QUICK, "--workers", "1,2"])
        pool = next(i for i, c in enumerate(result["configurations"]) if c["workers"])
        result["configurations"] = [result["configurations"][pool]]
        result["cells"] = [next(c for c in result["cells"] if c["workers"]), result["cells"][-1]]
        for cell in result["cells"]:
            cell["trials"] = cell["trials"][:1]
        result["headlines"] = result["headlines"][:1]
        result["curves"] = result["curves"][:1]
        result["ceilings"] = [next(c for c in result["ceilings"] if c["batch_size"])]
        result["ceilings"][0]["trials"] = result["ceilings"][0]["trials"][:1]
        result["warnings"] = [{"id": "few-trials", "message": "one"}]
        result["benchmarks"] = result["benchmarks"][:1]
        result["job"] = {"scheduler": "slurm", "id": "3", "array_id": "1", "array_index": 2, "name": "sweep",
                         "partition": "main", "nodes": "n1", "node_count": 1, "cpus": 1, "total_cpus": 4,
                         "memory_bytes": 2**30, "ends": "2025-11-25T13:58:00Z", "restarts": 0}
        cls.result = result

    def assert_refused(self, what, change, section=None):
        """If the schema of the changed section refuses the change, so does the whole schema, which takes longer."""
        if section is not None:
            part = {section: copy.deepcopy(self.result[section])}
            change(part)
            if not validator_of(section).is_valid(part):
                return
        result = copy.deepcopy(self.result)
        change(result)
        self.assertFalse(VALIDATOR.is_valid(result), f"the schema accepts {what}")

    def paths(self, node, path=()):
        yield path
        children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in children:
            yield from self.paths(child, (*path, key))

    def at(self, result, path):
        for key in path:
            result = result[key]
        return result

    def test_it_accepts_what_the_changes_start_from(self):
        VALIDATOR.validate(self.result)
        VALIDATOR.check_schema(SCHEMA)

    def test_a_wrong_type_anywhere_is_refused(self):
        def plant(path):
            def change(result):
                parent = self.at(result, path[:-1])
                parent[path[-1]] = "planted" if isinstance(parent[path[-1]], (dict, list)) else PLANTED
            return change
        for path in self.paths(self.result):
            if path:
                self.assert_refused(f"a wrong type at {path}", plant(path), path[0])

    def test_an_extra_field_anywhere_is_refused(self):
        for path in self.paths(self.result):
            if isinstance(self.at(self.result, path), dict):
                self.assert_refused(f"an extra field in {path}",
                                    lambda result, path=path: self.at(result, path).update(PLANTED),
                                    path[0] if path else None)

    def test_a_missing_field_anywhere_is_refused(self):
        late = late_fields(SCHEMA)
        self.assertIn("cells[].trials[].changed_cpus", late)
        for path in self.paths(self.result):
            name = "".join("[]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
            if path and isinstance(path[-1], str) and path[:-1] != ("build", "libraries") and name not in late:
                self.assert_refused(f"{path} missing",
                                    lambda result, path=path: self.at(result, path[:-1]).pop(path[-1]), path[0])

    def test_every_word_of_a_closed_list_is_checked(self):
        closed = [("status",), ("datasets", 0, "dtype"), ("cells", 0, "mode"), ("cells", 0, "delivery"),
                  ("cells", 0, "split"), ("cells", 0, "labels"), ("cells", 0, "dtype"), ("cells", 0, "layout"),
                  ("cells", 0, "order"), ("config", "order"), ("config", "flip"), ("config", "normalise"),
                  ("config", "mode", 0), ("config", "ceilings"), ("ceilings", 0, "unit"), ("configurations", 0, "bound"), ("warnings", 0, "id"), ("job", "scheduler"),
                  ("benchmarks", 0, "run_type"), ("benchmarks", 0, "time_unit")]
        for path in closed:
            self.assert_refused(f"any word at {path}",
                                lambda result, path=path: self.at(result, path[:-1]).update({path[-1]: "planted"})
                                if isinstance(path[-1], str) else
                                self.at(result, path[:-1]).__setitem__(path[-1], "planted"))

    def test_negative_numbers_are_refused(self):
        may_be_negative = ("mean", "ci95", "value")
        for path in self.paths(self.result):
            value = self.at(self.result, path)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if not any(key in path for key in may_be_negative):
                self.assert_refused(f"-1 at {path}",
                                    lambda result, path=path: self.at(result, path[:-1]).__setitem__(path[-1], -1),
                                    path[0])

    def test_contradictions_are_refused(self):
        changes = {
            "a complete run that did not finish": lambda r: r.update(finished=None),
            "an IO cell without a loader": lambda r: r["cells"][0].update(loader=None),
            "an OVERHEAD cell with a loader": lambda r: r["cells"][1].update(loader="serial"),
            "workers without prefetch": lambda r: r["cells"][0].update(prefetch_in_force=None),
            "a summary of no trials": lambda r: r["cells"][0].update(trials=[]),
            "trials without a summary": lambda r: r["cells"][0].update(samples_per_second=None),
            "ceilings of OVERHEAD": lambda r: r["cells"][1].update(bounds=["gather"]),
            "a ceiling reached by no trials": lambda r: r["cells"][0].update(trials=[], samples_per_second=None),
            "a summary of no trials of a ceiling": lambda r: r["ceilings"][0].update(trials=[]),
            "a spread of one trial": lambda r: r["cells"][0]["samples_per_second"].update(count=1),
        }
        for what, change in changes.items():
            self.assert_refused(what, change)

    def test_nan_and_infinity_are_refused(self):
        for value in (float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                parse(json.dumps({"wall_seconds": value}))

    def test_config_has_the_fields_of_dump_config(self):
        dumped = parse(self.work.run(["run", "--dump-config"]))
        self.assertEqual(list(SCHEMA["$defs"]["config"]["properties"]), list(dumped))
        self.assertEqual(SCHEMA["$defs"]["config"]["required"], list(dumped))


if __name__ == "__main__":
    unittest.main()
