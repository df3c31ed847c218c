"""rename.py IN.npz OUT.npz NAME...: the arrays under other names, in order."""
import sys
import zipfile

source, target, *names = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    for name, entry in zip(names, old.infolist()):
        new.writestr(name + ".npy", old.read(entry))
