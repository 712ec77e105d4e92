"""A page finds its inbox again, and lets in who has the token."""

import tempfile

from selenium.webdriver.common.keys import Keys

from base import TOKEN, BrowserTest
from inbox import Inbox, free_port


class Restart(BrowserTest):
    @classmethod
    def setUpClass(cls):
        cls.address = f"127.0.0.1:{free_port()}"
        super().setUpClass()

    def test_a_page_whose_inbox_starts_again_begins_anew(self):
        for title in ("Old", "Older"):
            self.inbox.send(TOKEN, "--title", title)
        self.page.open("#/pushes/1")
        self.page.wait_for_titles("Older", "Old")
        self.page.wait_for("#detail h2", "Old")
        self.inbox.close()
        self.page.wait_for("#state", "Connecting")
        again = Inbox(address=self.address)
        self.addCleanup(again.close)
        again.send(TOKEN, "--title", "New")
        self.page.wait_for_titles("New")
        self.page.wait_for("#detail", "Choose a push")
        self.page.wait_for("#state", "Live")
        # The browser itself notes what could not be reached.
        self.assertEqual([message for message in self.page.console() if "net::ERR_" not in message], [])


class SignIn(BrowserTest):
    @classmethod
    def setUpClass(cls):
        file = tempfile.NamedTemporaryFile("w", suffix=".token")
        file.write("correct-horse-battery\n")
        file.flush()
        cls.addClassCleanup(file.close)
        cls.flags = ("--inbox-token-file", file.name)
        super().setUpClass()

    def test_the_form_lets_in_who_has_the_token(self):
        self.driver.get(self.inbox.url + "/")
        self.page.until(lambda: self.driver.current_url.endswith("/login"), "the form")
        self.page.press("wrong", Keys.ENTER)
        self.page.until(lambda: self.page.one("#wrong").is_displayed(), "that it was wrong")
        self.page.one("#token").send_keys("correct-horse-battery", Keys.ENTER)
        self.page.until(lambda: self.page.one("#state").text == "Live", "the page")
        cookie = self.driver.get_cookies()[0]
        self.assertEqual((cookie["httpOnly"], cookie["sameSite"]), (True, "Strict"))
        self.assertNotIn("correct", self.driver.current_url + cookie["value"])
