"""One push in detail."""

import time

from base import PageTest, alert


class Push(PageTest):
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
                             "stale-date": now + 930}}, **{"apns-push-type": "liveactivity"})
        # The topic of the variables is that of the app: APNs wants the suffix, and the page shows the payload anyway.
        self.assertIn("Mina", self.page.text(".activity .state"))
        self.assertIn("in 15 min", self.page.text(".dates"))
        self.assertIn("not given", self.page.text(".dates"))

    def test_a_broadcast_is_shown_on_its_channel(self):
        channel = self.inbox.pushctl("channels", "create", "--storage", "latest").strip()
        self.page.open()
        self.inbox.pushctl("broadcast", channel, "--event", "update", "--content-state", '{"home": 63}')
        self.page.click("#list .row")
        self.page.wait_for("#detail .facts", channel)
        self.assertIn("63", self.page.text(".activity .state"))
        self.assertIn("every device that follows the channel", self.page.text(".preview"))
        # The checks are those of pushes to devices.
        self.assertIsNone(self.inbox.api("GET", "/v1/pushes")["pushes"][-1]["checks"])

    def test_what_nobody_sees_is_said_to_be_so(self):
        headers = {"apns-push-type": "background", "apns-priority": "5"}
        self.chosen({"aps": {"content-available": 1}, "sync": "orders"}, **headers)
        self.assertIn("No person sees it", self.page.text(".silent"))
        self.assertIn("orders", self.page.text(".preview .state"))

    def test_every_other_type_is_shown_as_what_it_is(self):
        cards = {
            "voip": ({"caller": "Crew desk"}, "VoIP", "report the call to CallKit", "Crew desk"),
            "complication": ({"gate": "B 14"}, "Complication", "complication of a watchOS app", "B 14"),
            "widgets": ({"aps": {"content-changed": True}, "kind": "gates"}, "Widgets", "WidgetKit reloads", "gates"),
            "controls": ({"aps": {"content-changed": True}, "kind": "lamp"}, "Controls", "reloads the controls", "lamp"),
            "mdm": ({"mdm": "A81F"}, "MDM", "contacts its management server", "A81F"),
            "location": ({"aps": {}, "query": "gate"}, "Location", "asked where the device is", "gate"),
            "fileprovider": ({"domain": "work"}, "File Provider", "looks for changes", "work"),
            "pushtotalk": ({"speaker": "Mina"}, "Push to Talk", "play what is spoken", "Mina"),
        }
        for type, (payload, name, meaning, value) in cards.items():
            with self.subTest(type):
                self.chosen(payload, **{"apns-push-type": type})
                # The topic of the variables is that of the app, so APNs refuses most of them. They are shown anyway.
                self.assertEqual(self.page.text(".silent h3"), name)
                self.assertIn(meaning, self.page.text(".silent p"))
                self.assertIn(value, self.page.text(".preview .state"))

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
