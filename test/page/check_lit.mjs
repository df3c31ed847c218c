#!/usr/bin/env node
// Compares the tool in WebAssembly with the native one on the pipelines of the lit tests: check_lit.mjs RELAYOPT NPM LIT-TESTS.
// NPM is the folder of the packed module. Standard output and the exit status must be the same.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tool, packed, root] = process.argv.slice(2).map((path) => resolve(path));
const { Relayopt } = await import(pathToFileURL(join(packed, "index.mjs")));
const relayopt = await Relayopt.load(readFileSync(join(packed, "relayopt.wasm")));
const minCompared = 800;

// The words of the first command of a test, when it reads the test alone and is a plain call of the tool.
function commandOf(text, name) {
  const line = /RUN: %relayopt ([^|&;<>\\]*)(\| *FileCheck[^|]*)?$/m.exec(text)?.[1];
  if (line === undefined || !line.includes("%s") || /%[^s]|\$|@/.test(line.replaceAll("%%", ""))) return undefined;
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g).map((word) => word.replace(/["']/g, "").replace("%s", name));
  return words.some((word) => /^(--time|-j|--threads|--stats|--exec|--load|--out-dir|--pass-timeout|--max-memory)/.test(word)) ? undefined : words;
}

let compared = 0;
const different = [];
for (const path of readdirSync(root, { recursive: true }).filter((path) => /\.(relay|py)$/.test(path)).sort()) {
  const file = join(root, path);
  const name = basename(file);
  const bytes = readFileSync(file);
  const words = commandOf(bytes.toString("latin1"), name);
  if (words === undefined) continue;
  const env = { ...process.env };
  delete env.RELAYOPT_OPTIONS;
  const native = spawnSync(tool, words, { cwd: dirname(file), maxBuffer: 1 << 28, env, input: "" });
  const mine = relayopt.run(words, { files: { [name]: new Uint8Array(bytes) } });
  ++compared;
  if (mine.status !== native.status || !native.stdout.equals(mine.stdout)) {
    different.push(`${path}: ${words.join(" ")}\n  exit status ${mine.status}, native ${native.status}: ${mine.stderr.split("\n")[0]}`);
  }
}
for (const text of different) console.log(text);
console.log(`${compared} pipelines compared, ${different.length} differ`);
if (different.length > 0 || compared < minCompared) process.exit(1);
