// relayopt as a module of JavaScript: the whole tool, compiled to WebAssembly, on files in memory.
import { splitMessages } from "./messages.mjs";
import { runWasi } from "./wasi.mjs";

function join(chunks) {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export class Relayopt {
  #module;

  constructor(module) { this.#module = module; }

  /** Compiles the tool from `relayopt.wasm`: its bytes, or a Response with them. */
  static async load(source) {
    return new Relayopt(await (source instanceof Response ? WebAssembly.compileStreaming(source) : WebAssembly.compile(source)));
  }

  /** Runs the tool as on a command line. */
  run(args, { files = {}, stdin, onMessage } = {}) {
    const output = [[], []];
    const onOutput = (stream, bytes) => {
      output[stream - 1].push(bytes);
      if (stream === 2) onMessage?.(bytes);
    };
    const result = runWasi(this.#module, { args: ["relayopt", ...args], files, stdin, onOutput });
    const stderr = new TextDecoder().decode(join(output[1])) + (result.trap ? `relayopt: crash: ${result.trap}\n` : "");
    return { status: result.status, stdout: join(output[0]), stderr, files: result.files, memory: result.memory };
  }

  /** Runs passes on a module and returns the module that they make. */
  optimize(input, passes, { from = "relay", to = from, args = [] } = {}) {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const name = `input.${from}`;
    const result = this.run([name, `--passes=${passes}`, "-o", `output.${to}`, "--quiet", "--diagnostics-format=json", ...args], {
      files: { [name]: bytes },
    });
    const { diagnostics } = splitMessages(result);
    return { ok: result.status === 0, status: result.status, bytes: result.files[`output.${to}`], diagnostics };
  }
}
