"""Measures runs of programs: instructions, processor time, memory."""
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def instructions(*command):
    """The instructions of a run, counted by valgrind, so that they depend neither on load nor on the machine; and why not."""
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command],
                          capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "I   refs:" in line or "I refs:" in line]
    if done.returncode or not lines:
        return None, done.stderr
    return int(lines[0].split(":")[1].replace(",", "")), ""


def pipeline_instructions(scale, programs, pipelines):
    """The instructions of each pipeline on each program, counted by valgrind: one process of test/scale runs them all. 0 for an error."""
    counts = {pipeline: [0] * len(programs) for pipeline in pipelines}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=" + os.path.join(folder, "out"),
                        scale, *programs], input="\n".join(pipelines), text=True, capture_output=True, check=False)
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            which = re.search(r"^desc: Trigger: Client Request: (\d+)-(\d)", text, re.MULTILINE)
            if which:
                counts[pipelines[int(which[1])]][int(which[2])] = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
    return counts


def usage(*command, rounds=3):
    """The least processor time of some runs in seconds, and their peak of memory in bytes; nothing if a run fails."""
    least, peak = None, 0
    for _ in range(rounds):
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            return None
        seconds = used.ru_utime + used.ru_stime
        least = seconds if least is None else min(least, seconds)
        peak = max(peak, used.ru_maxrss * 1024)
    return least, peak


def limit_stack(size):
    """For preexec_fn: a stack of this size, so that nothing that recurses on the depth of its input passes."""
    resource.setrlimit(resource.RLIMIT_STACK, (size, resource.RLIM_INFINITY))
