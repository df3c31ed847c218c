#!/usr/bin/env python3
"""Tests of the comparisons: each accepts what it should accept and refuses what it should refuse."""
import base64
import io
import json
import struct
import unittest
import zipfile

import compare


def npz(*arrays):
    """An .npz of (descr, shape, struct format, numbers)."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for i, (descr, shape, letter, numbers) in enumerate(arrays):
            header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode() + b"\n"
            archive.writestr(f"arr_{i}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                             + struct.pack(f"<{len(numbers)}{letter}", *numbers))
    return data.getvalue()


def with_tensor(text, *numbers):
    """The text with a metadata section that holds one float32 vector."""
    raw = struct.pack("<QQiiiBBH", 0, 0, 1, 0, 1, 2, 32, 1) + struct.pack("<qq", len(numbers), 4 * len(numbers))
    raw += struct.pack(f"<{len(numbers)}f", *numbers)
    return text + "#[metadata]\n" + json.dumps({"b64ndarrays": [base64.b64encode(raw).decode()]})


class Arrays(unittest.TestCase):
    def test_within_tolerance(self):
        self.assertIsNone(compare.why_arrays_differ(npz(("<f4", (2,), "f", [1.0, 2.0])), npz(("<f4", (2,), "f", [1.0005, 2.0]))))

    def test_numbers_differ(self):
        why = compare.why_arrays_differ(npz(("<f4", (2,), "f", [1.0, 2.1])), npz(("<f4", (2,), "f", [1.0, 2.0])))
        self.assertIn("1 of 2 elements differ, the first at 1", why)

    def test_nan_equals_nan_only(self):
        nan = npz(("<f4", (1,), "f", [float("nan")]))
        self.assertIsNone(compare.why_arrays_differ(nan, nan))
        self.assertIsNotNone(compare.why_arrays_differ(npz(("<f4", (1,), "f", [0.0])), nan))

    def test_shape_type_and_count(self):
        one = ("<f4", (1,), "f", [1.0])
        for other in (npz(("<f4", (1, 1), "f", [1.0])), npz(("<i4", (1,), "i", [1])), npz(one, one)):
            self.assertIsNotNone(compare.why_arrays_differ(other, npz(one)))


class Texts(unittest.TestCase):
    def test_fresh_names_count_by_appearance(self):
        self.assertTrue(compare.same_text("f(%x_7, %x_9, %x_7)", "f(%x_1, %x_2, %x_1)"))
        self.assertFalse(compare.same_text("f(%x_7, %x_9, %x_9)", "f(%x_1, %x_2, %x_1)"))

    def test_lifted_functions_count_by_contents(self):
        one = "def @lifted_name1(%a) {\n  %a\n}\n\ndef @lifted_name2(%b) {\n  0\n}\n"
        two = "def @lifted_name5(%c) {\n  0\n}\n\ndef @lifted_name3(%d) {\n  %d\n}\n"
        self.assertTrue(compare.same_text(one, two))
        self.assertFalse(compare.same_text(one, two.replace("0", "1")))

    def test_tensors_are_compared(self):
        self.assertTrue(compare.same_text(with_tensor("x\n", 1.0, 2.0), with_tensor("x\n", 1.0, 2.0).replace("{", "{ ")))
        self.assertFalse(compare.same_text(with_tensor("x\n", 1.0, 2.0), with_tensor("x\n", 1.0, 2.5)))
        self.assertFalse(compare.same_text(with_tensor("x\n", 1.0), "x\n"))

    def test_numeric_has_a_tolerance_and_text_has_none(self):
        got, want = with_tensor("add(%x, 0.30001f)\n", 1.00001), with_tensor("add(%x, 0.3f)\n", 1.0)
        self.assertTrue(compare.same_numbers(got, want))
        self.assertFalse(compare.same_text(got, want))
        self.assertFalse(compare.same_numbers(with_tensor("add(%x, 0.31f)\n", 1.0), want))
        self.assertFalse(compare.same_numbers(with_tensor("sub(%x, 0.3f)\n", 1.0), want))

    def test_damaged_metadata_differs(self):
        self.assertFalse(compare.same_text("x\n#[metadata]\n{", with_tensor("x\n", 1.0)))


if __name__ == "__main__":
    unittest.main()
