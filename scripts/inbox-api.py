#!/usr/bin/env python3
"""The API of the push inbox, used as a program in another language would: with Python's standard library alone.

    pushctl simulate --inbox 127.0.0.1:0 -- python3 scripts/inbox-api.py
    inbox-api.py URL PORT      a running inbox, and the port of its simulator; files by PUSHCTL_SIMULATOR_TRUST_ROOTS,
                               _CERTIFICATE and _PRIVATE_KEY

It pushes over HTTP/2 with the provider certificate, and compares every answer with the schema that the API serves.
It resets the inbox.
"""

import http.client
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import unittest
import urllib.parse

VARIABLE = "PUSHCTL_SIMULATOR_"


def setting(name):
    return os.environ[VARIABLE + name]


class Simulator:
    """Pushes, each on a connection of its own. HTTP/2 by hand: header fields as literals, frames one after another."""

    def __init__(self, port):
        self.port = port
        self.tls = ssl.create_default_context(cafile=setting("TRUST_ROOTS"))
        self.tls.load_cert_chain(setting("CERTIFICATE"), setting("PRIVATE_KEY"))
        self.tls.set_alpn_protocols(["h2"])

    @staticmethod
    def integer(value, bits, first=0):
        """RFC 7541, section 5.1."""
        most = (1 << bits) - 1
        if value < most:
            return bytes([first | value])
        out, value = [first | most], value - most
        while value >= 128:
            out.append(value % 128 + 128)
            value //= 128
        return bytes(out + [value])

    def field(self, name, value):
        """A literal without indexing (RFC 7541, section 6.2.2)."""
        text = b"\0"
        for part in (name.encode(), value.encode()):
            text += self.integer(len(part), 7) + part
        return text

    @staticmethod
    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def push(self, token, payload, headers=None):
        """Returns the answer's JSON; None if the push was accepted."""
        fields = {
            ":method": "POST", ":scheme": "https", ":authority": "localhost", ":path": "/3/device/" + token,
            "apns-topic": "com.example.app", "apns-push-type": "alert", **(headers or {}),
        }
        block = b"".join(self.field(name, value) for name, value in fields.items())
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        with socket.create_connection(("localhost", self.port), timeout=120) as plain:
            with self.tls.wrap_socket(plain, server_hostname="localhost") as connection:
                connection.sendall(
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.frame(4, 0, 0) + self.frame(1, 4, 1, block)
                    + self.frame(0, 1, 1, body))
                return self.answer(connection.makefile("rb"))

    @staticmethod
    def answer(stream):
        body = b""
        while True:
            head = stream.read(9)
            if len(head) < 9:
                raise ConnectionError("the simulator ended the connection")
            kind, flags, number = head[3], head[4], struct.unpack(">I", head[5:])[0]
            content = stream.read(int.from_bytes(head[:3], "big"))
            if number != 1:
                continue
            if kind == 3:
                raise ConnectionError("the simulator reset the stream")
            if kind == 0:
                body += content
            if kind in (0, 1) and flags & 1:
                return json.loads(body) if body else None


class Schema:
    """JSON Schema, as far as the two documents use it."""

    TYPES = {
        "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
        "number": (int, float),
    }
    KNOWN = {
        "$ref", "type", "enum", "const", "anyOf", "allOf", "properties", "required", "additionalProperties", "items", "minItems",
        "maxItems", "minimum", "maximum", "exclusiveMinimum", "pattern", "maxLength", "format", "default", "description",
    }

    def __init__(self, documents):
        self.documents = documents

    def find(self, reference, base):
        path, _, pointer = reference.partition("#")
        base = path or base
        value = self.documents[base]
        for name in pointer.strip("/").split("/"):
            value = value[name]
        return value, base

    def problems(self, value, schema, base, place="$"):
        unknown = set(schema) - self.KNOWN
        assert not unknown, f"the validator does not know {unknown}"
        if "$ref" in schema:
            found, base = self.find(schema["$ref"], base)
            yield from self.problems(value, found, base, place)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(self.is_a(value, name) for name in types):
            yield f"{place} is {value!r}, not {types}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place} is {value!r}, not one of {schema['enum']}"
        if "const" in schema and value != schema["const"]:
            yield f"{place} is {value!r}"
        for part in schema.get("allOf", []):
            yield from self.problems(value, part, base, place)
        if "anyOf" in schema:
            failures = [list(self.problems(value, choice, base, place)) for choice in schema["anyOf"]]
            if all(failures):
                yield f"{place} fits none: {failures}"
        if isinstance(value, dict):
            yield from self.members(value, schema, base, place)
        if isinstance(value, list):
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                yield f"{place} has {len(value)} items"
            for index, item in enumerate(value):
                yield from self.problems(item, schema.get("items", {}), base, f"{place}[{index}]")
        if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
            yield f"{place} is {value!r}, not {schema['pattern']}"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{place} is {value}"
            if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
                yield f"{place} is {value}"

    def members(self, value, schema, base, place):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place} has no {name}"
        others = schema.get("additionalProperties", True)
        for name, member in value.items():
            if name in schema.get("properties", {}):
                yield from self.problems(member, schema["properties"][name], base, f"{place}.{name}")
            elif isinstance(others, dict):
                yield from self.problems(member, others, base, f"{place}.{name}")
            elif not others:
                yield f"{place} has {name}, which is not described"

    def is_a(self, value, name):
        if name in ("integer", "number") and isinstance(value, bool):
            return False
        return isinstance(value, self.TYPES[name])


class Inbox:
    """A client that compares each answer with its description."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        documents = {path: self.plain("GET", path)[2] for path in ("/v1/openapi.json", "/v1/rules/schema.json")}
        self.paths = documents["/v1/openapi.json"]["paths"]
        self.schema = Schema(documents)
        self.seen = set()

    def plain(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        try:
            fields = dict(headers or {})
            if body is not None and "Content-Type" not in fields:
                fields["Content-Type"] = "application/json"
                body = json.dumps(body)
            connection.request(method, path, body=body, headers=fields)
            answer = connection.getresponse()
            content = answer.read()
            kind = (answer.getheader("Content-Type") or "").split(";")[0]
            return answer.status, kind, json.loads(content) if kind.endswith("json") and content else content
        finally:
            connection.close()

    def __call__(self, method, path, body=None, headers=None, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        status, kind, content = self.plain(method, path + query, body, headers)
        template, operation = self.operation(method, path)
        answers = operation["responses"]
        answer = answers.get(str(status), answers["default"])
        if "$ref" in answer:
            answer, _ = self.schema.find(answer["$ref"], "/v1/openapi.json")
        self.seen.add((method.lower(), template))
        types = answer.get("content", {})
        assert kind in types or not types and not content, f"{method} {path}: {status} has {kind}"
        if kind.endswith("json") and types:
            problems = list(self.schema.problems(content, types[kind]["schema"], "/v1/openapi.json"))
            assert not problems, f"{method} {path}: {problems}"
        return status, content

    def operation(self, method, path):
        fitting = [
            template for template in self.paths
            if re.fullmatch(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(template)), path) and method.lower() in self.paths[template]
        ]
        # A name is preferred to a parameter.
        template = min(fitting, key=lambda template: template.count("{"))
        return template, self.paths[template][method.lower()]

    def events(self, until, path="/v1/events", headers=None):
        """The events of the stream, until one is enough."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        self.seen.add(("get", "/v1/events"))
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            assert answer.status == 200 and answer.getheader("Content-Type") == "text/event-stream"
            events, event = [], {}
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                    continue
                if "event" in event:
                    event["data"] = json.loads(event["data"])
                    self.check(event)
                    events.append(event)
                    if until(event):
                        return events
                event = {}
            raise AssertionError("the stream ended")
        finally:
            connection.close()

    def check(self, event):
        if event["event"] == "push":
            schema = {"anyOf": [{"$ref": "#/components/schemas/" + name} for name in ("Push", "Summary")]}
        else:
            schema = {"$ref": "#/components/schemas/" + event["event"]}
        problems = list(self.schema.problems(event["data"], schema, "/v1/openapi.json"))
        assert not problems, f"{event['event']}: {problems}"


ALERT = {"aps": {"alert": {"title": "Flight A998", "body": "Boarding"}}}


class InboxTests(unittest.TestCase):
    inbox = simulator = None

    def setUp(self):
        self.assertEqual(self.inbox("POST", "/v1/reset")[0], 204)
        self.start = self.inbox("GET", "/v1/status")[1]["next"]

    def push(self, token="aabb", payload=None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.simulator.push(token, ALERT if payload is None else payload, named)

    def test_a_push_is_listed_and_shown(self):
        self.assertIsNone(self.push(apns_priority="5", apns_collapse_id="gate"))
        _, page = self.inbox("GET", "/v1/pushes")
        self.assertEqual([push["payload"] for push in page["pushes"]], [ALERT])
        number = page["pushes"][0]["number"]
        self.assertEqual((page["next"], number), (self.start + 1, self.start + 1))
        _, push = self.inbox("GET", f"/v1/pushes/{number}")
        self.assertEqual((push["token"], push["type"], push["priority"], push["status"]), ("aabb", "alert", 5, 200))
        self.assertEqual((push["collapse_id"], push["sender"]["kind"]), ("gate", "certificate"))
        self.assertEqual({check["result"] for check in push["check_list"]}, {"passed"})
        self.assertEqual(self.inbox("GET", "/v1/pushes/999999")[0], 404)
        self.assertEqual(self.inbox("GET", "/v1/pushes/x")[0], 400)

    def test_pushes_are_found_by_a_filter_and_in_pages(self):
        for number in range(5):
            self.push("aa" if number % 2 else "bb", {"aps": {"alert": f"Gate {number} & more"}})
        def found(**parameters):
            status, page = self.inbox("GET", "/v1/pushes", **parameters)
            self.assertEqual(status, 200)
            return [push["number"] - self.start for push in page["pushes"]]
        self.assertEqual(found(token="a"), [2, 4])
        self.assertEqual(found(text="gate 3 & MORE"), [4])
        self.assertEqual(found(status="4xx"), [])
        self.assertEqual(found(after=self.start, limit=2), [1, 2])
        self.assertEqual(found(before=self.start + 3, limit=2), [1, 2])
        self.assertEqual(found(limit=2, view="summary"), [4, 5])
        self.assertEqual(self.inbox("GET", "/v1/pushes", colour="red")[0], 400)
        self.assertEqual(self.inbox("DELETE", "/v1/pushes", token="aa")[1], {"removed": 2})
        self.assertEqual(found(), [1, 3, 5])

    def test_a_wait_ends_as_the_pushes_come(self):
        answers = []
        def wait():
            answers.append(self.inbox("GET", "/v1/pushes/wait", count=3, timeout=60, after=self.start, token="aa"))
        thread = threading.Thread(target=wait)
        thread.start()
        for token in ("aa01", "bb01", "aa02", "aa03"):
            self.push(token)
        thread.join()
        status, page = answers[0]
        self.assertEqual(status, 200)
        self.assertEqual([push["token"] for push in page["pushes"]], ["aa01", "aa02", "aa03"])

    def test_a_wait_in_vain_names_what_nearly_came(self):
        self.push("aabb")
        status, problem = self.inbox("GET", "/v1/pushes/wait", count=1, timeout=0, token="aabc", type="alert")
        self.assertEqual((status, problem["came"]), (408, 0))
        self.assertEqual(problem["near_misses"][0]["differs"], [{"field": "token", "expected": "aabc", "actual": "aabb"}])

    def test_a_removed_device_answers_410_with_its_time(self):
        self.assertIsNone(self.push("ddee"))
        status, device = self.inbox("PATCH", "/v1/devices/DDEE", {"state": "removed"})
        self.assertEqual((status, device["state"], device["seen"][0]["fate"]), (200, "removed", "shown"))
        answer = self.push("ddee")
        self.assertEqual(answer["reason"], "Unregistered")
        self.assertGreater(answer["timestamp"], 1_600_000_000_000)
        self.assertEqual(answer, self.push("ddee"))
        _, page = self.inbox("GET", "/v1/pushes", reason="Unregistered")
        self.assertEqual(len(page["pushes"]), 2)
        self.inbox("PATCH", "/v1/devices/ddee", {"state": "wrong_environment"})
        self.assertEqual(self.push("ddee"), {"reason": "BadDeviceToken"})
        self.inbox("PATCH", "/v1/devices/ddee", {"state": "online"})
        self.assertIsNone(self.push("ddee"))
        self.assertEqual(self.inbox("PATCH", "/v1/devices/ddee", {"state": "lost"})[0], 400)

    def test_an_offline_device_has_one_push_stored(self):
        self.inbox("PATCH", "/v1/devices/ccdd", {"state": "offline"})
        for _ in range(3):
            self.push("ccdd")
        _, device = self.inbox("GET", "/v1/devices/ccdd")
        self.assertEqual([entry["fate"] for entry in device["seen"]], ["dropped", "dropped", "stored"])
        _, device = self.inbox("PATCH", "/v1/devices/ccdd", {"state": "online"})
        self.assertEqual([entry["fate"] for entry in device["seen"]], ["dropped", "dropped", "shown"])
        _, devices = self.inbox("GET", "/v1/devices")
        self.assertEqual((devices["count"], devices["devices"][0]["token"]), (1, "ccdd"))
        self.assertEqual(self.inbox("GET", "/v1/devices/ffff")[0], 404)

    def test_a_rule_fails_the_next_push_and_counts(self):
        rule = {"name": "hiccup", "when": "push", "times": 1, "then": {"refuse": "InternalServerError"}}
        status, added = self.inbox("POST", "/v1/rules", rule)
        self.assertEqual((status, added["fired"]), (201, 0))
        self.assertEqual(self.push(), {"reason": "InternalServerError"})
        self.assertIsNone(self.push())
        _, spent = self.inbox("GET", f"/v1/rules/{added['id']}")
        self.assertEqual((spent["fired"], spent["spent"]), (1, True))
        self.assertEqual([each["id"] for each in self.inbox("GET", "/v1/rules")[1]["rules"]], [added["id"]])
        self.assertEqual(self.inbox("DELETE", f"/v1/rules/{added['id']}")[0], 204)
        self.assertEqual(self.inbox("DELETE", f"/v1/rules/{added['id']}")[0], 404)
        status, problem = self.inbox("POST", "/v1/rules", {"when": "push", "then": {"refuse": "Nonsense"}})
        self.assertIn("then.refuse", problem["detail"])
        self.assertEqual(status, 400)
        self.inbox("POST", "/v1/rules", rule)
        self.assertEqual(self.inbox("DELETE", "/v1/rules")[0], 204)
        self.assertEqual(self.inbox("GET", "/v1/rules")[1], {"rules": []})

    def test_every_rule_of_the_page_is_in_the_schema(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "simulator-script.md")
        with open(page, encoding="utf-8") as file:
            samples = re.findall(r"```json\n(.*?)\n```", file.read(), re.S)
        rules = [rule for text in samples for rule in json.loads(text).get("rules", [json.loads(text)])]
        self.assertGreater(len(rules), 50)
        for rule in rules:
            reference = {"$ref": "/v1/rules/schema.json#/$defs/rule"}
            self.assertEqual(list(self.inbox.schema.problems(rule, reference, "/v1/openapi.json")), [])
            status, added = self.inbox("POST", "/v1/rules", rule)
            self.assertEqual(status, 201, rule)
            written = {name: value for name, value in added.items() if name not in ("id", "fired", "spent")}
            self.assertEqual(list(self.inbox.schema.problems(written, reference, "/v1/openapi.json")), [])

    def test_the_stream_has_pushes_refusals_and_connections(self):
        self.inbox("PATCH", "/v1/devices/ddee", {"state": "removed"})
        events = []
        def read():
            events.extend(self.inbox.events(
                lambda event: event["event"] == "refusal", f"/v1/events?last={self.start}-0&view=summary"))
        thread = threading.Thread(target=read)
        thread.start()
        self.push("aabb")
        self.push("ddee")
        thread.join()
        names = [event["event"] for event in events if event["event"] != "connection"]
        self.assertEqual([name for name in names if name != "changed"], ["push", "push", "refusal"])
        self.assertIn("connection", [event["event"] for event in events])
        last = next(event["id"] for event in events if event["event"] == "push")
        again = self.inbox.events(lambda event: event["event"] == "push", headers={"Last-Event-ID": last})
        self.assertEqual(again[-1]["data"]["number"], self.start + 2)

    def test_sessions_separate_tests(self):
        self.assertEqual(self.inbox("PUT", "/v1/sessions/one", {"token": "AA"})[0], 200)
        self.assertEqual(self.inbox("PUT", "/v1/sessions/two%20three", {"topic": "com.example.other"})[0], 200)
        self.assertEqual([each["name"] for each in self.inbox("GET", "/v1/sessions")[1]["sessions"]], ["one", "two three"])
        for token in ("aa01", "bb01"):
            self.push(token)
        self.push("cc01", x_push_session="unknown before")
        def tokens(status, page):
            self.assertEqual(status, 200)
            return [push["token"] for push in page["pushes"]]
        self.assertEqual(tokens(*self.inbox("GET", "/v1/pushes", session="one")), ["aa01"])
        self.assertEqual(tokens(*self.inbox("GET", "/v1/pushes", headers={"X-Push-Session": "one"})), ["aa01"])
        self.assertEqual(tokens(*self.inbox("GET", "/v1/pushes", session="unknown before")), ["cc01"])
        self.assertEqual(self.inbox("DELETE", "/v1/sessions/one")[0], 204)
        self.assertEqual(self.inbox("DELETE", "/v1/sessions/one")[0], 404)
        self.assertEqual(self.inbox("PUT", "/v1/sessions/one", {"colour": "red"})[0], 400)

    def test_connections_and_figures(self):
        self.push()
        self.assertEqual(self.inbox("GET", "/v1/connections")[0], 200)
        self.assertEqual(self.inbox("POST", "/v1/connections/999999/cut")[0], 404)
        for path in ("/livez", "/readyz"):
            self.assertEqual(self.inbox("GET", path), (200, b"ok\n"))
        figures = self.inbox("GET", "/metrics")[1].decode()
        self.assertRegex(figures, r"(?m)^push_inbox_accepted_total [1-9]")

    def test_others_are_refused(self):
        self.assertEqual(self.inbox("GET", "/v1/pushes", headers={"Host": "evil.test"})[0], 421)
        for origin in ("null", "http://evil.test"):
            self.assertEqual(self.inbox("POST", "/v1/reset", headers={"Origin": origin})[0], 403)
        status, _ = self.inbox("POST", "/v1/rules", "{}", {"Content-Type": "text/plain"})
        self.assertEqual(status, 415)

    def test_hostile_payloads_stay_what_they_are(self):
        payloads = [
            b"not json", b'{"aps":{"alert":"\\ud800"}}', b"[" * 4000, b'{"aps":{"alert":"</script>\xe2\x80\xae"}}',
            b"\xff\xfe", b'{"aps":{"alert":{"title":"' + b"x" * 4000 + b'"}}}', b"null", b'{"a\\u0000":1}',
        ]
        for payload in payloads:
            self.assertIsNone(self.push(payload=payload))
        _, page = self.inbox("GET", "/v1/pushes")
        self.assertEqual(len(page["pushes"]), len(payloads))
        for push, payload in zip(page["pushes"], payloads):
            _, detail = self.inbox("GET", f"/v1/pushes/{push['number']}")
            self.assertEqual(detail["payload_text"], payload.decode(errors="replace"))

    @classmethod
    def tearDownClass(cls):
        # Signing in needs an inbox with a token.
        missing = {
            (method, path) for path, operations in cls.inbox.paths.items() for method in operations
        } - cls.inbox.seen - {("post", "/login"), ("get", "/v1/openapi.json"), ("get", "/v1/rules/schema.json")}
        assert not missing, f"not used: {missing}"


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    url = arguments[0] if arguments else setting("INBOX")
    port = int(arguments[1] if len(arguments) > 1 else setting("PORT"))
    InboxTests.inbox, InboxTests.simulator = Inbox(url), Simulator(port)
    unittest.main(argv=[sys.argv[0]])


if __name__ == "__main__":
    main()
