// A client of relayopt-lsp that needs no packages: VS Code's providers on one side, the protocol on the other.
const vscode = require("vscode");
const { spawn } = require("child_process");

class Server {
  constructor(command, onDiagnostics) {
    this.waiting = new Map();
    this.nextId = 1;
    this.buffer = Buffer.alloc(0);
    this.onDiagnostics = onDiagnostics;
    this.process = spawn(command, ["--stdio"]);
    this.process.on("error", (error) => vscode.window.showErrorMessage(`relayopt: cannot start ${command}: ${error.message}`));
    this.process.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("the language server ended"));
      this.waiting.clear();
    });
    this.process.stdout.on("data", (data) => this.receive(data));
  }

  send(message) {
    const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
    this.process.stdin.write(text);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const end = this.buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(this.buffer.toString("latin1", 0, end))[1]);
      if (this.buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.buffer.toString("utf8", end + 4, end + 4 + length));
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.dispatch(message);
    }
  }

  dispatch(message) {
    if (message.method === "textDocument/publishDiagnostics") return this.onDiagnostics(message.params);
    const waiting = this.waiting.get(message.id);
    if (!waiting) return;
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }
}

const toRange = (range) => new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
const fromRange = (range) => ({ start: { ...position(range.start) }, end: { ...position(range.end) } });
const position = (at) => ({ line: at.line, character: at.character });
const where = (document, at) => ({ textDocument: { uri: document.uri.toString() }, position: position(at) });
const toLocation = (location) => new vscode.Location(vscode.Uri.parse(location.uri), toRange(location.range));

function isOurs(document) {
  if (document.languageId === "relay") return true;
  const wanted = vscode.workspace.getConfiguration("relayopt").get("tvmScript");
  return wanted && document.languageId === "python" && document.getText().includes("@T.prim_func");
}

function activate(context) {
  const collection = vscode.languages.createDiagnosticCollection("relayopt");
  const severities = [null, vscode.DiagnosticSeverity.Error, vscode.DiagnosticSeverity.Warning, vscode.DiagnosticSeverity.Information];
  const server = new Server(vscode.workspace.getConfiguration("relayopt").get("server"), ({ uri, diagnostics }) => {
    collection.set(vscode.Uri.parse(uri), diagnostics.map((each) => {
      const shown = new vscode.Diagnostic(toRange(each.range), each.message, severities[each.severity]);
      shown.code = each.code;
      shown.source = each.source;
      return shown;
    }));
  });
  const ready = server.request("initialize", { capabilities: {} });
  const open = async (document) => {
    await ready;
    if (isOurs(document)) {
      server.notify("textDocument/didOpen", { textDocument: { uri: document.uri.toString(), version: document.version, text: document.getText() } });
    }
  };
  vscode.workspace.textDocuments.forEach(open);

  const selector = [{ language: "relay" }, { language: "python" }];
  const ask = async (document, method, params) => (isOurs(document) ? server.request(method, params) : null);
  const { languages, workspace, commands } = vscode;
  context.subscriptions.push(
    collection,
    workspace.onDidOpenTextDocument(open),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (!isOurs(document)) return;
      server.notify("textDocument/didChange", {
        textDocument: { uri: document.uri.toString(), version: document.version }, contentChanges: [{ text: document.getText() }],
      });
    }),
    workspace.onDidCloseTextDocument((document) => {
      if (isOurs(document)) server.notify("textDocument/didClose", { textDocument: { uri: document.uri.toString() } });
    }),
    languages.registerHoverProvider(selector, {
      async provideHover(document, at) {
        const found = await ask(document, "textDocument/hover", where(document, at));
        return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), toRange(found.range));
      },
    }),
    languages.registerDefinitionProvider(selector, {
      async provideDefinition(document, at) {
        const found = await ask(document, "textDocument/definition", where(document, at));
        return found && toLocation(found);
      },
    }),
    languages.registerReferenceProvider(selector, {
      async provideReferences(document, at, { includeDeclaration }) {
        const found = await ask(document, "textDocument/references", { ...where(document, at), context: { includeDeclaration } });
        return found && found.map(toLocation);
      },
    }),
    languages.registerRenameProvider(selector, {
      async provideRenameEdits(document, at, newName) {
        const found = await ask(document, "textDocument/rename", { ...where(document, at), newName });
        const edit = new vscode.WorkspaceEdit();
        for (const [uri, edits] of Object.entries(found ? found.changes : {})) {
          for (const each of edits) edit.replace(vscode.Uri.parse(uri), toRange(each.range), each.newText);
        }
        return edit;
      },
    }),
    languages.registerDocumentSymbolProvider(selector, {
      async provideDocumentSymbols(document) {
        const found = await ask(document, "textDocument/documentSymbol", { textDocument: { uri: document.uri.toString() } });
        return found && found.map((each) => new vscode.DocumentSymbol(each.name, "", each.kind - 1, toRange(each.range), toRange(each.selectionRange)));
      },
    }),
    languages.registerCompletionItemProvider(selector, {
      async provideCompletionItems(document, at) {
        const found = await ask(document, "textDocument/completion", where(document, at));
        return found && found.map((each) => {
          const item = new vscode.CompletionItem(each.label, each.kind - 1);
          item.detail = each.detail;
          item.documentation = each.documentation;
          if (each.textEdit) {
            item.range = toRange(each.textEdit.range);
            item.insertText = each.textEdit.newText;
          }
          return item;
        });
      },
    }, "%", "@", ".", "("),
    languages.registerDocumentFormattingEditProvider({ language: "relay" }, {
      async provideDocumentFormattingEdits(document) {
        const found = await ask(document, "textDocument/formatting", { textDocument: { uri: document.uri.toString() }, options: {} });
        return found && found.map((each) => vscode.TextEdit.replace(toRange(each.range), each.newText));
      },
    }),
    languages.registerInlayHintsProvider({ language: "relay" }, {
      async provideInlayHints(document, range) {
        const found = await ask(document, "textDocument/inlayHint", { textDocument: { uri: document.uri.toString() }, range: fromRange(range) });
        return found && found.map((each) => new vscode.InlayHint(new vscode.Position(each.position.line, each.position.character), each.label, each.kind));
      },
    }),
    languages.registerCodeActionsProvider(selector, {
      async provideCodeActions(document, range) {
        const found = await ask(document, "textDocument/codeAction", { textDocument: { uri: document.uri.toString() }, range: fromRange(range), context: {} });
        return found && found.map((each) => {
          const action = new vscode.CodeAction(each.title, vscode.CodeActionKind.Source);
          action.command = each.command;
          return action;
        });
      },
    }),
    // The code actions of the server have this command, too.
    commands.registerCommand("relayopt.runPipeline", async (uri, pipeline) => {
      const document = uri ? await workspace.openTextDocument(vscode.Uri.parse(uri)) : vscode.window.activeTextEditor.document;
      const passes = pipeline || (await vscode.window.showInputBox({ prompt: "The pipeline, as for --passes" }));
      if (!passes) return;
      try {
        const { text } = await server.request("workspace/executeCommand", { command: "relayopt.runPipeline", arguments: [document.uri.toString(), passes] });
        const after = await workspace.openTextDocument({ language: document.languageId, content: text });
        await commands.executeCommand("vscode.diff", document.uri, after.uri, `after ${passes}`);
      } catch (error) {
        vscode.window.showErrorMessage(`relayopt: ${error.message}`);
      }
    }),
    { dispose: () => server.request("shutdown", {}).finally(() => server.notify("exit")) },
  );
}

module.exports = { activate };
