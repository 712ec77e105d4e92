"""A push inbox that runs for a test, and what pushes to it."""

import json
import os
import random
import shlex
import socket
import ssl
import subprocess
import tempfile
import urllib.request

PUSHCTL = os.environ["PUSHCTL"]


def free_port():
    """A port below those that the system gives to other programs, so that an inbox can start on it again."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


class Inbox:
    """`pushctl inbox` on free ports, until `close`."""

    def __init__(self, *flags, address="127.0.0.1:0"):
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [PUSHCTL, "inbox", "--port", "0", "--inbox", address, *flags],
            stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.variables = {}
        for line in self.process.stdout:
            if line.startswith("Inbox "):
                self.url = line.split()[1]
            words = shlex.split(line) if line.strip().startswith("export ") else []
            if words:
                name, value = words[1].split("=", 1)
                self.variables[name] = value
            if line.startswith("Try it"):
                break
        else:
            self.process.wait()
            self.errors.seek(0)
            raise RuntimeError(f"pushctl inbox did not start: {self.errors.read()}")
        self.environment = {**os.environ, **self.variables}

    def close(self):
        """Ends it. A second time changes nothing."""
        self.process.terminate()
        self.process.wait(timeout=120)
        self.process.stdout.close()
        self.errors.close()

    def pushctl(self, *words):
        """Runs pushctl, which must succeed. Gives its standard output."""
        return subprocess.run(
            [PUSHCTL, *words], env=self.environment, capture_output=True, text=True, check=True, timeout=120).stdout

    def send(self, token, *flags):
        """Pushes with `pushctl send`. A refusal is an answer, too."""
        done = subprocess.run(
            [PUSHCTL, "send", token, "--json", *flags], env=self.environment, capture_output=True, text=True, timeout=120)
        if not done.stdout.strip():
            raise RuntimeError(f"pushctl send: {done.stderr}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def curl(self, token, payload, **headers):
        """Pushes any bytes with curl, as a server that checks nothing. Gives the status."""
        provider_token = self.pushctl("token").strip()
        fields = {"apns-topic": self.variables["PUSHCTL_SIMULATOR_TOPIC"], **headers}
        port = self.variables["PUSHCTL_SIMULATOR_PORT"]
        command = ["curl", "--silent", "--show-error", "--http2", "--output", os.devnull, "--write-out", "%{http_code}",
                   "--cacert", self.variables["PUSHCTL_SIMULATOR_TRUST_ROOTS"], "--data-binary", "@-",
                   "--header", f"authorization: bearer {provider_token}"]
        for name, value in fields.items():
            command += ["--header", f"{name}: {value}"]
        command.append(f"https://localhost:{port}/3/device/{token}")
        done = subprocess.run(command, input=payload, capture_output=True, check=True, timeout=120)
        return int(done.stdout)

    def bulk(self, count):
        """Pushes to so many devices."""
        with tempfile.TemporaryDirectory() as folder:
            tokens, payload = os.path.join(folder, "tokens.csv"), os.path.join(folder, "payload.json")
            with open(tokens, "w") as file:
                file.write("token\n" + "".join(f"{number:08x}\n" for number in range(1, count + 1)))
            with open(payload, "w") as file:
                json.dump({"aps": {"alert": "One of many"}}, file)
            self.pushctl("bulk", tokens, "--payload", payload, "--outcomes", os.path.join(folder, "outcomes.csv"))

    def connection(self):
        """A connection that stays open."""
        return Connection(self)

    def api(self, method, path, body=None):
        """Calls the API. Gives its JSON."""
        request = urllib.request.Request(self.url + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as answer:
            content = answer.read()
        return json.loads(content) if content.startswith((b"{", b"[")) else content.decode()

    def readers(self):
        """How many read the event stream."""
        lines = [line.split() for line in self.api("GET", "/metrics").splitlines() if not line.startswith("#")]
        return int(float(next(words[-1] for words in lines if "readers" in words[0])))


class Connection:
    """A connection of HTTP/2 that pushes nothing, for a `with`."""

    def __init__(self, inbox):
        variables = inbox.variables
        context = ssl.create_default_context(cafile=variables["PUSHCTL_SIMULATOR_TRUST_ROOTS"])
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("localhost", int(variables["PUSHCTL_SIMULATOR_PORT"])), timeout=120)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        # The preface of RFC 9113, section 3.4, with SETTINGS that change nothing.
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def has_ended(self):
        """Reads until the other side ends it."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionError:
            pass
        return True
