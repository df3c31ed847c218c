# Configures lit for tests of Relay models and passes. In your own lit.cfg.py:
#
#   lit_config.load_config(config, "/usr/share/relayopt/relayopt_lit.py")
#   config.test_source_root = os.path.dirname(__file__)
#
# Tests are .relay, .py (TVMScript) and .test files; in their RUN lines %relayopt is the tool, which the variable RELAYOPT names or which is in PATH.
# FileCheck comes from PATH, or from the newest LLVM of Debian.
import glob
import os
import shlex
import shutil

import lit.formats

config.name = "relay"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".relay", ".py", ".test"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py"]

tool = os.environ.get("RELAYOPT") or shutil.which("relayopt")
if tool is None:
    lit_config.fatal("relayopt is not in PATH; the variable RELAYOPT may name it")
config.substitutions.append(("%relayopt", shlex.quote(tool)))

if shutil.which("FileCheck") is None:
    folders = glob.glob("/usr/lib/llvm-*/bin/FileCheck")
    if not folders:
        lit_config.fatal("FileCheck is not in PATH (Debian has it in llvm-*-tools)")
    newest = max(folders, key=lambda path: int(path.split("/llvm-")[1].split("/")[0]))
    config.environment["PATH"] = os.pathsep.join([os.path.dirname(newest), config.environment.get("PATH", "")])
