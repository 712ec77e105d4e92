"""What the page does, seen in a browser. Each test is a sentence, with an inbox that was reset."""

import json
import os
import tempfile
import time
import unittest

from selenium.webdriver.common.keys import Keys

from inbox import Inbox
from page import Page, browser

TOKEN = "a11e0000b7c2d95f00000000000000000000000000000000000000000000aabb"


def alert(title, body="Boarding", **aps):
    return {"aps": {"alert": {"title": title, "body": body}, **aps}}


class BrowserTest(unittest.TestCase):
    """A browser and an inbox for all tests of a class. After each test the console must be empty, and no other origin asked."""

    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.inbox = Inbox(*cls.flags)
        cls.addClassCleanup(cls.inbox.close)
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)
        cls.page = Page(cls.driver, cls.inbox.url)

    def tearDown(self):
        self.assertEqual(self.page.console(), [])
        self.assertLessEqual(self.page.origins(), {self.inbox.url})


class Live(BrowserTest):
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

    # What arrives

    def test_a_push_that_pushctl_sends_appears_without_a_reload(self):
        self.page.open()
        self.page.script("window.isSamePage = true")
        self.assertEqual(self.push("First call")["status"], 200)
        self.page.wait_for_titles("First call")
        self.push("Last call")
        self.page.wait_for_titles("Last call", "First call")
        self.page.wait_for("#said", "Last call")
        self.assertTrue(self.page.script("return window.isSamePage"))

    def test_the_counters_and_the_bounds_are_shown(self):
        # They count since the inbox began; a reset does not lower them.
        refused = self.inbox.api("GET", "/v1/status")["refused"] + 1
        self.page.open()
        self.push("One")
        self.inbox.send("deadbeef", "--body", "Two")
        self.page.wait_for("#counts", f"{refused} refused")
        self.page.wait_for("#kept", "2 kept of at most 100,000")

    def test_a_hidden_page_stops_reading_and_catches_up(self):
        self.page.open()
        self.page.until(lambda: self.inbox.readers() == 1, "one reader")
        page = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.page.until(lambda: self.inbox.readers() == 0, "no reader")
        self.push("While it was hidden")
        self.driver.close()
        self.driver.switch_to.window(page)
        self.page.wait_for_titles("While it was hidden")
        self.page.until(lambda: self.inbox.readers() == 1, "one reader again")

    def test_a_long_list_keeps_the_document_small_and_loads_what_is_older(self):
        self.inbox.bulk(3000)
        self.page.open()
        self.page.until(lambda: len(self.page.titles()) > 5, "rows")
        self.assertLess(len(self.page.all("#list .row")), 60)
        oldest = self.inbox.api("GET", "/v1/pushes?after=0&limit=1")["pushes"][0]["number"]

        def reached():
            self.page.script("const list = document.getElementById('list'); list.scrollTop = list.scrollHeight")
            return self.page.all(f"#push-{oldest}")

        self.page.until(reached, "the oldest push")
        self.assertLess(len(self.page.all("#list .row")), 60)
        self.push("Above")
        self.page.wait_for("#new", "1 new push")
        self.page.click("#new")
        self.page.until(lambda: self.page.titles()[0] == "Above", "the new push on top")

    # The filter

    def test_the_filter_leaves_what_fits(self):
        self.push("Gate change")
        self.push("Delay", token="bb")
        self.inbox.send("deadbeef", "--title", "Gone")
        self.page.open()
        self.page.wait_for_titles("Gone", "Delay", "Gate change")
        self.page.filter("token:a11e")
        self.page.wait_for_titles("Gate change")
        self.page.filter("status:4xx")
        self.page.wait_for_titles("Gone")
        self.page.filter("delay")
        self.page.wait_for_titles("Delay")
        self.push("Other")
        self.push("Next Delay")
        self.page.wait_for_titles("Next Delay", "Delay")
        self.page.filter("nothing has this")
        self.page.wait_for("#welcome", "No push fits this filter.")
        self.page.filter("")
        self.page.click("#quick [data-status=refused]")
        self.page.wait_for_titles("Gone")

    def test_a_wrong_filter_says_what_is_wrong(self):
        self.page.open()
        self.page.filter("status:many")
        self.page.wait_for(".wrong", "status such as 410")
        # The browser itself notes the 400.
        self.assertEqual([message for message in self.page.console() if "400" not in message], [])

    def test_pushes_of_a_filter_are_removed(self):
        self.push("Stays")
        self.push("Goes", token="bb")
        self.page.open("#/pushes?q=token:bb")
        self.page.wait_for_titles("Goes")
        self.page.click("#clear")
        self.page.click("#remove-pushes")
        self.page.wait_for("#welcome", "No push fits this filter.")
        self.page.go("#/pushes")
        self.page.wait_for_titles("Stays")

    # One push

    def test_an_alert_looks_as_on_a_lock_screen(self):
        payload = {"aps": {"alert": {"title": "LH 2024", "subtitle": "Gate change", "body": "Now B 14"}, "badge": 3,
                           "sound": "chime.caf", "thread-id": "lh2024", "interruption-level": "time-sensitive"}}
        push = self.chosen(payload, **{"apns-push-type": "alert", "apns-collapse-id": "gate"})
        texts = [self.page.text(f".banner .{part}") for part in ("level", "title", "subtitle", "body", "badge")]
        self.assertEqual(texts, ["Time Sensitive", "LH 2024", "Gate change", "Now B 14", "3"])
        for trait in ("chime.caf", "lh2024"):
            self.assertIn(trait, self.page.text(".traits"))
        self.assertIn(f"connection {push['connection']}, stream {push['stream']}", self.page.text("#detail .facts"))
        self.assertIn("apns-collapse-id", self.page.text(".headers"))
        self.assertIn(f"{push['bytes']} of 4,096 bytes", self.page.text(".part .size"))
        self.assertIn("all 26 passed", self.page.text(".checks"))

    def test_the_payload_is_a_tree_and_as_it_was_sent(self):
        self.chosen(b'{"aps":{"alert":"Hi"},"id":12345678901234567890, "id":1.50}')
        self.assertEqual([value.text for value in self.page.all(".tree .number")], ["12345678901234567890", "1.50"])
        self.page.click("[data-value=sent]")
        self.page.wait_for(".payload pre", '"id":12345678901234567890, "id":1.50}')
        self.page.click("[data-value=tree]")

    def test_a_live_activity_shows_its_state_and_the_dates_that_count(self):
        now = int(time.time())
        self.chosen({"aps": {"timestamp": now, "event": "update", "content-state": {"driver": "Mina", "stops": 2},
                             "stale-date": now + 900}}, **{"apns-push-type": "liveactivity"})
        # The topic of the variables is that of the app: APNs wants the suffix, and the page shows the payload anyway.
        self.assertIn("Mina", self.page.text(".activity .state"))
        self.assertIn("in 14 min", self.page.text(".dates"))
        self.assertIn("not given", self.page.text(".dates"))

    def test_what_nobody_sees_is_said_to_be_so(self):
        self.chosen({"aps": {"content-available": 1}, "sync": "orders"}, **{"apns-push-type": "background", "apns-priority": "5"})
        self.assertIn("No person sees it", self.page.text(".silent"))
        self.assertIn("orders", self.page.text(".preview .state"))

    def test_a_review_warns_of_what_a_device_does_not_understand(self):
        self.chosen({"aps": {"alert": {"titel": "Hi", "body": "Sale"}}})
        self.assertIn("did you mean title?", self.page.text(".review"))

    def test_a_refused_push_says_why_in_apples_words(self):
        self.inbox.send("deadbeef", "--body", "Hello")
        self.page.open()
        self.page.click("#list .row")
        self.page.wait_for(".verdict", "The device token is inactive for the specified topic.")
        self.assertIn("410 Unregistered", self.page.text("#detail .status"))
        self.assertIn("What to do", self.page.text(".verdict"))
        self.assertTrue(self.page.one(".checks").get_property("open"))

    def test_copy_puts_the_texts_of_the_api_on_the_clipboard(self):
        push = self.chosen(alert("It's $(touch /tmp/x) `id`", "a\u001b[201~b\nc"))
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {
            "origin": self.inbox.url, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        for name in ("curl", "pushctl", "swift"):
            self.page.click(f"[data-value={name}]")
            self.page.click("#copy-as")
            read = lambda: self.driver.execute_async_script(
                "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))")
            self.page.until(lambda: read() == push["copy"][name], f"{name} on the clipboard")
            self.assertNotIn("\u001b", push["copy"][name])
            self.assertNotIn("eyJ", push["copy"][name])

    # Faults, connections, devices

    def test_a_fault_that_is_switched_on_meets_the_next_push(self):
        self.assertEqual(self.push("Before")["status"], 200)
        self.page.open("#/faults")
        self.page.until(lambda: self.page.one("#refuse-reason"), "the switches")
        self.page.script("document.getElementById('refuse-reason').value = 'TooManyRequests'")
        self.page.click("#switch-refuse")
        self.page.wait_for(".rules", '"refuse":"TooManyRequests"')
        answer = self.inbox.send(TOKEN, "--title", "During", "--timeout", "5")
        self.assertEqual((answer["status"], answer["reason"]), (429, "TooManyRequests"))
        self.page.until(lambda: "fired" in self.page.text(".rules table td:nth-child(3)") and "not" not in self.page.text(
            ".rules table td:nth-child(3)"), "that it fired")
        self.page.click("#switch-refuse")
        self.page.wait_for(".rules", "No rules")
        self.assertEqual(self.push("After")["status"], 200)

    def test_a_rule_is_added_and_a_wrong_one_is_explained(self):
        self.page.open("#/faults")
        self.page.click("#new-rule")
        self.page.press('{"when":"push","then":{"refuse":"Shutdown"},"times":1}')
        self.page.click(".adding-rule button")
        self.page.wait_for(".rules", "Shutdown")
        self.page.one("#new-rule").send_keys('{"when":"never"}')
        self.page.click(".adding-rule button")
        self.page.wait_for("#trouble", 'needs the key "then"')
        self.assertEqual([message for message in self.page.console() if "400" not in message], [])

    def test_a_connection_is_shown_and_cut(self):
        with self.inbox.connection() as connection:
            self.page.open("#/connections")
            self.page.wait_for("#connections", "takes pushes")
            for words in ("Streams in flight", "Window", "Provider token"):
                self.assertIn(words, self.page.text("#connections"))
            self.page.click("[id^=cut-]")
            self.page.wait_for("#connections", "No provider is connected.")
            self.assertTrue(connection.has_ended())

    def test_a_device_set_to_removed_answers_410(self):
        self.assertEqual(self.push("Before")["status"], 200)
        self.page.open(f"#/devices/{TOKEN}")
        self.page.wait_for(".fates", "On the lock screen.")
        self.page.one("#device-state option[value=removed]").click()
        self.page.wait_for("#devices-list", "removed")
        answer = self.push("After")
        self.assertEqual((answer["status"], answer["reason"]), (410, "Unregistered"))
        self.page.go("#/pushes")
        self.page.wait_for_titles("After", "Before")

    def test_a_device_lists_what_its_user_would_have_seen(self):
        self.inbox.api("PATCH", f"/v1/devices/{TOKEN}", {"state": "offline"})
        for title in ("One", "Two"):
            self.push(title)
        self.page.open(f"#/devices/{TOKEN}")
        self.page.wait_for(".fates", "Stored at APNs")
        self.page.wait_for(".fates", "Dropped")
        self.page.one("#device-state option[value=online]").click()
        self.page.wait_for(".fates", "Seen")

    # What strangers send

    def test_hostile_payloads_stay_text(self):
        self.page.open()
        self.page.script("window.attacked = () => { window.isHurt = true }")
        markup = "<img src=x onerror=attacked()><script>attacked()</script>"
        deep = b'{"aps":{"alert":"Deep"},"a":' + b"[" * 1500 + b"]" * 1500 + b"}"
        payloads = [
            json.dumps(alert(markup, markup)).encode(),
            json.dumps(alert("\u202egnp.exe\u2066", "\u202e")).encode(),
            json.dumps(alert("T" * 3900)).encode(),
            deep,
            b'{"aps":{"alert":{"title":"half \\ud800","body":"\\udc00"}}}',
            json.dumps({"aps": {"alert": "Keys"}, "__proto__": {"x": 1}, "constructor": markup}).encode(),
            b"\xff\xfe not JSON",
            b'{"aps":["an","array"]}',
        ]
        for payload in payloads:
            self.assertEqual(self.inbox.curl(TOKEN, payload), 200)
        numbers = [push["number"] for push in self.inbox.api("GET", "/v1/pushes?limit=100")["pushes"]]
        self.page.until(lambda: len(self.page.titles()) == len(payloads), "all rows")
        self.assertIn(markup, self.page.titles())
        for number in numbers:
            self.page.go(f"#/pushes/{number}")
            self.page.wait_for("#detail .meta", f"#{number}")
            self.assertEqual(self.page.all("#detail img, #detail script, #list img, #list script"), [])
            self.assertLessEqual(self.page.script("return document.documentElement.scrollWidth"), 1280)
        self.page.go(f"#/pushes/{numbers[1]}")
        self.page.wait_for(".tree", "\\u202egnp.exe\\u2066")
        self.page.go(f"#/pushes/{numbers[4]}")
        self.page.wait_for(".banner", "half \\ud800")
        self.assertIsNone(self.page.script("return window.isHurt"))

    # Everybody

    def test_the_keyboard_alone_is_enough(self):
        for title in ("One", "Two", "Three"):
            self.push(title)
        self.page.open()
        self.page.wait_for_titles("Three", "Two", "One")
        self.page.press("j")
        self.page.wait_for("#detail h2", "Three")
        self.page.press("j")
        self.page.wait_for("#detail h2", "Two")
        self.page.press("k")
        self.page.wait_for("#detail h2", "Three")
        self.page.press("/")
        self.page.press("One", Keys.ENTER)
        self.page.wait_for_titles("One")
        self.page.press(Keys.ESCAPE)
        self.page.wait_for_titles("Three", "Two", "One")
        self.page.press(Keys.ESCAPE)
        self.page.press("?")
        self.page.until(lambda: self.page.one("#help").is_displayed(), "the help")
        self.page.press(Keys.ESCAPE)
        self.page.until(lambda: not self.page.one("#help").is_displayed(), "the end of the help")
        self.page.press("4")
        self.page.until(lambda: self.page.one("#switch-refuse").is_displayed(), "the faults")
        self.page.until(lambda: self.tabbed_to("switch-refuse"), "the first switch by Tab")
        self.page.press(Keys.SPACE)
        self.page.wait_for(".rules", "ServiceUnavailable")
        self.page.press("1")
        self.page.until(lambda: self.tabbed_to("list"), "the list by Tab")
        self.page.press(Keys.END)
        self.page.wait_for("#detail h2", "One")
        self.assertEqual(self.page.one("#list").get_attribute("aria-activedescendant"), self.page.one("#list [aria-selected=true]").get_attribute("id"))
        self.page.press(Keys.ENTER)
        self.page.until(lambda: self.driver.switch_to.active_element.tag_name == "h2", "the focus on the push")

    def tabbed_to(self, name):
        if self.driver.switch_to.active_element.get_attribute("id") == name:
            return True
        self.page.press(Keys.TAB)
        return False

    def test_360_pixels_are_wide_enough(self):
        self.inbox.curl(TOKEN, json.dumps(alert("W" * 300, "w" * 900, **{"thread-id": "t" * 200})).encode(), **{"apns-collapse-id": "c" * 64})
        self.inbox.api("POST", "/v1/rules", {"when": "push", "probability": 0.5, "then": {"refuse": "Shutdown"}, "name": "n" * 100})
        number = self.inbox.api("GET", "/v1/pushes?limit=1")["pushes"][-1]["number"]
        views = [("#/pushes", "#list"), (f"#/pushes/{number}", "#detail .copy-as, #detail .headers"), ("#/devices", ".devices"),
                 (f"#/devices/{TOKEN}", ".fates"), ("#/connections", "#connections .lead, #connections .empty"), ("#/faults", ".rules table")]
        for path, part in views:
            with self.subTest(path):
                self.page.open(path, width=360, height=740)
                self.page.until(lambda: self.page.one(part).is_displayed(), part)
                # The wide parts scroll by themselves; neither the page nor a pane does.
                wide = self.page.script("""
                    return [...document.querySelectorAll('html, body, .head, main, .pane, .single')]
                      .filter((one) => one.clientWidth > 0 && one.scrollWidth > Math.max(one.clientWidth, 0))
                      .map((one) => one.tagName + '.' + one.className + ' ' + one.scrollWidth)""")
                self.assertEqual(wide, [])
        self.page.open(f"#/pushes/{number}", width=360, height=740)
        self.page.click("#detail .back")
        self.page.until(lambda: self.page.one("#list").is_displayed(), "the list")

    def test_light_and_dark_follow_the_system_or_the_button(self):
        self.page.open()
        ground = lambda: self.page.script("return getComputedStyle(document.body).color")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
        light = ground()
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.page.until(lambda: ground() != light, "dark colours")
        self.page.click("#theme")
        self.page.until(lambda: ground() == light, "light colours, which the button chose")
        self.page.click("#theme")
        self.page.click("#theme")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_a_screen_reader_finds_roles_and_names(self):
        self.push("One")
        self.page.open("#/pushes")
        self.page.click("#list .row")
        self.page.until(lambda: self.page.one("#detail .headers"), "the push")
        tree = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        nodes = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")]
        self.assertIn(("listbox", "Pushes, newest first"), nodes)
        self.assertTrue(any(role == "option" and "One" in name for role, name in nodes))
        for role in ("button", "searchbox", "link", "option", "switch", "combobox", "textbox", "meter"):
            self.assertEqual([name for found, name in nodes if found == role and not name.strip()], [], role)


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


if __name__ == "__main__":
    os.environ.setdefault("TZ", "UTC")
    unittest.main(verbosity=2)
