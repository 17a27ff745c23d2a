"""The built book, served from this machine and opened in headless Chromium."""

import contextlib
import dataclasses
import functools
import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

HTML = Path(__file__).parent.parent / "_build" / "html"
PAGES = sorted(
    path.relative_to(HTML).as_posix()
    for path in HTML.rglob("*.html")
    if "_static" not in path.relative_to(HTML).parts
    # Made for any address that is not there: its links begin at the root of the published site.
    and path.name != "404.html"
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def chromium_path() -> str | None:
    """Where a Chromium is installed; none is ever downloaded."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def copyfile(self, source, outputfile):
        # A page that is left while it loads hangs up.
        with contextlib.suppress(ConnectionError):
            super().copyfile(source, outputfile)


@contextlib.contextmanager
def engine(scripts: Iterable[Path], driver: str) -> Iterator[Callable[..., Any]]:
    """Scripts with no browser: calls a function of theirs, by name, with what JSON can hold."""
    with MiniRacer() as running:
        for script in scripts:
            running.eval(script.read_text(encoding="utf-8"))
        running.eval(driver)

        def call(function: str, *arguments: object) -> Any:
            texts = ", ".join(json.dumps(argument) for argument in arguments)
            return json.loads(running.eval(f"JSON.stringify({function}({texts}))"))

        yield call


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; gives the address, with a slash at its end."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def launched():
    """Start Chromium, or skip the test with the reason why not."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if chromium_path() is None:
        pytest.skip("no Chromium is installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclasses.dataclass
class Log:
    """What went wrong while a page was open."""

    outside: list[str] = dataclasses.field(default_factory=list)
    failed: list[str] = dataclasses.field(default_factory=list)
    errors: list[str] = dataclasses.field(default_factory=list)


@contextlib.contextmanager
def opened(browser, address: str, *, home: str, viewport=WIDE, theme="light", scripts=True):
    """Open a page and wait for its formulas; gives the page and its log.

    Requests for anything that does not begin with `home` are noted and refused.
    """
    context = browser.new_context(
        viewport=viewport, color_scheme=theme, java_script_enabled=scripts, reduced_motion="reduce"
    )
    log = Log()

    def judge(route):
        if route.request.url.startswith((home, "data:", "blob:")):
            route.continue_()
        else:
            log.outside.append(route.request.url)
            route.abort()

    context.route("**/*", judge)
    page = context.new_page()
    page.on("requestfailed", lambda request: log.failed.append(f"{request.url} {request.failure}"))
    page.on(
        "response",
        lambda answer: answer.status >= 400 and log.failed.append(f"{answer.url} {answer.status}"),
    )
    page.on("pageerror", lambda error: log.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and log.errors.append(message.text))
    try:
        page.goto(address, wait_until="load")
        # The first page only sends on to another one.
        page.wait_for_load_state("load")
        if scripts:
            page.wait_for_function(
                "() => !window.MathJax?.startup || window.MathJax.startup.promise"
            )
        page.wait_for_load_state("networkidle")
        yield page, log
    finally:
        context.close()
