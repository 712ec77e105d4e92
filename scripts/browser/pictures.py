"""Makes the pictures of the page in docs/pictures: light, dark and narrow."""

import base64
import json
import os
import time

from inbox import Inbox
from page import Page, browser

FOLDER = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "pictures"))
PHONE = "a11e0000b7c2d95f5b0e1c66f3a2d4c8e9b7a6f5c4d3e2f1a0b9c8d7e6f5aabb"
TABLET = "b02f1111c8d3ea607c1f2d77a4b3e5d9f0c8b7a6d5e4f3a2b1cad9e8f7a6bbcc"
WATCH = "c13a2222d9e4fb718d2a3e88b5c4f6ea01d9c8b7e6f5a4b3c2dbeaf9a8b7ccdd"
APP = "com.example.flights"


def fill(inbox):
    """Pushes what an airline's server could push on a day. Gives the numbers of those that are shown."""
    now = int(time.time())

    def dashed(members):
        return {name.replace("_", "-"): value for name, value in members.items()}

    def push(token, payload, kind="alert", topic=APP, **headers):
        fields = {"apns-topic": topic, "apns-push-type": kind, **dashed(headers)}
        inbox.curl(token, json.dumps(payload).encode(), **fields)
        return inbox.api("GET", "/v1/pushes?limit=1")["pushes"][-1]["number"]

    def alert(title, body, **aps):
        return {"aps": {"alert": {"title": title, "body": body}, **dashed(aps)}}

    push(PHONE, alert("Welcome aboard", "Your account is ready.", sound="default"))
    push(TABLET, {"aps": {"content-available": 1}, "sync": "bookings", "cursor": 81723}, "background", apns_priority="5")
    push(WATCH, {"gate": "B14", "boarding": now + 1500}, "complication", APP + ".complication")
    refused = push("deadbeef" + "0" * 56, alert("Seat 14A is yours", "Check in is open."))
    inbox.api("PATCH", f"/v1/devices/{TABLET}", {"state": "offline"})
    push(TABLET, alert("Delayed by 20 minutes", "LH 2024 now leaves at 11:05."), apns_collapse_id="lh2024")
    push(TABLET, alert("On time again", "LH 2024 leaves at 10:45 after all."), apns_collapse_id="lh2024")
    push(PHONE, {"caller": "Crew desk", "video": False}, "voip", APP + ".voip", apns_expiration="0")
    push(PHONE, alert("Fares to Lisbon", "From 49 euros this week.", interruption_level="passive", thread_id="offers"))
    activity = push(
        PHONE, {"aps": {
            "timestamp": now, "event": "update", "stale-date": now + 900, "dismissal-date": now + 7200,
            "content-state": {"flight": "LH 2024", "status": "Boarding", "gate": "B 14", "departure": now + 2400},
            "alert": {"title": "Now boarding", "body": "LH 2024 to Lisbon boards at gate B 14."}}},
        "liveactivity", APP + ".push-type.liveactivity", apns_priority="10")
    push(PHONE, alert("Your bag is on board", "We loaded it at 10:12."))
    gate = push(
        PHONE, {"aps": {
            "alert": {"title": "LH 2024 to Lisbon", "subtitle": "Gate change",
                      "body": "Your flight now boards at gate B 14. Please be there by 10:25."},
            "badge": 2, "sound": "chime.caf", "thread-id": "lh2024", "category": "BOARDING",
            "interruption-level": "time-sensitive"},
            "flight": {"number": "LH2024", "gate": "B14", "seats": ["14A", "14B"]}},
        apns_collapse_id="lh2024-gate", apns_priority="10", apns_expiration=str(now + 3600))
    return {"list": f"#/pushes/{gate}", "live-activity": f"#/pushes/{activity}", "refused": f"#/pushes/{refused}",
            "devices": f"#/devices/{TABLET}"}


LOOKS = {"light": ("light", 1200, 760), "dark": ("dark", 1200, 760), "narrow": ("light", 360, 720)}
# What a narrow page shows of the list is the list alone.
NARROW = {"list": "#/pushes"}
READY = {"list": ".banner, #list .row", "live-activity": ".activity", "refused": ".verdict", "devices": ".fates"}


def main():
    os.makedirs(FOLDER, exist_ok=True)
    inbox = Inbox()
    try:
        driver = browser()
        try:
            shoot(Page(driver, inbox.url), fill(inbox))
        finally:
            driver.quit()
    finally:
        inbox.close()


def shoot(page, views):
    for look, (colours, width, height) in LOOKS.items():
        page.prefer(colours)
        for name, path in views.items():
            page.open(NARROW.get(name, path) if look == "narrow" else path, width=width, height=height)
            page.until(lambda: page.one(READY[name]).is_displayed(), name)
            page.until(lambda: "kept" in page.text("#kept"), "the counters")
            # WebP: a third of the size of PNG, and the letters stay sharp.
            shot = page.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 90})
            file = os.path.join(FOLDER, f"inbox-{name}-{look}.webp")
            with open(file, "wb") as output:
                output.write(base64.b64decode(shot["data"]))
            print(os.path.relpath(file), f"{os.path.getsize(file) // 1024} KiB")


if __name__ == "__main__":
    main()
