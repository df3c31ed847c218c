"""Temporary folders."""

import os
import shutil
import tempfile


class TempDirectory:
    """A folder that is removed with the object."""

    def __init__(self, custom_path=None):
        self.temp_dir = custom_path or tempfile.mkdtemp()

    def relpath(self, name):
        return os.path.join(self.temp_dir, name)

    def listdir(self):
        return os.listdir(self.temp_dir)

    @property
    def path(self):
        return self.temp_dir

    def remove(self):
        if self.temp_dir:
            shutil.rmtree(self.temp_dir, ignore_errors=True)
            self.temp_dir = None

    def __truediv__(self, other):
        return os.path.join(self.temp_dir, other)

    def __del__(self):
        self.remove()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def tempdir(custom_path=None, keep_for_debug=None):
    """A temporary folder."""
    return TempDirectory(custom_path)
