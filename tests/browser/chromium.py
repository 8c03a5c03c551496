"""Headless Chromium over the WebDriver protocol, with the standard library alone."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No network: names lead nowhere, and neither does the way out. Files and the driver's own socket are not affected.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
)
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def why_not() -> str | None:
    """Install Chromium where that can be done; the reason where it cannot."""
    if _found():
        return None
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return "chromium and chromium-driver are not installed, and installing them needs root and apt-get"
    # A machine whose package lists are fresh needs no update; one whose lists are absent does.
    for command in (["install", "chromium", "chromium-driver"], ["update"], ["install", "chromium", "chromium-driver"]):
        subprocess.run(["apt-get", "--yes", "--quiet", *command], capture_output=True, check=False, timeout=600)
        if _found():
            return None
    return "chromium and chromium-driver are not installed, and apt-get could not install them"


def _found() -> bool:
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


@contextmanager
def browser(profile: Path) -> Iterator["Browser"]:
    """A browser with an empty profile, closed at the end of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        found = Browser(f"http://127.0.0.1:{port}", profile)
        try:
            yield found
        finally:
            found.call("DELETE", "")
    finally:
        driver.terminate()
        driver.wait(timeout=30)


class Browser:
    """One session."""

    def __init__(self, server: str, profile: Path) -> None:
        self.at = server
        self._wait()
        options = {"binary": shutil.which("chromium"), "args": [*FLAGS, f"--user-data-dir={profile}"]}
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.at = f"{server}/session/{session['sessionId']}"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        content = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.at + path, content, {"Content-Type": "application/json"}, method=method)
        with LOCAL.open(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def devtools(self, command: str, **parameters: Any) -> Any:
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page: Path, width: int = 1280) -> None:
        """A page from the disk, in a window of this width."""
        self.resize(width)
        self.call("POST", "/url", {"url": page.resolve().as_uri()})

    def resize(self, width: int, height: int = 900) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def run(self, script: str) -> Any:
        """What a script in the page returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, script: str, seconds: float = 20.0) -> None:
        """Until a script returns something true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(f"still not so after {seconds:.0f} s: {script}")
            time.sleep(0.05)

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What was logged since the last call; `browser` is the console, `performance` the network among others."""
        return self.call("POST", "/se/log", {"type": kind})

    def network(self) -> list[tuple[str, dict[str, Any]]]:
        """What the network layer reported since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [(m["method"], m["params"]) for m in messages if m["method"].startswith("Network.")]

    def picture(self, out: Path) -> None:
        """The whole page as a PNG."""
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        out.write_bytes(base64.b64decode(shot["data"]))

    def _wait(self) -> None:
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("chromedriver does not answer")
