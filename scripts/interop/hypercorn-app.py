"""An ASGI application that answers pushes: writes the path of each request to the file named by REQUESTS."""

import os

requests = open(os.environ["REQUESTS"], "w", buffering=1 << 16)


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            event = (await receive())["type"]
            if event == "lifespan.shutdown":
                requests.flush()
            await send({"type": event + ".complete"})
            if event == "lifespan.shutdown":
                return
    while (await receive()).get("more_body"):
        pass
    requests.write(scope["path"] + "\n")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})
