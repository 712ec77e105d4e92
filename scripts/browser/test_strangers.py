"""Clients that nobody here wrote push to the inbox."""

import asyncio
import pathlib
import ssl

from aioapns import APNs, NotificationRequest, connection
from base import TOKEN, PageTest, alert


class Strangers(PageTest):
    def client(self):
        variables = {name.removeprefix("PUSHCTL_SIMULATOR_"): value for name, value in self.inbox.variables.items()}
        connection.APNsProductionClientProtocol.APNS_SERVER = "localhost"
        connection.APNsProductionClientProtocol.APNS_PORT = int(variables["PORT"])
        context = ssl.create_default_context(cafile=variables["TRUST_ROOTS"])
        context.set_alpn_protocols(["h2"])
        return APNs(
            key=pathlib.Path(variables["KEY"]).read_text(), key_id=variables["KEY_ID"], team_id=variables["TEAM_ID"],
            topic=variables["TOPIC"], max_connections=1, ssl_context=context)

    async def push(self, count):
        client = self.client()
        requests = [NotificationRequest(device_token=TOKEN, message=alert(f"From aioapns {number}")) for number in range(count)]
        return await asyncio.gather(*(client.send_notification(request) for request in requests))

    def test_what_aioapns_pushes_appears_and_a_removed_device_is_told_to_it(self):
        self.page.open()
        answers = asyncio.run(self.push(20))
        self.assertEqual([answer.is_successful for answer in answers], [True] * 20)
        self.page.until(lambda: len(self.page.all("#list .row")) >= 10, "the pushes in the list")
        waited = self.inbox.api("GET", "/v1/pushes/wait?count=20&timeout=60&text=From%20aioapns")
        self.assertEqual(len(waited["pushes"]), 20)
        self.inbox.api("PATCH", f"/v1/devices/{TOKEN}", {"state": "removed"})
        (answer,) = asyncio.run(self.push(1))
        self.assertEqual((answer.status, answer.description), ("410", "Unregistered"))
