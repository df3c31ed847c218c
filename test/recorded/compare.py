"""How the output of relayopt is compared with what was recorded. Only the standard library is used."""
import ast
import base64
import io
import json
import math
import re
import struct
import zipfile

NPY_FORMATS = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
               "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}
# By TVM's (type code, bits).
TENSOR_FORMATS = {(2, 16): "e", (2, 32): "f", (2, 64): "d", (0, 8): "b", (0, 16): "h", (0, 32): "i", (0, 64): "q",
                  (1, 1): "B", (1, 8): "B", (1, 16): "H", (1, 32): "I", (1, 64): "Q"}
FLOAT16 = (2, 16)


def close(got, want, rtol, atol):
    """Returns whether two numbers are equal within a tolerance. NaN equals NaN."""
    if got == want or (got != got and want != want):
        return True
    return isinstance(got, (int, float)) and isinstance(want, (int, float)) and abs(got - want) <= atol + rtol * abs(want)


def read_npz(data):
    """Returns the arrays of an .npz in the order of the archive, as (dtype, shape, numbers)."""
    arrays = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            raw = archive.read(name)
            length, start = (struct.unpack_from("<H", raw, 8)[0], 10) if raw[6] == 1 else (struct.unpack_from("<I", raw, 8)[0], 12)
            header = ast.literal_eval(raw[start : start + length].decode())
            dtype, shape = header["descr"][1:], tuple(header["shape"])
            if header["fortran_order"] and len(shape) > 1:
                raise ValueError("arrays in column order are not supported")
            numbers = struct.unpack_from(f"<{math.prod(shape)}{NPY_FORMATS[dtype]}", raw, start + length)
            arrays.append((dtype, shape, numbers))
    return arrays


def why_arrays_differ(got, want):
    """Returns how the arrays of two .npz files differ, or None if they agree."""
    got, want = read_npz(got), read_npz(want)
    if len(got) != len(want):
        return f"{len(got)} results, expected {len(want)}"
    for i, ((got_type, got_shape, got_numbers), (dtype, shape, numbers)) in enumerate(zip(got, want)):
        if (got_type, got_shape) != (dtype, shape):
            return f"result {i} is {got_type}{got_shape}, expected {dtype}{shape}"
        rtol = 8e-3 if dtype == "f2" else 1e-3
        bad = [k for k, (x, y) in enumerate(zip(got_numbers, numbers)) if not close(x, y, rtol, 1e-5)]
        if bad:
            first = bad[0]
            return (f"result {i}: {len(bad)} of {len(numbers)} elements differ, the first at {first}: "
                    f"{got_numbers[first]!r}, expected {numbers[first]!r}")
    return None


def split_metadata(text):
    """Returns the text before the metadata section, and the tensors of that section as (shape, code, bits, numbers)."""
    head, found, section = text.partition("#[metadata]")
    tensors = []
    for blob in json.loads(section).get("b64ndarrays", []) if found else []:
        raw = base64.b64decode(blob)
        rank, code, bits = struct.unpack_from("<iBB", raw, 24)
        shape = struct.unpack_from(f"<{rank}q", raw, 32)
        start = 32 + 8 * rank + 8
        letter = TENSOR_FORMATS.get((code, bits))
        numbers = struct.unpack_from(f"<{math.prod(shape)}{letter}", raw, start) if letter else raw[start:]
        tensors.append((shape, code, bits, numbers))
    return head, tensors


def by_appearance(pattern, prefix, text):
    """Replaces each distinct match of the pattern by the prefix and the order of its first appearance."""
    seen = {}
    return re.sub(pattern, lambda match: f"{prefix}{seen.setdefault(match.group(0), len(seen))}", text)


def canonical(text):
    """Removes what TVM takes from a counter or an address: numbers of fresh names, names and order of lifted functions."""
    text = by_appearance(r"%x_\d+", "%x_", text).rstrip()
    if "@lifted_name" not in text:
        return text
    blocks = re.split(r"\n\n(?=def |type )", re.sub(r"@lifted_name\w*", "@lifted", text))
    return "\n\n".join(sorted(by_appearance(r"%[A-Za-z_0-9.]+", "%", block).strip() for block in blocks))


def same_bytes(got, want):
    return got == want


def same_text(got, want):
    """Returns whether two texts agree but for generated names and the encoding of the metadata section."""
    if got == want:
        return True
    try:
        (got_head, got_tensors), (want_head, want_tensors) = split_metadata(got), split_metadata(want)
    except (ValueError, struct.error):
        return False
    # NaN differs from itself, its text does not.
    return canonical(got_head) == canonical(want_head) and repr(got_tensors) == repr(want_tensors)


FLOAT = re.compile(r"(?<![\w.%@])-?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)(?=(?:f|f64|f16|h)?\b)")


def same_numbers(got, want):
    """Returns whether two texts agree as in same_text, with numbers and tensors within a tolerance."""
    if got == want:
        return True
    try:
        (got_head, got_tensors), (want_head, want_tensors) = split_metadata(got), split_metadata(want)
    except (ValueError, struct.error):
        return False
    if [x[:3] for x in got_tensors] != [x[:3] for x in want_tensors]:
        return False
    for (_, code, bits, got_numbers), (*_, numbers) in zip(got_tensors, want_tensors):
        rtol, atol = (4e-3, 2e-3) if (code, bits) == FLOAT16 else (2e-4, 1e-5)
        if len(got_numbers) != len(numbers) or not all(close(x, y, rtol, atol) for x, y in zip(got_numbers, numbers)):
            return False
    got_head, want_head = canonical(got_head), canonical(want_head)
    got_floats, want_floats = FLOAT.findall(got_head), FLOAT.findall(want_head)
    return (FLOAT.sub("#", got_head) == FLOAT.sub("#", want_head) and len(got_floats) == len(want_floats)
            and all(close(float(x), float(y), 2e-4, 1e-5) for x, y in zip(got_floats, want_floats)))


TEXTS = {"bytes": same_bytes, "text": same_text, "numeric": same_numbers}
