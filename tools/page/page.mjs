// The page: a module at the left, what the tool makes of it at the right. The tool runs in a worker; every run is a fresh
// instance of it, so that nothing of one run is left for the next.
import { splitMessages } from "./messages.mjs";

const $ = (id) => document.getElementById(id);
const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};
const decode = (bytes) => new TextDecoder().decode(bytes);
const formatSize = (n) => (n < 1e3 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`);

// Formats of modules by the ending of their files. `passes`: what is proposed for a new file. Text is edited, and goes
// back into text of the same kind.
const formats = [
  { ending: "relay", label: "Relay text", passes: "default<O3>", isText: true },
  { ending: "py", label: "TVMScript", passes: "tir.Simplify,tir.UnrollLoop,tir.Simplify", isText: true },
  { ending: "onnx", label: "ONNX", passes: "default<onnx>", isText: false },
  { ending: "json", label: "TVM's JSON", passes: "default<O3>", isText: true },
];
// Outputs that are no inputs of this page.
const moreOutputs = [
  { ending: "relax.py", label: "Relax (Python)", isText: true, arguments: ["--emit=relax"] },
  { ending: "onnx.txt", label: "ONNX as text", isText: true, arguments: ["--emit=onnx-text"] },
  { ending: "svg", label: "picture (SVG)", isText: true },
];
const endingOf = (name) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();
const formatOf = (name) => formats.find(({ ending }) => ending === endingOf(name));

// ---- The worker -----------------------------------------------------------------------------------------------------

// Runs of the tool, one after the other.
class Engine {
  constructor(module, source) {
    this.module = module;
    this.source = source;
    this.waiting = new Map();
    this.count = 0;
    this.start();
  }
  start() {
    this.worker = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
    this.worker.postMessage({ module: this.module });
    this.worker.onmessage = ({ data }) => {
      const { resolve, onProgress } = this.waiting.get(data.id);
      if (data.progress !== undefined) return onProgress?.(data.progress);
      this.waiting.delete(data.id);
      resolve(data.result);
    };
    this.worker.onerror = (event) => this.endAll(`the engine failed: ${event.message}`);
  }
  run(args, files, onProgress) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      this.worker.postMessage({ id, args, files });
    });
  }
  cancel() {
    this.worker.terminate();
    this.endAll("cancelled");
    this.start();
  }
  endAll(reason) {
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }
}

async function bytesOf(base64) {
  return new Uint8Array(await (await fetch(`data:application/octet-stream;base64,${base64}`)).arrayBuffer());
}

async function unpack(bytes, method = "gzip") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(method));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// ---- The module at the left -----------------------------------------------------------------------------------------

// What the editor still shows well; larger texts are files like ONNX models.
const maxEdited = 2e6;
let engine;
let input = { name: "module.relay", bytes: undefined };

function setInput(name, bytes) {
  const format = formatOf(name) ?? formats[0];
  const isEdited = format.isText && bytes.length <= maxEdited;
  input = { name: formatOf(name) ? name : `${name}.relay`, bytes: isEdited ? undefined : bytes };
  $("name").textContent = input.name;
  $("size").textContent = formatSize(bytes.length);
  $("editor").hidden = !isEdited;
  $("card").hidden = isEdited;
  $("text").value = isEdited ? decode(bytes) : "";
  $("card").replaceChildren(make("h2", input.name), make("div", `${format.label}, ${formatSize(bytes.length)}`));
  $("passes").value = format.passes;
  fillFormats(format);
  showMessages([]);
  run();
}

function fillFormats(format) {
  const outputs = format.ending === "py" ? [format] : [...formats.filter(({ ending }) => ending !== "py"), ...moreOutputs];
  $("format").replaceChildren(...outputs.map(({ ending, label }) => new Option(label, ending, false, ending === format.ending)));
}

const inputBytes = () => input.bytes ?? new TextEncoder().encode($("text").value);

function numberLines(marks = new Map()) {
  const count = $("text").value.split("\n").length;
  $("numbers").replaceChildren();
  const rows = document.createDocumentFragment();
  for (let i = 1; i <= count; ++i) {
    const mark = marks.get(i);
    rows.append(mark === undefined ? String(i) : make("span", String(i), mark), "\n");
  }
  $("numbers").append(rows);
  $("numbers").scrollTop = $("text").scrollTop;
}

function select(diagnostic) {
  const text = $("text");
  const lines = text.value.split("\n");
  const offset = (line, column) => lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  text.focus();
  text.setSelectionRange(offset(diagnostic.line, diagnostic.column), offset(diagnostic.end_line, diagnostic.end_column));
  text.scrollTop = Math.max(0, (diagnostic.line - 8) * 18);
}

// ---- Messages -------------------------------------------------------------------------------------------------------

function showMessages(diagnostics) {
  const rows = [];
  for (const diagnostic of diagnostics) {
    for (const one of [diagnostic, ...(diagnostic.notes ?? [])]) {
      const row = make("div", undefined, `message ${one.severity}`);
      row.append(make("b", one.severity), make("i", one.line ? `${one.line}:${one.column}` : ""), make("span", one.text));
      if (one.line && one.file === input.name && !input.bytes) row.onclick = () => select(one);
      rows.push(row);
    }
  }
  $("messages").replaceChildren(...rows);
  $("messages").hidden = rows.length === 0;
  const marks = new Map();
  for (const { line, file, severity } of diagnostics) {
    if (line && file === input.name && marks.get(line) !== "error") marks.set(line, severity);
  }
  if (!input.bytes) numberLines(marks);
}

const setStatus = (text) => ($("status").textContent = text);

// ---- Running --------------------------------------------------------------------------------------------------------

// The last result: {name, bytes, ms, memory, report}, or undefined.
let result;
let isRunning = false;

function outputFormat() {
  const ending = $("format").value;
  return [...formats, ...moreOutputs].find((format) => format.ending === ending);
}

async function run() {
  if (isRunning) engine.cancel();
  isRunning = true;
  $("run").hidden = true;
  $("cancel").hidden = false;
  const began = performance.now();
  let step = "starting";
  const clock = setInterval(() => setStatus(`${((performance.now() - began) / 1000).toFixed(1)} s: ${step}`), 100);
  const format = outputFormat();
  const source = input.name;
  const bytes = inputBytes();
  const name = `${source.slice(0, source.lastIndexOf("."))}-optimized.${format.ending}`;
  const args = [source, "-o", name, "-v", "-q", "--diagnostics-format=json", "--report=report.html", ...(format.arguments ?? [])];
  if ($("passes").value.trim()) args.push(`--passes=${$("passes").value.trim()}`);
  if ($("validate").checked) args.push("--validate");
  try {
    const one = await engine.run(args, { [source]: bytes }, (text) => (step = text.replace(/^relayopt \[[^\]]*\] /, "").trim().slice(0, 120)));
    finish(one, { source, bytes, name, format });
  } catch (error) {
    if (error.message === "cancelled" && !isRunning) return;
    setStatus(error.message);
  } finally {
    clearInterval(clock);
  }
}

function endRun() {
  isRunning = false;
  $("run").hidden = false;
  $("cancel").hidden = true;
}

function finish(one, { source, bytes, name, format }) {
  endRun();
  const { diagnostics } = splitMessages(one);
  showMessages(diagnostics);
  const output = one.files[name];
  result = { source, input: bytes, name, bytes: output, isText: format.isText, report: one.files["report.html"], cache: {} };
  $("download").disabled = output === undefined;
  const size = output === undefined ? "" : `${formatSize(bytes.length)} → ${formatSize(output.length)}, `;
  setStatus(`${one.status === 0 ? "done" : `exit status ${one.status}`}: ${size}${one.ms.toFixed(0)} ms, ${formatSize(one.memory)} of memory`);
  showTab(tab);
}

// ---- Tabs at the right ----------------------------------------------------------------------------------------------

let tab = "output";

// Answers of the tool about the last result, made when somebody looks at them.
async function answer(key, args, files) {
  if (result.cache[key] === undefined) {
    const { stdout, stderr } = await engine.run(args, files);
    result.cache[key] = decode(stdout) || stderr;
  }
  return result.cache[key];
}
const passesOfRun = () => ($("passes").value.trim() ? [`--passes=${$("passes").value.trim()}`] : []);
const isComparable = () => formatOf(result.name) !== undefined;

const tabs = {
  output: { label: "Output", text: () => (result.isText ? decode(result.bytes) : answer("text", [result.name, "--emit=onnx-text", "-q"], { [result.name]: result.bytes })) },
  report: { label: "Report" },
  overview: { label: "Summary", text: () => answer("overview", [result.source, "--overview", ...passesOfRun()], { [result.source]: result.input }) },
  diff: {
    label: "Difference",
    text: () =>
      isComparable()
        ? answer("diff", [result.name, `--diff=${result.source}`], { [result.name]: result.bytes, [result.source]: result.input })
        : "This format cannot be read back, so that there is nothing to compare.",
  },
};

async function showTab(key) {
  tab = key;
  for (const button of $("tabs").children) button.setAttribute("aria-selected", button.dataset.key === key);
  const isReport = key === "report" && result?.report !== undefined;
  $("report").hidden = !isReport;
  $("shown").hidden = isReport;
  if (isReport) {
    if (result.url === undefined) {
      result.url = URL.createObjectURL(new Blob([result.report], { type: "text/html" }));
      $("report").src = result.url;
    }
    return;
  }
  if (result?.bytes === undefined || key === "report") {
    showText("", "Nothing was written. The messages below say why.");
    return;
  }
  const shown = result;
  const text = await tabs[key].text();
  if (shown === result && tab === key) showText(text, "Nothing differs.");
}

function showText(text, empty) {
  $("shown").className = text === "" ? "empty" : "";
  if (tab !== "diff") {
    $("shown").textContent = text || empty;
    return;
  }
  $("shown").replaceChildren(
    ...(text || empty).split("\n").map((line) => make("div", line || " ", line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "")));
}

// ---- Completion of passes -------------------------------------------------------------------------------------------

let passes = [];
let chosen = 0;

const named = [
  ["default<O3>", "TVM's build pipeline of level 3"],
  ["default<onnx>", "makes ONNX models smaller and writes ONNX"],
  ["default<tir>", "lowers tensor programs"],
  ["fixpoint(", "repeats passes until nothing changes"],
  ["repeat<2>(", "repeats passes"],
].map(([name, summary]) => ({ name, summary, options: [] }));

// The word before the cursor: a name of a pass, or an option inside of <...>.
function wordAtCursor() {
  const before = $("passes").value.slice(0, $("passes").selectionStart);
  const [word] = /[\w.]*$/.exec(before);
  const owner = /([\w.]+)<[^<>]*$/.exec(before);
  return { word, begin: before.length - word.length, end: before.length, owner: owner?.[1] };
}

function choicesFor({ word, owner }) {
  const lower = word.toLowerCase();
  const pass = passes.find(({ name }) => name === owner);
  if (owner !== undefined) {
    return (pass?.options ?? []).filter(({ name }) => name.startsWith(word)).map(({ name, doc, type, default: value }) => ({ name: `${name}=`, summary: `${doc} (${type}, default ${value})` }));
  }
  if (word === "") return [];
  const rank = ({ name }) => (name.toLowerCase().startsWith(lower) ? 0 : name.toLowerCase().includes(lower) ? 1 : 2);
  return [...named, ...passes].filter((one) => rank(one) < 2).sort((a, b) => rank(a) - rank(b)).slice(0, 40);
}

function showChoices() {
  const at = wordAtCursor();
  const choices = choicesFor(at);
  const isDone = choices.length === 1 && choices[0].name === at.word;
  $("choices").hidden = choices.length === 0 || isDone;
  $("passes").setAttribute("aria-expanded", !$("choices").hidden);
  chosen = Math.min(chosen, Math.max(0, choices.length - 1));
  $("choices").replaceChildren(
    ...choices.map(({ name, summary }, i) => {
      const item = make("li", undefined, i === chosen ? "on" : "");
      item.append(make("b", name), make("span", summary));
      item.onmousedown = (event) => {
        event.preventDefault();
        insert(name);
      };
      return item;
    }));
  showHint(at);
}

function showHint({ word, owner }) {
  const pass = passes.find(({ name }) => name === (owner ?? word));
  $("hint").textContent = pass === undefined ? "" : `${pass.name} ${pass.summary}${pass.options.length ? `; options: ${pass.options.map(({ name }) => name).join(", ")}` : ""}`;
}

function insert(name) {
  const { begin, end } = wordAtCursor();
  const field = $("passes");
  field.setRangeText(name, begin, end, "end");
  chosen = 0;
  showChoices();
  $("choices").hidden = true;
}

function onPassKey(event) {
  const items = $("choices").children;
  const isOpen = !$("choices").hidden;
  if (event.key === "Escape") $("choices").hidden = true;
  else if (event.key === "ArrowDown" && isOpen) chosen = (chosen + 1) % items.length;
  else if (event.key === "ArrowUp" && isOpen) chosen = (chosen + items.length - 1) % items.length;
  else if ((event.key === "Tab" || event.key === "Enter") && isOpen && !event.ctrlKey) insert(items[chosen].firstChild.textContent);
  else if (event.key === "Enter") return run();
  else return;
  event.preventDefault();
  for (const [i, item] of [...items].entries()) item.className = i === chosen ? "on" : "";
  items[chosen]?.scrollIntoView({ block: "nearest" });
}

// ---- Files ----------------------------------------------------------------------------------------------------------

async function openFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPacked = endingOf(file.name) === "gz";
  try {
    setInput(isPacked ? file.name.slice(0, -3) : file.name, isPacked ? await unpack(bytes) : bytes);
  } catch {
    setStatus(`${file.name} is not compressed by gzip`);
  }
}

function download() {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([result.bytes]));
  link.download = result.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function connect(examples) {
  for (const [key, { label }] of Object.entries(tabs)) {
    const button = make("button", label);
    button.dataset.key = key;
    button.setAttribute("role", "tab");
    button.onclick = () => showTab(key);
    $("tabs").append(button);
  }
  $("open").onclick = () => $("file").click();
  $("file").onchange = () => $("file").files[0] && openFile($("file").files[0]);
  $("examples").append(...Object.keys(examples).map((name) => new Option(name, name)));
  $("examples").onchange = ({ target }) => {
    if (target.value) setInput(target.value, new TextEncoder().encode(examples[target.value]));
    target.value = "";
  };
  $("theme").onclick = () => document.documentElement.classList.toggle("dark");
  document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
  $("run").onclick = () => run();
  $("cancel").onclick = () => {
    endRun();
    engine.cancel();
    setStatus("cancelled");
  };
  $("download").onclick = download;
  $("format").onchange = () => run();
  $("validate").onchange = () => run();
  $("passes").oninput = () => {
    chosen = 0;
    showChoices();
  };
  $("passes").onclick = showChoices;
  $("passes").onblur = () => ($("choices").hidden = true);
  $("passes").onkeydown = onPassKey;
  $("text").oninput = () => {
    numberLines();
    $("size").textContent = formatSize(inputBytes().length);
  };
  $("text").onscroll = () => ($("numbers").scrollTop = $("text").scrollTop);
  addEventListener("keydown", (event) => event.ctrlKey && event.key === "Enter" && run());
  addEventListener("dragover", (event) => {
    event.preventDefault();
    $("drop").hidden = false;
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && ($("drop").hidden = true));
  addEventListener("drop", (event) => {
    event.preventDefault();
    $("drop").hidden = true;
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
}

async function start({ wasm, worker, examples }) {
  connect(examples);
  try {
    engine = new Engine(await WebAssembly.compile(await unpack(await bytesOf(wasm))), worker);
    const [[name, text]] = Object.entries(examples);
    setInput(name, new TextEncoder().encode(text));
    passes = JSON.parse(decode((await engine.run(["--list-passes=json"], {})).stdout));
  } catch (error) {
    setStatus(`this browser cannot run the page: ${error.message}`);
  }
}

start(JSON.parse($("data").textContent));
