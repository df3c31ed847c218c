#!/usr/bin/env python3
"""Talks to the language server as an editor does, and checks its answers.

usage: check_lsp.py RELAYOPT_LSP
"""
import json
import subprocess
import sys
import unittest

SERVER = None

RELAY = '''#[version = "0.0.5"]
// RUN: %relayopt --passes=EliminateCommonSubexpr %s
def @helper(%x: Tensor[(2, 3), float32]) {
  nn.relu(%x)
}
def @main(%x: Tensor[(2, 3), float32], /* 𝄞 é */ %z: int32) {
  let %y = @helper(%x);
  %0 = nn.relu(%y);
  %1 = nn.relu(%y);
  add(%0, %1)
}
'''
SCRIPT = '''@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = T.exp(A[i])
'''


class Client:
    """One run of the server."""

    def __init__(self):
        self.process = subprocess.Popen([SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0
        self.notes = []
        self.request("initialize", {"capabilities": {}})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            length = int(line.removeprefix(b"Content-Length: "))
        return json.loads(self.process.stdout.read(length))

    def answer(self, method, params):
        """The whole answer to a request; notifications on the way are kept."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while "id" not in (message := self.receive()):
            self.notes.append(message)
        assert message["id"] == self.next_id
        return message

    def request(self, method, params):
        answer = self.answer(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, uri, text):
        """Opens a document and returns its diagnostics."""
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": "relay", "version": 1, "text": text}}})
        return self.receive()["params"]["diagnostics"]

    def at(self, method, uri, text, needle, shift=0, **more):
        """Asks about the place of a piece of the text."""
        offset = text.index(needle) + shift
        line = text.count("\n", 0, offset)
        start = text.rfind("\n", 0, offset) + 1
        character = len(text[start:offset].encode("utf-16-le")) // 2
        return self.request(method, {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more})

    def close(self):
        self.request("shutdown", {})
        self.send({"method": "exit"})
        status = self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()
        return status


class Server(unittest.TestCase):
    URI = "file:///model.relay"

    def setUp(self):
        self.client = Client()

    def tearDown(self):
        self.assertEqual(self.client.close(), 0)

    def test_valid_text_has_no_diagnostics(self):
        self.assertEqual(self.client.open(self.URI, RELAY), [])

    def test_error_stands_at_its_place(self):
        problem, = self.client.open(self.URI, RELAY.replace("add(", "ad("))
        self.assertEqual(problem["range"]["start"], {"line": 9, "character": 2})
        self.assertEqual(problem["code"], "unknown-operator")
        self.assertIn("did you mean", problem["message"])

    def test_type_error_is_found_while_typing(self):
        self.client.open(self.URI, RELAY)
        text = RELAY.replace("add(%0, %1)", "nn.dense(%0, %z)")
        self.client.send({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": self.URI, "version": 2}, "contentChanges": [{"text": text}]}})
        self.assertNotEqual(self.client.receive()["params"]["diagnostics"], [])

    def test_closed_document_has_no_diagnostics_any_more(self):
        self.client.open(self.URI, "nonsense")
        self.client.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": self.URI}}})
        self.assertEqual(self.client.receive()["params"]["diagnostics"], [])

    def test_hover_shows_type_and_documentation(self):
        self.client.open(self.URI, RELAY)
        shown = self.client.at("textDocument/hover", self.URI, RELAY, "nn.relu(%y)", 4)["contents"]["value"]
        self.assertIn("Tensor[(2, 3), float32]", shown)
        self.assertIn("nn.relu(data)", shown)

    def test_hover_on_a_blank_shows_nothing_of_an_operator(self):
        self.client.open(self.URI, RELAY)
        shown = self.client.at("textDocument/hover", self.URI, RELAY, "// RUN")
        self.assertIsNone(shown)

    def test_definition_is_the_innermost_one(self):
        self.client.open(self.URI, RELAY)
        place = self.client.at("textDocument/definition", self.URI, RELAY, "@helper(%x);", 9)
        self.assertEqual(place["range"]["start"], {"line": 5, "character": 10})
        place = self.client.at("textDocument/definition", self.URI, RELAY, "nn.relu(%x)", 9)
        self.assertEqual(place["range"]["start"], {"line": 2, "character": 12})

    def test_definition_of_a_function(self):
        self.client.open(self.URI, RELAY)
        place = self.client.at("textDocument/definition", self.URI, RELAY, "@helper(%x);", 3)
        self.assertEqual(place["range"]["start"], {"line": 2, "character": 4})

    def test_definition_outside_of_an_inner_scope_is_visible_after_it(self):
        text = RELAY.replace("add(%0, %1)", "if (greater(%z, 0)) { let %y = %0; %y } else { %y }")
        self.client.open(self.URI, text)
        place = self.client.at("textDocument/definition", self.URI, text, "%y } else", 1)
        self.assertEqual(place["range"]["start"]["line"], 9)
        place = self.client.at("textDocument/definition", self.URI, text, "else { %y", 8)
        self.assertEqual(place["range"]["start"]["line"], 6)

    def test_places_in_a_long_line_count_utf16_units(self):
        count = 20000
        params = ", ".join(f"/* \U0001d11e\u00e9 */ %x{i}: int32" for i in range(count))
        text = f'#[version = "0.0.5"] def @main({params}) {{ %x{count - 1} }}\n'
        self.assertEqual(self.client.open(self.URI, text), [])
        place = self.client.at("textDocument/definition", self.URI, text, f"{{ %x{count - 1}", 4)
        name = f"%x{count - 1}: int32"
        start = len(text[:text.index(name)].encode("utf-16-le")) // 2
        self.assertEqual(place["range"]["start"], {"line": 0, "character": start})
        found = self.client.at("textDocument/completion", self.URI, text, f"{{ %x{count - 1}", 4)
        self.assertEqual(len(found), count)

    def test_references_may_leave_the_definition_out(self):
        self.client.open(self.URI, RELAY)
        for include, count in ((True, 3), (False, 2)):
            found = self.client.at("textDocument/references", self.URI, RELAY, "%y);", 1, context={"includeDeclaration": include})
            self.assertEqual(len(found), count)

    def test_rename_keeps_to_the_variable(self):
        self.client.open(self.URI, RELAY)
        edits = self.client.at("textDocument/rename", self.URI, RELAY, "%y);", 1, newName="hidden")["changes"][self.URI]
        self.assertEqual([edit["newText"] for edit in edits], ["%hidden"] * 3)

    def test_rename_to_a_name_that_exists_is_refused(self):
        self.client.open(self.URI, RELAY)
        position = {"line": 7, "character": 16}
        for name in ("x", "a b", "", "0"):
            answer = self.client.answer("textDocument/rename", {"textDocument": {"uri": self.URI}, "position": position, "newName": name})
            self.assertIn("error", answer, name)

    def test_outline_has_the_functions(self):
        self.client.open(self.URI, RELAY)
        found = self.client.request("textDocument/documentSymbol", {"textDocument": {"uri": self.URI}})
        self.assertEqual([each["name"] for each in found], ["@helper", "@main"])
        self.assertEqual(found[1]["range"]["end"], {"line": 10, "character": 1})

    def test_completion_of_operators_attributes_and_variables(self):
        text = RELAY.replace("add(%0, %1)", "nn.sof(%0, ax)")
        self.client.open(self.URI, text)
        labels = [each["label"] for each in self.client.at("textDocument/completion", self.URI, text, "nn.sof(", 6)]
        self.assertIn("nn.softmax", labels)
        self.assertNotIn("nn.relu", labels)
        text = text.replace("nn.sof(", "nn.softmax(")
        self.client.open(self.URI, text)
        labels = [each["label"] for each in self.client.at("textDocument/completion", self.URI, text, "ax)", 2)]
        self.assertIn("axis=", labels)
        labels = [each["label"] for each in self.client.at("textDocument/completion", self.URI, text, "%0, ax", 1)]

        self.assertIn("%y", labels)

    def test_formatting_gives_the_printed_text(self):
        text = '#[version = "0.0.5"]\ndef @main(%x: int32) { let  %y=%x; add(%y,%y) }'
        self.client.open(self.URI, text)
        edit, = self.client.request("textDocument/formatting", {"textDocument": {"uri": self.URI}, "options": {}})
        self.assertIn("  let %y = %x;\n  add(%y, %y)\n", edit["newText"])

    def test_formatting_removes_no_comments(self):
        self.client.open(self.URI, RELAY)
        answer = self.client.answer("textDocument/formatting", {"textDocument": {"uri": self.URI}, "options": {}})
        self.assertIn("comments", answer["error"]["message"])

    def test_text_with_errors_is_not_formatted(self):
        self.client.open(self.URI, "def @main(")
        self.assertIsNone(self.client.request("textDocument/formatting", {"textDocument": {"uri": self.URI}, "options": {}}))

    def test_inlay_hints_are_types(self):
        self.client.open(self.URI, RELAY)
        hints = self.client.request("textDocument/inlayHint", {"textDocument": {"uri": self.URI}, "range": {
            "start": {"line": 0, "character": 0}, "end": {"line": 11, "character": 0}}})
        self.assertEqual([hint["label"] for hint in hints], [": Tensor[(2, 3), float32]"] * 3)

    def test_code_action_runs_the_pipeline_of_the_test(self):
        self.client.open(self.URI, RELAY)
        actions = self.client.request("textDocument/codeAction", {"textDocument": {"uri": self.URI}, "range": {}, "context": {}})
        command = actions[0]["command"]
        self.assertEqual(command["arguments"], [self.URI, "EliminateCommonSubexpr"])
        done = self.client.request("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
        self.assertIn("-", done["difference"])
        self.assertEqual(done["text"].count("nn.relu(%y)"), 1)

    def test_unknown_command_is_an_error(self):
        self.client.open(self.URI, RELAY)
        answer = self.client.answer("workspace/executeCommand", {"command": "relayopt.other", "arguments": [self.URI, "FuseOps"]})
        self.assertIn("unknown command 'relayopt.other'", answer["error"]["message"])

    def test_unknown_pipeline_is_an_error(self):
        self.client.open(self.URI, RELAY)
        answer = self.client.answer("workspace/executeCommand", {"command": "relayopt.runPipeline", "arguments": [self.URI, "FuseOp"]})
        self.assertIn("unknown pass 'FuseOp'", answer["error"]["message"])

    def test_tensor_programs(self):
        uri = "file:///program.py"
        self.assertEqual(self.client.open(uri, SCRIPT), [])
        shown = self.client.at("textDocument/hover", uri, SCRIPT, "T.exp", 3)["contents"]["value"]
        self.assertIn("T.exp", shown)
        place = self.client.at("textDocument/definition", uri, SCRIPT, "A[i])")
        self.assertEqual(place["range"]["start"], {"line": 1, "character": 9})
        problem, = self.client.open(uri, SCRIPT.replace("T.exp(", "T.exq("))
        self.assertEqual(problem["range"]["start"]["line"], 3)

    def test_malformed_messages_are_answered(self):
        self.assertEqual(self.client.answer("textDocument/hover", {})["error"]["code"], -32602)
        self.assertEqual(self.client.answer("textDocument/nothing", {})["error"]["code"], -32601)
        self.client.process.stdin.write(b"Content-Length: 3\r\n\r\n{x}")
        self.client.process.stdin.flush()
        self.assertEqual(self.client.receive()["error"]["code"], -32700)


if __name__ == "__main__":
    SERVER = sys.argv.pop(1)
    unittest.main()
