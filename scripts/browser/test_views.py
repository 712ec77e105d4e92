"""Faults, connections and devices."""

from base import TOKEN, PageTest


class Views(PageTest):
    def test_a_fault_that_is_switched_on_meets_the_next_push(self):
        self.assertEqual(self.push("Before")["status"], 200)
        self.page.open("#/faults")
        self.page.until(lambda: self.page.one("#refuse-reason"), "the switches")
        self.page.script("document.getElementById('refuse-reason').value = 'TooManyRequests'")
        self.page.click("#switch-refuse")
        self.page.wait_for(".rules", '"refuse":"TooManyRequests"')
        answer = self.inbox.send(TOKEN, "--title", "During", "--timeout", "20")
        self.assertEqual((answer["status"], answer["reason"]), (429, "TooManyRequests"))
        self.page.until(lambda: "fired" in self.page.text(".rules table td:nth-child(3)") and "not" not in self.page.text(
            ".rules table td:nth-child(3)"), "that it fired")
        self.page.click("#switch-refuse")
        self.page.wait_for(".rules", "No rules")
        self.assertEqual(self.push("After")["status"], 200)

    def test_each_switch_becomes_a_rule_and_ends_it(self):
        self.page.open("#/faults")
        for name in ("refuse", "goaway", "cut", "silence", "delay", "window"):
            with self.subTest(name):
                self.page.click(f"#switch-{name}")
                self.page.wait_for(".rules", f"switch: {name}")
                names = [rule["name"] for rule in self.inbox.api("GET", "/v1/rules")["rules"]]
                self.assertEqual(names, [f"switch: {name}"])
                self.page.click(f"#switch-{name}")
                self.page.wait_for(".rules", "No rules")

    def test_a_connection_is_drained_and_muted(self):
        with self.inbox.connection():
            self.page.open("#/connections")
            self.page.wait_for("#connections", "takes pushes")
            self.page.click("[id^=mute-]")
            self.page.wait_for("#connections", "nothing is written any more")
            self.page.click("[id^=unmute-]")
            self.page.wait_for("#connections", "takes pushes")
            self.page.click("[id^=goaway-]")
            self.page.until(lambda: "takes pushes" not in self.page.text("#connections"), "GOAWAY")

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
