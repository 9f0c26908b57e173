"""`systolic plan`, as a user types it. Needs libtpu, but no TPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(os.environ["SYSTOLIC_BUILD_DIR"]) / "bin"
FITS, DOES_NOT_FIT, FAILED = 0, 1, 1


def has_libtpu():
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = pathlib.Path(data) / "systolic" / "platforms" / "tpu"
    return bool(os.environ.get("SYSTOLIC_PLATFORM_TPU")) or any(
        folder.glob("*/*/libtpu.so")) or any(folder.glob("*/libtpu.so"))


def plan(*arguments, **environment):
    return subprocess.run([BIN / "systolic", "plan", *arguments],
                          capture_output=True, text=True, timeout=200,
                          env={**os.environ, **environment})


class PlanCommandTest(unittest.TestCase):

    def test_program_is_planned_and_not_run(self):
        done = plan("--", BIN / "custom_train_step")
        self.assertEqual(done.returncode, FITS, done.stderr)
        self.assertIn("v3-8", done.stdout)
        self.assertIn("fit of", done.stdout)
        self.assertNotIn("epoch", done.stdout.lower())

    def test_json_has_the_figures(self):
        done = plan("-t", "v6e-8", "-b", "64", "--json", "--",
                    BIN / "custom_train_step")
        self.assertEqual(done.returncode, FITS, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["topology"], "v6e-8")
        self.assertEqual(found["batch_size"], 64)
        self.assertGreater(found["step_seconds"], 0)

    def test_second_plan_is_remembered(self):
        with tempfile.TemporaryDirectory() as folder:
            plans = [
                json.loads(plan("--json", "--", BIN / "custom_train_step",
                                XDG_CACHE_HOME=folder).stdout)
                for _ in range(2)
            ]
        self.assertEqual([one.pop("from_cache") for one in plans],
                         [False, True])
        self.assertEqual(plans[0], plans[1])

    def test_sweep_has_a_row_for_each_point_and_a_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            chart = pathlib.Path(folder) / "chart.svg"
            done = plan("--sweep", "-t", "v2-8,v3-8", "-b", "64,128", "--svg",
                        chart, "--target", "1", "--", BIN / "custom_train_step")
            self.assertEqual(done.returncode, FITS, done.stderr)
            self.assertIn("<svg", chart.read_text())
        lines = done.stdout.splitlines()
        self.assertEqual(
            [line.split()[:2] for line in lines[1:5]],
            [["v2-8", "64"], ["v2-8", "128"], ["v3-8", "64"], ["v3-8", "128"]])
        self.assertIn("The smallest that reaches 1 rows a second", done.stdout)

    def test_what_is_wrong_is_said_before_anything_runs(self):
        for arguments, text in [
            (("-t", "v3-9"), "expected one of v3-8, v3-32"),
            (("-t", "v9-8"), "tpu7x: tpu7x-8, tpu7x-16"),
            (("-b", "100"), "8 replicas of v3-8 can divide"),
            (("--sweep", "--price", "v3=dear"), "--price: expected"),
        ]:
            done = plan(*arguments, "--", "/nowhere/program")
            self.assertEqual(done.returncode, FAILED, done.stdout)
            self.assertIn(text, done.stderr)

    def test_program_without_a_training_step_is_an_error(self):
        done = plan("--", BIN / "eager")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("before it was planned", done.stderr)


if __name__ == "__main__":
    if not has_libtpu():
        print("libtpu is not installed: scripts/install-platform tpu")
        sys.exit(77)
    unittest.main()
