"""Ends runs by signals at several times: end_while_writing.py TOOL FOLDER."""
import os
import shutil
import signal
import subprocess
import sys
import time

tool, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
path = os.path.join(folder, "model.relay")
steps = "".join(f"  let %a{i} = nn.relu(%x);\n" for i in range(100000))
with open(path, "w") as file:
    file.write('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) {\n' + steps + "  %a7\n}\n")
out = os.path.join(folder, "out.relay")
ended = 0
attempt = 0
while ended < 10:
    attempt += 1
    with open(out, "w") as file:
        file.write("before\n")
    run = subprocess.Popen([tool, path, "-o", out], stderr=subprocess.DEVNULL)
    # Until something is being written, for most runs.
    deadline = time.monotonic() + 5
    while attempt % 5 and run.poll() is None and len(os.listdir(folder)) < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    run.send_signal((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[attempt % 3])
    status = run.wait()
    left = sorted(os.listdir(folder))
    if left != ["model.relay", "out.relay"]:
        sys.exit(f"left: {left}")
    if status >= 0:
        continue
    with open(out) as file:
        if file.read() != "before\n":
            sys.exit("the output is not what it was")
    ended += 1
print(ended, "runs ended by a signal, output kept")
