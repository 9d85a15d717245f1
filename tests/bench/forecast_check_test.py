"""forecast_check_test.py: how bench/forecast_check.py tabulates measured rows."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))

import forecast_check  # noqa: E402


def row(forecast, measured, storage="bytes", ranks=4):
    return {"storage": storage, "loader": "thread-pool", "compute": 80, "ranks": ranks,
            "measured": {"mean": measured, "stddev": 2.5},
            "forecast": {"samples_per_second": forecast, "low_per_second": 1, "high_per_second": 2,
                         "limit": "storage bandwidth"},
            "simulated": {"samples_per_second": 1000, "low_per_second": 1, "high_per_second": 2}}


class Table(unittest.TestCase):
    def test_has_every_row_in_order_and_marks_the_misses(self):
        text = forecast_check.table([row(1050, 1000), row(84, 800, ranks=1)])
        self.assertEqual(text.splitlines()[2:], [
            "| bytes | thread-pool | 80 | 1 | 84.0 | 1,000 | 800 ± 2.5 | -89.5% **miss** | +25.0% **miss** "
            "| storage bandwidth |",
            "| bytes | thread-pool | 80 | 4 | 1,050 | 1,000 | 1,000 ± 2.5 | +5.0% | +0.0% | storage bandwidth |"])

    def test_ends_with_the_errors_of_each_storage(self):
        text = forecast_check.summary([row(1050, 1000), row(1000, 1000), row(800, 1000), row(99, 100, "iops")])
        self.assertEqual(text.splitlines(), [
            "bytes, closed form: 3 rows, median error 5.0% (aim: at most 5%), worst 20.0%, 1 beyond 15%",
            "bytes, simulation: 3 rows, median error 0.0% (aim: at most 5%), worst 0.0%, 0 beyond 15%",
            "iops, closed form: 1 rows, median error 1.0% (aim: at most 5%), worst 1.0%, 0 beyond 15%",
            "iops, simulation: 1 rows, median error 900.0% (aim: at most 5%), worst 900.0%, 1 beyond 15%",
            "all, closed form: 4 rows, median error 3.0% (aim: at most 5%), worst 20.0%, 1 beyond 15%",
            "all, simulation: 4 rows, median error 0.0% (aim: at most 5%), worst 900.0%, 1 beyond 15%"])


class Storages(unittest.TestCase):
    def test_of_the_page_cache_the_step_is_never_the_limit(self):
        self.assertEqual(forecast_check.computes_of("page cache"), {"fast": 200000})
        self.assertEqual(forecast_check.computes_of("iops"), {"slow": 80, "fast": 5000})


if __name__ == "__main__":
    unittest.main()
