"""How comparators lie about values: one seeded difference in one layer each, and the named verdict.

All rows share two recordings; every row is compared by itself, so it has its own exit code. The
model's output is the same on both sides, so nothing but the row's layer can fail.
"""

import unittest

from parity_program import FAILS, PASSES, Workshop
from value_rows import ROWS, Gallery, changed, noise


class ValueFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        x = {"x": noise(3, 4)}
        sides = zip(*ROWS.values())
        cls.models = [cls.workshop.script(Gallery(dict(zip(ROWS, side)))) for side in sides]
        cls.reference, cls.candidate = [cls.workshop.record(model, x) for model in cls.models]

    def compare(self, name, exit_code, verdict, *flags):
        """The tap of one row, after the checks that every row shares."""
        outcome = self.workshop.compare(
            self.reference, self.candidate, "--layers", f"rows.{name}", *flags
        )
        self.assertEqual(outcome.exit_code, exit_code, outcome.text())
        self.assertEqual(outcome.report["exit_code"], exit_code)
        self.assertEqual(outcome.report["verdict"], "pass" if exit_code == PASSES else "fail")
        tap = outcome.tap(f"rows.{name}")
        self.assertEqual(tap["verdict"], verdict, tap)
        others = {v for key, v in outcome.verdicts().items() if key != f"rows.{name}"}
        self.assertEqual(others, {"identical"})
        expected_first = None if exit_code == PASSES else ("x", f"rows.{name}")
        self.assertEqual(outcome.first_divergence, expected_first)
        if exit_code != PASSES:
            self.assertTrue(tap["reasons"], "a failure must say why")
            self.assertIn(verdict, outcome.stdout)
        if tap["classes"] is not None:
            self.check_sums(tap)
        return tap

    def check_sums(self, tap):
        classes = tap["classes"]
        kinds = ["finite", "both_nan", "nan_reference_only", "nan_candidate_only", "inf_equal"]
        kinds += ["inf_opposite", "inf_reference_only", "inf_candidate_only"]
        components = 2 if tap["dtype"].startswith("complex") else 1
        self.assertEqual(sum(classes[kind] for kind in kinds), components * tap["elements"])
        self.assertEqual(sum(tap["ulp"]["histogram"]["counts"]), classes["finite"])
        figures = [tap["nrmse"], tap["cosine"], tap["exact_share"], tap["relative"]["max"]]
        self.assertNotIn("nan", figures)

    def hints(self, tap):
        return {hint["pattern"]: hint["evidence"] for hint in tap["hints"]}

    def test_every_row_is_identical_to_itself(self):
        for golden in (self.reference, self.candidate):
            outcome = self.workshop.compare(golden, golden)
            self.assertEqual(outcome.exit_code, PASSES, outcome.text())
            self.assertEqual(set(outcome.verdicts().values()), {"identical"})
            self.assertIsNone(outcome.first_divergence)

    def test_without_a_choice_of_layers_every_faulty_row_is_named(self):
        outcome = self.workshop.compare(self.reference, self.candidate)
        self.assertEqual(outcome.exit_code, FAILS)
        self.assertEqual(outcome.first_divergence, ("x", "rows.one_bool"))
        replayed = self.workshop.compare(self.reference, self.models[1])
        self.assertEqual(replayed.exit_code, FAILS)
        self.assertEqual(replayed.report["cases"], outcome.report["cases"])

    def test_identical_tensors_have_zero_in_every_figure(self):
        for name in ("equal", "equal_zeros", "equal_infinities"):
            tap = self.compare(name, PASSES, "identical")
            self.assertEqual(tap["nrmse"], 0)
            self.assertEqual(tap["cosine"], 1)
            self.assertEqual(tap["exact_share"], 1)
            self.assertEqual(tap["max_error_over_rms"], 0)
            self.assertEqual(tap["absolute"], {"max": 0, "mean_signed": 0})
            for distribution in (tap["ulp"], tap["relative"]):
                for key in ("max", "p50", "p90", "p99", "p999"):
                    self.assertEqual(distribution[key], 0, (name, key))
                counts = distribution["histogram"]["counts"]
                self.assertEqual(counts[0], tap["classes"]["finite"])
                self.assertEqual(sum(counts[1:]), 0)
            self.assertEqual(tap["where"]["outside"], 0)

    def test_a_nan_does_not_slip_through_a_bound(self):
        tap = self.compare("one_nan", FAILS, "non_finite")
        self.assertEqual(tap["classes"]["nan_candidate_only"], 1)
        self.assertEqual(tap["worst"][0]["index"], [2, 5])
        self.assertEqual(tap["worst"][0]["candidate"], "nan")
        self.assertEqual(tap["where"]["first"], [2, 5])

    def test_nan_everywhere_is_not_an_empty_success(self):
        tap = self.compare("nan_everywhere", FAILS, "non_finite")
        self.assertEqual(tap["classes"]["nan_candidate_only"], 256)
        self.assertEqual(tap["classes"]["finite"], 0)

    def test_nan_on_both_sides_counts_only_in_the_same_place(self):
        tap = self.compare("nan_elsewhere", FAILS, "non_finite")
        classes = tap["classes"]
        self.assertEqual(classes["both_nan"], 1)
        self.assertEqual(classes["nan_reference_only"], 1)
        self.assertEqual(classes["nan_candidate_only"], 1)

    def test_the_payload_of_a_nan_is_no_difference(self):
        tap = self.compare("nan_of_another_payload", PASSES, "identical")
        self.assertEqual(tap["classes"]["both_nan"], 1)

    def test_a_lost_infinity_is_non_finite(self):
        tap = self.compare("infinity_lost", FAILS, "non_finite")
        self.assertEqual(tap["classes"]["inf_reference_only"], 1)

    def test_opposite_infinities_are_non_finite(self):
        tap = self.compare("infinity_of_opposite_sign", FAILS, "non_finite")
        self.assertEqual(tap["classes"]["inf_opposite"], 1)

    def test_statistics_are_over_finite_pairs(self):
        tap = self.compare("nan_beside_a_small_error", FAILS, "non_finite")
        self.assertEqual(tap["classes"]["finite"], 255)
        self.assertGreater(tap["nrmse"], 0)
        self.assertLess(tap["nrmse"], 1e-6)
        self.assertTrue(2**-21 < tap["relative"]["max"] < 2**-19)

    def test_other_shapes_fail_whatever_the_values(self):
        for name, reference, candidate in (
            ("narrower", [3, 64], [3, 33]),
            ("transposed", [3, 4], [4, 3]),
            ("broadcastable", [3, 4], [1, 1]),
            ("empty_of_another_shape", [0, 5], [5, 0]),
        ):
            tap = self.compare(name, FAILS, "shape_differs")
            self.assertEqual(tap["shapes"], {"reference": reference, "candidate": candidate})

    def test_another_dtype_fails_even_with_equal_values(self):
        tap = self.compare("wider_dtype", FAILS, "dtype_differs")
        self.assertEqual((tap["dtype"], tap["candidate_dtype"]), ("float32", "float64"))
        self.assertEqual(tap["ulp"]["dtype"], "float32")
        tap = self.compare("other_16_bit_dtype", FAILS, "dtype_differs")
        self.assertEqual(tap["ulp"]["dtype"], "bfloat16")
        self.assertEqual(tap["ulp"]["max"], 0)

    def test_dust_on_a_zero_reference_is_judged_by_absolute_error(self):
        tap = self.compare("rounding_dust_on_zeros", PASSES, "within")
        self.assertGreater(tap["classes"]["zero_reference"], 50)
        self.assertEqual(tap["relative"]["max"], 0)

    def test_a_real_error_on_a_zero_reference_fails(self):
        tap = self.compare("real_error_on_a_zero", FAILS, "diverged")
        self.assertEqual(tap["classes"]["zero_reference"], 1)
        self.assertEqual(tap["absolute"]["max"], 0.5)

    def test_dust_on_a_tiny_reference_is_not_the_verdict(self):
        tap = self.compare("rounding_dust_on_a_tiny_value", PASSES, "within")
        self.assertGreater(tap["relative"]["max"], 1e5)

    def test_relative_error_beside_a_zero_is_a_number(self):
        tap = self.compare("zero_beside_a_doubled_value", FAILS, "diverged")
        self.assertEqual(tap["relative"]["max"], 1.0)

    def test_zeros_of_the_other_sign_are_seen_and_pass(self):
        tap = self.compare("zeros_of_the_other_sign", PASSES, "within")
        self.assertEqual(tap["classes"]["zero_sign"], 1)
        self.assertEqual(tap["ulp"]["max"], 0)

    def test_a_scaling_fails_although_the_cosine_is_one(self):
        tap = self.compare("doubled", FAILS, "diverged")
        self.assertGreater(tap["cosine"], 1 - 1e-12)
        self.assertEqual(tap["relative"]["max"], 1.0)
        self.assertIn("2", self.hints(tap)["scaled"])

    def test_a_change_of_sign_fails(self):
        tap = self.compare("negated", FAILS, "diverged")
        self.assertLess(tap["cosine"], -1 + 1e-12)
        self.assertIn("-1", self.hints(tap)["scaled"])

    def test_a_step_is_one_ulp_of_the_native_dtype(self):
        for dtype in ("float16", "bfloat16", "float64"):
            tap = self.compare(f"one_{dtype}_step", PASSES, "within")
            self.assertEqual(tap["ulp"]["dtype"], dtype)
            self.assertEqual(tap["ulp"]["max"], 1)
            self.assertEqual(tap["ulp"]["p50"], 1)
            self.assertEqual(tap["ulp"]["histogram"]["counts"][:3], [0, 256, 0])

    def test_ulp_distance_counts_through_zero(self):
        tap = self.compare("least_numbers_of_opposite_sign", PASSES, "within")
        self.assertEqual(tap["ulp"]["max"], 2)

    def test_ulp_distance_of_the_greatest_numbers_does_not_overflow(self):
        tap = self.compare("greatest_numbers_of_opposite_sign", FAILS, "diverged")
        self.assertEqual(tap["ulp"]["max"], 2 * 0x7FEFFFFFFFFFFFFF)

    def test_flushed_subnormals_are_counted_apart_and_warn(self):
        tap = self.compare("subnormals_flushed", PASSES, "suspect")
        self.assertEqual(tap["classes"]["flushed_to_zero"], 64)

    def test_strict_turns_a_warning_into_a_failure(self):
        self.compare("subnormals_flushed", FAILS, "suspect", "--strict")

    def test_integers_and_bools_are_exact(self):
        self.compare("one_bool", FAILS, "diverged")
        tap = self.compare("one_integer", FAILS, "diverged")
        self.assertEqual(tap["worst"][0]["index"], [3, 63])
        self.compare("integers_that_float64_cannot_tell_apart", FAILS, "diverged")

    def test_a_complex_number_is_more_than_its_real_part(self):
        self.compare("conjugated", FAILS, "diverged")

    def test_empty_tensors_are_compared_without_nan(self):
        tap = self.compare("empty", PASSES, "identical")
        self.assertEqual(tap["elements"], 0)
        self.assertEqual(tap["nrmse"], 0)
        self.assertEqual(tap["exact_share"], 1)

    def test_a_tensor_without_dimensions_is_compared(self):
        tap = self.compare("scalar", FAILS, "diverged")
        self.assertEqual(tap["shape"], [])
        self.assertEqual(tap["worst"][0]["index"], [])
        self.assertEqual(tap["absolute"]["max"], 0.25)

    def test_sparse_outliers_do_not_hide_in_a_mean(self):
        tap = self.compare("three_wrong_of_many", FAILS, "diverged")
        self.assertEqual(tap["where"]["outside"], 3)
        places = {tuple(element["index"]) for element in tap["worst"][:3]}
        self.assertEqual(places, {(17, 3), (17, 4), (91, 999)})
        self.assertGreater(tap["cosine"], 0.9999)

    def test_sparse_outliers_of_a_tenth_are_at_the_edge_of_bfloat16(self):
        """Not told from rounding for sure (docs/limits.md), so it warns, and fails when strict."""
        tap = self.compare("three_wrong_of_many_bfloat16", PASSES, "suspect")
        places = {tuple(element["index"]) for element in tap["worst"][:3]}
        self.assertEqual(places, {(17, 3), (17, 4), (91, 999)})
        self.assertGreater(tap["exact_share"], 0.9999)
        self.compare("three_wrong_of_many_bfloat16", FAILS, "suspect", "--strict")

    def test_an_outlier_in_the_reference_does_not_hide_the_rest(self):
        tap = self.compare("an_outlier_beside_wrong_values", FAILS, "diverged")
        self.assertEqual(tap["where"]["first"], [16, 0])

    def test_where_names_positions(self):
        tap = self.compare("wrong_tail", FAILS, "diverged")
        self.assertEqual(tap["where"]["first"], [0, 48, 0])
        axes = {axis["axis"]: axis for axis in tap["where"]["axes"]}
        self.assertGreaterEqual(axes[1]["first"], 48)
        self.assertGreaterEqual(axes[1]["last"], 62)
        self.assertNotIn(0, axes)

    def test_where_names_a_channel(self):
        tap = self.compare("wrong_channel", FAILS, "diverged")
        axes = {axis["axis"]: axis for axis in tap["where"]["axes"]}
        self.assertEqual((axes[1]["first"], axes[1]["last"], axes[1]["size"]), (64, 64, 128))

    def test_patterns_are_named(self):
        for name, pattern in (
            ("permuted", "permuted"),
            ("shifted_by_one_position", "shifted"),
            ("offset_per_row", "row_offset"),
            ("clamped", "clamped"),
            ("partly_zeroed", "zeroed"),
        ):
            tap = self.compare(name, FAILS, "diverged")
            self.assertIn(pattern, self.hints(tap), name)

    def test_noise_has_no_pattern(self):
        for name in ("one_float16_step", "rounding_dust_on_zeros", "equal"):
            verdict = "identical" if name == "equal" else "within"
            self.assertEqual(self.compare(name, PASSES, verdict)["hints"], [], name)

    def test_float8_bits_in_the_other_format_are_half_the_value(self):
        tap = self.compare("float8_read_in_the_other_vendors_format", FAILS, "non_finite")
        self.assertEqual(tap["classes"]["nan_candidate_only"], 1)
        self.assertIn("0.5", self.hints(tap)["scaled"])

    def test_float8_formats_are_told_apart(self):
        tap = self.compare("float8_of_the_other_vendor", FAILS, "dtype_differs")
        self.assertEqual(
            (tap["dtype"], tap["candidate_dtype"]), ("float8_e4m3fn", "float8_e4m3fnuz")
        )
        self.assertEqual(tap["classes"]["nan_candidate_only"], 1)


class ReducedStorage(unittest.TestCase):
    """What was not stored must not count as equal."""

    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        reference = noise(9, 64)
        candidate = changed(reference, {(3, 7): 100.0})
        cls.x = {"x": noise(3, 4)}
        cls.reference = cls.workshop.script(Gallery({"stored": reference}))
        cls.candidate = cls.workshop.script(Gallery({"stored": candidate}))

    def compare(self, store, candidate):
        golden = self.workshop.record(self.reference, self.x, "--store", store)
        return self.workshop.compare(golden, candidate)

    def test_equal_digests_are_identical(self):
        outcome = self.compare("digest", self.reference)
        self.assertEqual(outcome.exit_code, PASSES, outcome.text())
        self.assertEqual(outcome.tap("rows.stored")["verdict"], "identical")

    def test_a_different_digest_diverges(self):
        outcome = self.compare("digest", self.candidate)
        self.assertEqual(outcome.exit_code, FAILS, outcome.text())
        self.assertEqual(outcome.tap("rows.stored")["verdict"], "diverged")
        self.assertEqual(outcome.first_divergence, ("x", "rows.stored"))

    def test_stored_rows_that_are_equal_are_identical(self):
        outcome = self.compare("rows:3", self.reference)
        self.assertEqual(outcome.exit_code, PASSES, outcome.text())
        self.assertEqual(outcome.tap("rows.stored")["verdict"], "identical")

    def test_a_difference_in_rows_that_were_not_stored_is_not_identical(self):
        outcome = self.compare("rows:3", self.candidate)
        tap = outcome.tap("rows.stored")
        self.assertNotEqual(tap["verdict"], "identical", outcome.text())
        self.assertNotEqual(tap["reasons"], [])


if __name__ == "__main__":
    unittest.main()
