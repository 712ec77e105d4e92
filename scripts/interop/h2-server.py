"""hyper-h2 answering pushes with HTTP/2's own windows: h2-server.py PORT KEY CERTIFICATE LOG [DELAY]

A connection has 65,535 bytes, and each body is given back, and answered, DELAY seconds after it was read (0.05 when left
out). Writes the path of each request it answered to LOG. At SIGTERM it prints how many END_STREAMs came behind one of a
later stream, and how long it took from a request's HEADERS to its answer.
"""

import asyncio
import signal
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

port, key, certificate, log = sys.argv[1:5]
delay = float(sys.argv[5]) if len(sys.argv) > 5 else 0.05
requests = open(log, "w", buffering=1 << 16)
times = []
overtaken = 0


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1000})
        self.h2.initiate_connection()
        self.open = {}
        self.last_ended = 0
        self.write()

    def connection_lost(self, error):
        self.transport = None

    def write(self):
        if self.transport is not None:
            self.transport.write(self.h2.data_to_send())

    def data_received(self, data):
        global overtaken
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            self.write()
            self.transport.close()
            return
        ended, read = [], []
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                path = dict(event.headers)[b":path"].decode()
                self.open[event.stream_id] = (path, time.monotonic())
            elif isinstance(event, h2.events.DataReceived):
                read.append((event.stream_id, event.flow_controlled_length))
            elif isinstance(event, h2.events.StreamEnded):
                overtaken += event.stream_id < self.last_ended
                self.last_ended = max(self.last_ended, event.stream_id)
                ended.append(event.stream_id)
            elif isinstance(event, h2.events.StreamReset):
                self.open.pop(event.stream_id, None)
        self.write()
        asyncio.get_running_loop().call_later(delay, self.answer, read, ended)

    def answer(self, read, ended):
        for stream, count in read:
            if count:
                try:
                    self.h2.acknowledge_received_data(count, stream)
                except h2.exceptions.ProtocolError:
                    pass
        for stream in ended:
            path, begun = self.open.pop(stream, (None, 0))
            if path is None:
                continue
            self.h2.send_headers(stream, [(":status", "200")], end_stream=True)
            times.append(time.monotonic() - begun)
            requests.write(path + "\n")
        self.write()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    await loop.create_server(Connection, "127.0.0.1", int(port), ssl=context)
    await stop.wait()
    requests.close()
    times.sort()
    if times:
        middle, high = times[len(times) // 2], times[int(len(times) * 0.999)]
        print(f"overtaken {overtaken}; from HEADERS to the answer: median {middle * 1000:.1f} ms, "
              f"99.9 % {high * 1000:.1f} ms, longest {times[-1] * 1000:.1f} ms", flush=True)


asyncio.run(main())
