"""Everybody can use the page, and strangers can't."""

import json

from selenium.webdriver.common.keys import Keys

from base import TOKEN, PageTest, alert


class People(PageTest):
    def test_hostile_payloads_stay_text(self):
        self.page.open()
        self.page.script("window.attacked = () => { window.isHurt = true }")
        markup = "<img src=x onerror=attacked()><script>attacked()</script>"
        deep = b'{"aps":{"alert":"Deep"},"a":' + b"[" * 1500 + b"]" * 1500 + b"}"
        payloads = [
            json.dumps(alert(markup, markup)).encode(),
            json.dumps(alert("\u202egnp.exe\u2066", "tag \U000e0041")).encode(),
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
        self.page.wait_for(".tree", "tag \\udb40\\udc41")
        self.page.go(f"#/pushes/{numbers[4]}")
        self.page.wait_for(".banner", "half \\ud800")
        self.assertIsNone(self.page.script("return window.isHurt"))

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
        active = self.page.one("#list").get_attribute("aria-activedescendant")
        self.assertEqual(active, self.page.one("#list [aria-selected=true]").get_attribute("id"))
        self.page.press(Keys.ENTER)
        self.page.until(lambda: self.driver.switch_to.active_element.tag_name == "h2", "the focus on the push")

    def tabbed_to(self, name):
        if self.driver.switch_to.active_element.get_attribute("id") == name:
            return True
        self.page.press(Keys.TAB)
        return False

    def test_360_pixels_are_wide_enough(self):
        wide = json.dumps(alert("W" * 300, "w" * 900, **{"thread-id": "t" * 200})).encode()
        self.inbox.curl(TOKEN, wide, **{"apns-collapse-id": "c" * 64})
        rule = {"when": "push", "probability": 0.5, "then": {"refuse": "Shutdown"}, "name": "n" * 100}
        self.inbox.api("POST", "/v1/rules", rule)
        number = self.inbox.api("GET", "/v1/pushes?limit=1")["pushes"][-1]["number"]
        views = [
            ("#/pushes", "#list"), (f"#/pushes/{number}", "#detail .headers"), ("#/devices", ".devices"),
            (f"#/devices/{TOKEN}", ".fates"), ("#/connections", "#connections > *"), ("#/faults", ".rules table"),
        ]
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
        self.page.prefer("light")
        light = ground()
        self.page.prefer("dark")
        self.page.until(lambda: ground() != light, "dark colours")
        self.page.click("#theme")
        self.page.until(lambda: ground() == light, "light colours, which the button chose")
        self.page.click("#theme")
        self.page.click("#theme")
        self.page.prefer(None)

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
