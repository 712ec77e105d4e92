"""Pushes with aioapns, as its users do: python3 aioapns_push.py WORK PORT KEY KEY_ID TEAM_ID TOPIC COUNT IN_FLIGHT

WORK holds payload.json, uris.txt and root.pem. One connection; as many tasks as pushes in flight.
"""

import asyncio
import json
import pathlib
import ssl
import sys

from aioapns import APNs, NotificationRequest, connection


async def main() -> None:
    work, port, key, key_id, team_id, topic, count, in_flight = sys.argv[1:]
    work = pathlib.Path(work)
    connection.APNsProductionClientProtocol.APNS_SERVER = "localhost"
    connection.APNsProductionClientProtocol.APNS_PORT = int(port)
    payload = json.loads((work / "payload.json").read_text())
    tokens = [line.rsplit("/", 1)[1] for line in (work / "uris.txt").read_text().split()]
    context = ssl.create_default_context(cafile=str(work / "root.pem"))
    context.set_alpn_protocols(["h2"])
    client = APNs(
        key=pathlib.Path(key).read_text(), key_id=key_id, team_id=team_id, topic=topic, max_connections=1,
        ssl_context=context)
    numbers = iter(range(int(count)))

    async def push() -> None:
        for number in numbers:
            answer = await client.send_notification(
                NotificationRequest(device_token=tokens[number % len(tokens)], message=payload))
            if not answer.is_successful:
                raise SystemExit(f"push {number}: {answer.status} {answer.description}")

    await asyncio.gather(*(push() for _ in range(int(in_flight))))


asyncio.run(main())
