"""Names for generated code."""


def to_c_function_style(name):
    """`tvmgen_default_main` as `TvmgenDefaultMain`."""
    if not name:
        raise ValueError("Name is empty")
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
