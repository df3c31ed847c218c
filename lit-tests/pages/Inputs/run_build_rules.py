"""Builds with the rules of docs/build-systems.md: run_build_rules.py RELAYOPT PAGE FOLDER. Each rule makes its output, makes nothing
when it runs again, and makes it anew when what it was made from changes. Prints what was done."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { nn.relu(nn.relu(%x)) }
"""


def block(page, language):
    """The block of a page in this language."""
    return re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)[1]


def run(*words):
    """What a command prints; it has to succeed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def later(path, text):
    """Writes a file so that it is younger than all others, whatever the resolution of the clock is."""
    path.write_text(text)
    now = path.stat().st_mtime + 10
    os.utime(path, (now, now))


def with_make(page):
    pathlib.Path("models").mkdir()
    pathlib.Path("build").mkdir()
    pathlib.Path("models/a.relay").write_text(MODEL)
    pathlib.Path("passes.txt").write_text("EliminateCommonSubexpr\n")
    pathlib.Path("Makefile").write_text(block(page, "make"))
    run("make", "build/a.relay")
    if "up to date" not in run("make", "build/a.relay"):
        sys.exit("make: the second run made something")
    later(pathlib.Path("passes.txt"), "FuseOps\n")
    run("make", "build/a.relay")
    if "Primitive=1" not in pathlib.Path("build/a.relay").read_text():
        sys.exit("make: a change of the passes was not seen")


def with_cmake(page):
    pathlib.Path("resnet.relay").write_text(MODEL)
    pathlib.Path("CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(models NONE)\n" + block(page, "cmake"))
    run("cmake", "-G", "Ninja", "-S", ".", "-B", "out")
    run("ninja", "-C", "out")
    if "no work to do" not in run("ninja", "-C", "out"):
        sys.exit("cmake: the second run made something")
    later(pathlib.Path("resnet.relay"), MODEL.replace("nn.relu", "tanh"))
    run("ninja", "-C", "out")
    if "tanh" not in pathlib.Path("out/resnet.relay").read_text():
        sys.exit("cmake: a change of the model was not seen")


def main():
    tool, page, folder = sys.argv[1:]
    text = pathlib.Path(page).read_text()
    os.environ["PATH"] = f"{pathlib.Path(tool).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    for program, rules in (("make", with_make), ("cmake", with_cmake)):
        place = pathlib.Path(folder) / program
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        if shutil.which(program) is None:
            print(f"{program}: skipped, because it is not installed")
            continue
        here = os.getcwd()
        os.chdir(place)
        rules(text)
        os.chdir(here)
        print(f"{program}: built, left alone, and built again")


main()
