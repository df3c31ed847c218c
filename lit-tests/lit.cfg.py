# How lit finds and runs the tests of this folder; see README.md.
import os
import sys

import lit.formats

config.name = "relayopt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".relay", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

config.substitutions.append(("%relayopt", config.relayopt))
# Without the packages that are installed: looking for them is most of what a short script takes.
config.substitutions.append(("%python", f"{sys.executable} -S"))
config.substitutions.append(("%lit", f"{sys.executable} {os.path.abspath(sys.argv[0])}"))
config.substitutions.append(("%networks", os.path.join(config.test_source_root, "..", "test", "networks")))
config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, config.environment["PATH"]])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=annotation-full"

if config.sanitizer:
    config.available_features.add("sanitizer")
