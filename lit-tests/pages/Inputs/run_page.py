"""Runs the commands of a page: run_page.py PAGE FOLDER. They are the lines after `$ ` in blocks that begin with
```console; FOLDER is where they run. A line that ends with a backslash goes on in the next one, a text in quotes ends in
a later one, and `<<'END'` takes the lines up to END. The lines after a command are its output, where `...` is any text,
and alone on a line any lines; without such lines the output may be anything. `$ cat FILE` makes FILE of these lines
instead. `# text` is a comment. A command ends with status 0, or as `# status N` after it says. So does `relayopt ...` in
the text of the page, unless it has words in capitals for what a reader puts there. Prints each command, and fails at the
first that does something else, and if a command of relayopt is in a block of another kind. What needs another system is
not run, and the reason is printed."""
import re
import subprocess
import sys

# How commands begin that are not run here, and why.
ELSEWHERE = {
    "python3 -m venv": "needs packages of PyPI",
    "venv/bin/": "needs packages of PyPI",
    "pip ": "needs packages of PyPI",
    "code ": "needs Visual Studio Code",
    "./dev ": "builds for minutes; continuous integration runs it",
    "cmake ": "builds a plugin; test/package does, too",
}
# The same for words in the command.
WITHIN = {"my_passes.so": "needs the plugin that test/package builds"}


def reason(command):
    """Why a command is not run, or None."""
    return next((why for start, why in ELSEWHERE.items() if command.startswith(start)), None) or next(
        (why for word, why in WITHIN.items() if word in command), None)


def is_open(command):
    """Whether a command goes on in the next line."""
    if "<<'END'" in command:
        return not command.endswith("\nEND")
    return command.endswith("\\") or command.count("'") % 2 == 1


def commands(page):
    """The commands of a page in blocks, each with the lines of its output."""
    inside = False
    found = []
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and found and not found[-1][1] and is_open(found[-1][0]):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside and found and not line.startswith("# "):
            found[-1][1].append(line)
    return found


def misplaced(page):
    """Commands in blocks of other kinds, which nothing would run."""
    block = None
    for line in page.splitlines():
        if line.startswith("```"):
            block = None if block is not None else line
        elif re.match(r"(\$ )?relayopt ", line) and block not in (None, "```console"):
            yield line
        elif block is None and re.match(r" {4,}(\$ )?relayopt ", line):
            yield line


def inline(page):
    """The commands in the text, without those that are only a form."""
    text = re.sub(r"```.*?```", "", page, flags=re.S)
    for command in re.findall(r"`(relayopt [^`]*)`", text):
        if not re.search(r"\b[A-Z]{2,}\b|\.\.\.|\[", command):
            yield command


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


name, folder = sys.argv[1:]
page = open(name).read()
for line in misplaced(page):
    sys.exit(f"{name}: not in a block of commands, which begins with ```console: {line}")
number = 0
for command, lines in commands(page) + [(command, []) for command in inline(page)]:
    lines = trimmed(lines)
    made = re.fullmatch(r"cat (\S+)", command)
    if made:
        with open(f"{folder}/{made[1]}", "w") as file:
            file.write("\n".join(lines) + "\n")
        continue
    number += 1
    why = reason(command)
    print("$", command, f"  # not run: {why}" if why else "", flush=True)
    if why:
        continue
    status = re.search(r"# status (\d+)$", command)
    run = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    # As a shell counts it, a signal is 128 and its number.
    ended = run.returncode if run.returncode >= 0 else 128 - run.returncode
    if ended != int(status[1] if status else 0):
        sys.exit(f"{run.stdout}ends with status {ended}")
    if lines and not re.fullmatch(pattern(lines), run.stdout):
        sys.exit(f"{run.stdout}is not what the page shows:\n" + "\n".join(lines))
if not number:
    sys.exit(f"{name} has no commands")
