"""What the tests of the page share."""

import json
import unittest

from inbox import Inbox
from page import Page, browser

TOKEN = "a11e0000b7c2d95f00000000000000000000000000000000000000000000aabb"


def alert(title, body="Boarding", **aps):
    return {"aps": {"alert": {"title": title, "body": body}, **aps}}


class BrowserTest(unittest.TestCase):
    """A browser and an inbox for the tests of a class. After each one the console is empty, and no other origin was asked."""

    flags = ()
    address = "127.0.0.1:0"

    @classmethod
    def setUpClass(cls):
        cls.inbox = Inbox(*cls.flags, address=cls.address)
        cls.addClassCleanup(cls.inbox.close)
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)
        cls.page = Page(cls.driver, cls.inbox.url)

    def tearDown(self):
        self.assertEqual(self.page.console(), [])
        self.assertLessEqual(self.page.origins(), {self.inbox.url})


class PageTest(BrowserTest):
    """An inbox that each test finds empty."""

    def setUp(self):
        # The page of the last test would see that what it shows is gone.
        self.driver.get("about:blank")
        self.inbox.api("POST", "/v1/reset")

    def push(self, title, *flags, token=TOKEN):
        return self.inbox.send(token, "--title", title, "--body", "Gate B 14", *flags)

    def chosen(self, payload, **headers):
        """Pushes it, and opens it in detail. Gives what the API says of it."""
        self.inbox.curl(TOKEN, json.dumps(payload).encode() if isinstance(payload, dict) else payload, **headers)
        number = self.inbox.api("GET", "/v1/pushes?limit=1")["pushes"][-1]["number"]
        self.page.open(f"#/pushes/{number}")
        self.page.until(lambda: self.page.one("#detail .heading h2"), "the push in detail")
        return self.inbox.api("GET", f"/v1/pushes/{number}")
