"""Cuts a file short while the tool reads it: shrink_while_read.py TOOL FOLDER."""
import os
import shutil
import subprocess
import sys
import time

tool, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
path = os.path.join(folder, "model.relay")
# It is read within about a tenth of a second; should the tool have finished, or not begun, it gets more or less time.
steps = "".join(f"  let %a{i} = nn.relu(%x);\n" for i in range(400000))
for wait in (0.03, 0.02, 0.05, 0.04, 0.01, 0.08, 0.15):
    with open(path, "w") as file:
        file.write('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) {\n' + steps + "  %a7\n}\n")
    run = subprocess.Popen([tool, path, "-o", os.path.join(folder, "out.relay")], stderr=subprocess.PIPE, text=True)
    time.sleep(wait)
    os.truncate(path, 4096)
    said = run.communicate()[1]
    if "became shorter" in said or run.returncode < 0:
        break
    if os.path.exists(os.path.join(folder, "out.relay")):
        os.remove(os.path.join(folder, "out.relay"))
print("status", run.returncode)
print(said)
print("left:", *os.listdir(folder))
