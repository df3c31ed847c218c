// WASI (snapshot preview 1) for one run of a program whose files are in memory. Node and web pages use the same.

// Error numbers of WASI.
const errno = { success: 0, badf: 8, exist: 20, inval: 28, isdir: 31, noent: 44, nosys: 52, notdir: 54, notempty: 55, spipe: 70 };
const fileType = { character: 2, directory: 3, regular: 4 };
const open = { create: 1, directory: 2, exclusive: 4, truncate: 8 };
const append = 1;
const allRights = 0x1fffffffn;
const root = 3;

// Thrown by proc_exit to leave the program.
class Exit {
  constructor(status) { this.status = status; }
}

// The bytes of a file, in a buffer that doubles when it is full.
class MemoryFile {
  constructor(bytes = new Uint8Array(0)) {
    this.buffer = bytes;
    this.size = bytes.length;
  }
  bytes() { return this.buffer.subarray(0, this.size); }
  resize(size) {
    if (size > this.buffer.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.buffer.length));
      larger.set(this.bytes());
      this.buffer = larger;
    }
    if (size > this.size) this.buffer.fill(0, this.size, size);
    this.size = size;
  }
  write(at, bytes) {
    if (at + bytes.length > this.size) this.resize(at + bytes.length);
    this.buffer.set(bytes, at);
  }
}

// Files and folders by path, without a slash before it: "a/b.relay". The folder of all is "".
class FileTree {
  constructor(files) {
    this.files = new Map();
    this.folders = new Set([""]);
    for (const [path, bytes] of Object.entries(files)) {
      this.addFoldersOf(path);
      this.files.set(path, new MemoryFile(bytes));
    }
  }
  addFoldersOf(path) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) this.folders.add(path.slice(0, at));
  }
  has(path) { return this.files.has(path) || this.folders.has(path); }
  hasFolderOf(path) { return this.folders.has(path.slice(0, Math.max(0, path.lastIndexOf("/")))); }
  // Names and types of what a folder holds.
  list(folder) {
    const prefix = folder === "" ? "" : folder + "/";
    const inside = (path) => path !== "" && path.startsWith(prefix) && !path.slice(prefix.length).includes("/");
    return [
      ...[...this.folders].filter(inside).map((path) => ({ name: path.slice(prefix.length), type: fileType.directory })),
      ...[...this.files.keys()].filter(inside).map((path) => ({ name: path.slice(prefix.length), type: fileType.regular })),
    ];
  }
}

// Joins a path to the folder that it starts from, and resolves "." and "..", which cannot leave the root.
function resolve(folder, path) {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

class Wasi {
  constructor({ args, env, files, stdin, onOutput }) {
    this.args = args;
    this.env = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    this.tree = new FileTree(files);
    this.onOutput = onOutput;
    // What descriptors stand for: 0 to 2 are streams, `root` is the folder of all.
    this.open = new Map([
      [0, { file: new MemoryFile(stdin), position: 0, flags: 0 }],
      [1, { stream: 1 }],
      [2, { stream: 2 }],
      [root, { folder: "" }],
    ]);
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder();
  }

  // The memory moves when it grows.
  get view() { return new DataView(this.memory.buffer); }
  bytesAt(at, size) { return new Uint8Array(this.memory.buffer, at, size); }
  textAt(at, size) { return this.decoder.decode(this.bytesAt(at, size).slice()); }

  // Calls `each` with every buffer of a vector until it returns false.
  forBuffers(at, count, each) {
    for (let i = 0; i < count; ++i) {
      const begin = this.view.getUint32(at + 8 * i, true);
      if (!each(this.bytesAt(begin, this.view.getUint32(at + 8 * i + 4, true)))) return;
    }
  }

  read(file, position, vector, count, out) {
    let total = 0;
    this.forBuffers(vector, count, (buffer) => {
      const n = Math.max(0, Math.min(buffer.length, file.size - position - total));
      buffer.set(file.buffer.subarray(position + total, position + total + n));
      total += n;
      return n === buffer.length;
    });
    this.view.setUint32(out, total, true);
    return total;
  }

  write(vector, count, out, take) {
    let total = 0;
    this.forBuffers(vector, count, (buffer) => {
      take(buffer, total);
      total += buffer.length;
      return true;
    });
    this.view.setUint32(out, total, true);
    return total;
  }

  writeStrings(strings, pointers, buffer) {
    strings.forEach((string, i) => {
      const bytes = this.encoder.encode(string + "\0");
      this.view.setUint32(pointers + 4 * i, buffer, true);
      this.bytesAt(buffer, bytes.length).set(bytes);
      buffer += bytes.length;
    });
    return errno.success;
  }
  writeSizes(strings, count, size) {
    this.view.setUint32(count, strings.length, true);
    this.view.setUint32(size, strings.reduce((sum, string) => sum + this.encoder.encode(string).length + 1, 0), true);
    return errno.success;
  }

  writeStat(out, type, size) {
    this.bytesAt(out, 64).fill(0);
    this.view.setUint8(out + 16, type);
    this.view.setBigUint64(out + 24, 1n, true);
    this.view.setBigUint64(out + 32, BigInt(size), true);
    return errno.success;
  }
  typeOf(entry) {
    if (entry.folder !== undefined) return fileType.directory;
    return entry.stream === undefined ? fileType.regular : fileType.character;
  }

  // The path that a call names, or undefined when its descriptor is no folder.
  path(fd, at, size) {
    const folder = this.open.get(fd)?.folder;
    return folder === undefined ? undefined : resolve(folder, this.textAt(at, size));
  }

  // The functions of the snapshot. Those that are missing end the program with "not supported".
  functions() {
    const entryOf = (fd) => this.open.get(fd);
    const withFile = (fd, then) => {
      const entry = entryOf(fd);
      if (entry === undefined) return errno.badf;
      return entry.file === undefined ? errno.spipe : then(entry);
    };
    return {
      args_get: (pointers, buffer) => this.writeStrings(this.args, pointers, buffer),
      args_sizes_get: (count, size) => this.writeSizes(this.args, count, size),
      environ_get: (pointers, buffer) => this.writeStrings(this.env, pointers, buffer),
      environ_sizes_get: (count, size) => this.writeSizes(this.env, count, size),
      clock_res_get: (_, out) => (this.view.setBigUint64(out, 1000n, true), errno.success),
      clock_time_get: (clock, _, out) => {
        const ms = clock === 0 ? Date.now() : performance.now();
        this.view.setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
        return errno.success;
      },
      random_get: (at, size) => {
        for (let done = 0; done < size; done += 65536) {
          crypto.getRandomValues(this.bytesAt(at + done, Math.min(65536, size - done)));
        }
        return errno.success;
      },
      sched_yield: () => errno.success,
      proc_exit: (status) => { throw new Exit(status); },

      fd_close: (fd) => (this.open.delete(fd) ? errno.success : errno.badf),
      fd_fdstat_get: (fd, out) => {
        const entry = entryOf(fd);
        if (entry === undefined) return errno.badf;
        this.bytesAt(out, 24).fill(0);
        this.view.setUint8(out, this.typeOf(entry));
        this.view.setUint16(out + 2, entry.flags ?? 0, true);
        this.view.setBigUint64(out + 8, allRights, true);
        this.view.setBigUint64(out + 16, allRights, true);
        return errno.success;
      },
      fd_fdstat_set_flags: (fd, flags) => withFile(fd, (entry) => ((entry.flags = flags), errno.success)),
      fd_filestat_get: (fd, out) => {
        const entry = entryOf(fd);
        return entry === undefined ? errno.badf : this.writeStat(out, this.typeOf(entry), entry.file?.size ?? 0);
      },
      fd_filestat_set_size: (fd, size) => withFile(fd, ({ file }) => (file.resize(Number(size)), errno.success)),
      fd_pread: (fd, vector, count, at, out) =>
        withFile(fd, ({ file }) => (this.read(file, Number(at), vector, count, out), errno.success)),
      fd_prestat_get: (fd, out) => {
        if (fd !== root) return errno.badf;
        this.view.setUint32(out, 0, true);
        this.view.setUint32(out + 4, 1, true);
        return errno.success;
      },
      fd_prestat_dir_name: (_, at) => (this.bytesAt(at, 1).set([47]), errno.success),
      fd_read: (fd, vector, count, out) =>
        withFile(fd, (entry) => {
          entry.position += this.read(entry.file, entry.position, vector, count, out);
          return errno.success;
        }),
      fd_readdir: (fd, at, size, cookie, out) => this.readFolder(fd, at, size, Number(cookie), out),
      fd_seek: (fd, offset, whence, out) =>
        withFile(fd, (entry) => {
          const position = Number(offset) + [0, entry.position, entry.file.size][whence];
          if (!(position >= 0)) return errno.inval;
          entry.position = position;
          this.view.setBigUint64(out, BigInt(position), true);
          return errno.success;
        }),
      fd_sync: () => errno.success,
      fd_write: (fd, vector, count, out) => {
        const entry = entryOf(fd);
        if (entry === undefined) return errno.badf;
        if (entry.stream !== undefined) {
          this.write(vector, count, out, (buffer) => this.onOutput(entry.stream, buffer.slice()));
          return errno.success;
        }
        return withFile(fd, () => {
          if (entry.flags & append) entry.position = entry.file.size;
          entry.position += this.write(vector, count, out, (buffer, done) => entry.file.write(entry.position + done, buffer));
          return errno.success;
        });
      },

      path_create_directory: (fd, at, size) => {
        const path = this.path(fd, at, size);
        if (path === undefined) return errno.badf;
        if (this.tree.has(path)) return errno.exist;
        if (!this.tree.hasFolderOf(path)) return errno.noent;
        this.tree.folders.add(path);
        return errno.success;
      },
      path_filestat_get: (fd, _, at, size, out) => {
        const path = this.path(fd, at, size);
        if (path === undefined) return errno.badf;
        if (this.tree.folders.has(path)) return this.writeStat(out, fileType.directory, 0);
        const file = this.tree.files.get(path);
        return file === undefined ? errno.noent : this.writeStat(out, fileType.regular, file.size);
      },
      path_open: (fd, _, at, size, how, _base, _inheriting, flags, out) => {
        const path = this.path(fd, at, size);
        return path === undefined ? errno.badf : this.openPath(path, how, flags, out);
      },
      path_readlink: () => errno.inval,
      path_remove_directory: (fd, at, size) => {
        const path = this.path(fd, at, size);
        if (path === undefined) return errno.badf;
        if (!this.tree.folders.has(path)) return this.tree.files.has(path) ? errno.notdir : errno.noent;
        if (this.tree.list(path).length > 0) return errno.notempty;
        this.tree.folders.delete(path);
        return errno.success;
      },
      path_rename: (fd, at, size, toFd, toAt, toSize) => {
        const from = this.path(fd, at, size);
        const to = this.path(toFd, toAt, toSize);
        const file = this.tree.files.get(from);
        if (file === undefined || to === undefined || !this.tree.hasFolderOf(to)) return errno.noent;
        if (this.tree.folders.has(to)) return errno.isdir;
        this.tree.files.delete(from);
        this.tree.files.set(to, file);
        return errno.success;
      },
      path_unlink_file: (fd, at, size) => {
        const path = this.path(fd, at, size);
        if (this.tree.folders.has(path)) return errno.isdir;
        return this.tree.files.delete(path) ? errno.success : errno.noent;
      },
    };
  }

  openPath(path, how, flags, out) {
    let entry;
    if (this.tree.folders.has(path)) {
      if (how & open.create) return errno.isdir;
      entry = { folder: path };
    } else {
      let file = this.tree.files.get(path);
      if (file !== undefined && (how & open.create) && (how & open.exclusive)) return errno.exist;
      if (how & open.directory) return file === undefined ? errno.noent : errno.notdir;
      if (file === undefined) {
        if (!(how & open.create) || !this.tree.hasFolderOf(path)) return errno.noent;
        file = new MemoryFile();
        this.tree.files.set(path, file);
      }
      if (how & open.truncate) file.resize(0);
      entry = { file, position: 0, flags };
    }
    let fd = root + 1;
    while (this.open.has(fd)) ++fd;
    this.open.set(fd, entry);
    this.view.setUint32(out, fd, true);
    return errno.success;
  }

  // Entries are 24 bytes and the name; one that does not fit is cut, and the program asks again.
  readFolder(fd, at, size, cookie, out) {
    const folder = this.open.get(fd)?.folder;
    if (folder === undefined) return errno.badf;
    let used = 0;
    for (const [i, { name, type }] of this.tree.list(folder).entries()) {
      if (i < cookie || used >= size) continue;
      const bytes = this.encoder.encode(name);
      const record = new Uint8Array(24 + bytes.length);
      const view = new DataView(record.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setUint32(16, bytes.length, true);
      view.setUint8(20, type);
      record.set(bytes, 24);
      const n = Math.min(record.length, size - used);
      this.bytesAt(at + used, n).set(record.subarray(0, n));
      used += n;
    }
    this.view.setUint32(out, used, true);
    return errno.success;
  }
}

/**
 * Runs a WASI program, a compiled `WebAssembly.Module`, once. `args[0]` is its name. Returns its exit status, 134 if it
 * crashed (then with the reason in `trap`), and all files that are there afterwards, by path. `onOutput(1 or 2, bytes)`
 * gets what it writes to standard output and standard error.
 */
export function runWasi(module, { args, env = {}, files = {}, stdin = new Uint8Array(0), onOutput }) {
  const wasi = new Wasi({ args, env, files, stdin, onOutput });
  const functions = wasi.functions();
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1" && kind === "function") imports[name] = functions[name] ?? (() => errno.nosys);
  }
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  wasi.memory = instance.exports.memory;
  let status = 0;
  let trap;
  try {
    instance.exports._start();
  } catch (error) {
    if (error instanceof Exit) {
      status = error.status;
    } else {
      status = 134;
      trap = String(error.message ?? error);
    }
  }
  const left = {};
  for (const [path, file] of wasi.tree.files) left[path] = file.bytes();
  return { status, trap, files: left, memory: wasi.memory.buffer.byteLength };
}
