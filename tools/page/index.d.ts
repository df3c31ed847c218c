/** A message of the tool, as `--diagnostics-format=json` writes it. Lines and columns begin at 1. */
export interface Diagnostic {
  severity: "error" | "warning" | "note" | "remark";
  /** The kind of the message. */
  id?: string;
  text: string;
  file?: string;
  line?: number;
  column?: number;
  end_line?: number;
  end_column?: number;
  notes: Omit<Diagnostic, "notes">[];
}

export interface RunOptions {
  /** Files by path, such as "model.onnx" or "data/weights.npz". */
  files?: Record<string, Uint8Array>;
  stdin?: Uint8Array;
  /** Gets what the tool writes to standard error, while it runs. */
  onMessage?: (bytes: Uint8Array) => void;
}

export interface RunResult {
  /** The exit status: 0 success, 1 an error, 3 a check found a wrong result, 134 a crash. */
  status: number;
  stdout: Uint8Array;
  stderr: string;
  /** All files that are there afterwards, those that were given among them. */
  files: Record<string, Uint8Array>;
  /** Bytes of memory that the run took. */
  memory: number;
}

export interface OptimizeOptions {
  /** The ending of the input's file name, which says its format: "relay" (default), "py", "onnx", "json". */
  from?: string;
  /** The same for the output; by default as `from`. */
  to?: string;
  /** More words of the command line, such as "--validate". */
  args?: string[];
}

export interface OptimizeResult {
  ok: boolean;
  status: number;
  /** The module, or undefined when none was written. */
  bytes: Uint8Array | undefined;
  diagnostics: Diagnostic[];
}

export class Relayopt {
  constructor(module: WebAssembly.Module);
  /** Compiles the tool from the bytes of `relayopt.wasm`, or a Response with them. */
  static load(source: BufferSource | Response): Promise<Relayopt>;
  /** Runs the tool as on a command line. Blocks until it has ended. */
  run(args: string[], options?: RunOptions): RunResult;
  /** Runs passes, written as for `--passes`, on a module. */
  optimize(input: Uint8Array | string, passes: string, options?: OptimizeOptions): OptimizeResult;
}
