"""Runs a command with a terminal for its standard error, and prints what the terminal received as a Python literal."""
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=theirs)
os.close(theirs)
received = b""
while True:
    try:
        piece = os.read(ours, 4096)
    except OSError:
        break
    if not piece:
        break
    received += piece
process.wait()
print(repr(received.decode()))
