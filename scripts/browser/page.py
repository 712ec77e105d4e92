"""A browser without a screen, and the page in it. Nothing here sleeps: everything waits for what it wants to see."""

import json
import shutil
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60


def browser():
    options = webdriver.ChromeOptions()
    # In a container there is no sandbox for root, and little shared memory.
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "hide-scrollbars", "lang=en"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.binary_location = shutil.which("chromium")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


class Page:
    def __init__(self, driver, url):
        self.driver = driver
        self.url = url

    def open(self, path="#/pushes", width=1280, height=800):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        # Another address first: a change behind # alone would not load the page anew.
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/{path}")
        self.until(lambda: self.one("#state").text in ("Live", "No filter"), "the page is live")

    def go(self, path):
        self.driver.execute_script("location.hash = arguments[0]", path)

    def until(self, condition, what):
        """Waits until a condition holds, and gives its value. Looks again for elements that were replaced."""
        wait = WebDriverWait(
            self.driver, PATIENCE, poll_frequency=0.05,
            ignored_exceptions=(NoSuchElementException, StaleElementReferenceException))
        return wait.until(lambda _: condition(), f"did not come: {what}")

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text of the document, as it is and not as it looks."""
        return self.one(selector).get_property("textContent")

    def titles(self):
        """The titles of the rows, from top to bottom."""
        return self.driver.execute_script("""
            return [...document.querySelectorAll('#list .row')]
              .sort((a, b) => a.getAttribute('aria-posinset') - b.getAttribute('aria-posinset'))
              .map((row) => row.querySelector('.title').textContent)""")

    def wait_for(self, selector, text):
        """Waits until an element has a text in it."""
        return self.until(lambda: text in self.text(selector) and self.one(selector), f"{text!r} in {selector}")

    def wait_for_titles(self, *titles):
        self.until(lambda: self.titles() == list(titles), f"rows {titles}")

    def click(self, selector):
        self.until(lambda: self.one(selector).is_displayed() and self.one(selector), f"{selector} to click").click()

    def press(self, *keys):
        """Presses keys wherever the focus is, as a keyboard does: it does not ask whether that element can be seen."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def filter(self, text):
        field = self.one("#search input")
        field.clear()
        field.send_keys(text + Keys.ENTER)

    def prefer(self, colours):
        """As if the system had light or dark colours; None ends that."""
        features = [{"name": "prefers-color-scheme", "value": colours}] if colours else []
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def console(self):
        """What the console has of errors and warnings, since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def origins(self):
        """Where requests went to, since the last look."""
        addresses = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                parts = urlsplit(message["params"]["request"]["url"])
                if parts.scheme not in ("about", "data", "blob"):
                    addresses.add(f"{parts.scheme}://{parts.netloc}")
        return addresses
