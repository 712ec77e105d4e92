"""The list: what arrives, and the filter."""

from base import PageTest


class List(PageTest):
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
