"""Runs the commands of a page: run_page.py PAGE FOLDER. They are the lines after `$ ` in blocks that begin with
```console; FOLDER is where they run. The lines after a command are its output, where `...` is any text, and alone on a
line any lines; without such lines the output may be anything. `$ cat FILE` makes FILE of these lines instead. `# text`
is a comment. A command ends with status 0, or as `# status N` after it says. Prints each command, and fails at the first
that does something else."""
import re
import subprocess
import sys


def commands(page):
    """The commands of a page, each with the lines of its output."""
    inside = False
    found = []
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside and found and not line.startswith("# "):
            found[-1][1].append(line)
    return found


def pattern(lines):
    """What the output has to match as a whole."""
    text = ""
    for line in lines:
        if line == "...":
            text += r"(?:.*\n)*?"
        else:
            text += ".*".join(re.escape(part) for part in line.split("...")) + r"[ ]*\n"
    return text


def trimmed(lines):
    while lines and not lines[-1]:
        lines.pop()
    return lines


page, folder = sys.argv[1:]
number = 0
for command, lines in commands(open(page).read()):
    lines = trimmed(lines)
    made = re.fullmatch(r"cat (\S+)", command)
    if made:
        with open(f"{folder}/{made[1]}", "w") as file:
            file.write("\n".join(lines) + "\n")
        continue
    number += 1
    print("$", command, flush=True)
    status = re.search(r"# status (\d+)$", command)
    run = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if run.returncode != int(status[1] if status else 0):
        sys.exit(f"{run.stdout}ends with status {run.returncode}")
    if lines and not re.fullmatch(pattern(lines), run.stdout):
        sys.exit(f"{run.stdout}is not what the page shows:\n" + "\n".join(lines))
if not number:
    sys.exit(f"{page} has no commands")
