"""Opens a page in a browser that can't reach any network."""

import re
import shutil
import subprocess

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Put at the end of a copy of the page: notes what the page asked for, whether it came or not.
ASKED = """<script>addEventListener("load", () => setTimeout(() => {
const asked = performance.getEntriesByType("resource").map(each => each.name);
document.documentElement.dataset.asked = asked.join(" ");
}, 2000));</script>"""


def opened(path, folder, part=""):
    """The page after its scripts ran, and what the browser logged; ``part`` is the address after #."""
    copy = path.with_name("copy.html")
    copy.write_text(path.read_text(encoding="utf-8").replace("</body>", f"{ASKED}</body>"), encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            f"--user-data-dir={folder}",
            "--window-size=1200,4000",
            "--virtual-time-budget=8000",
            "--dump-dom",
            f"{copy.as_uri()}#{part}" if part else copy.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, done.stderr


def assert_alone(dom, log):
    """The page asked for nothing else, and its scripts had nothing to complain about."""
    asked = re.search('data-asked="([^"]*)"', dom)[1].split()
    assert [name for name in asked if not name.startswith("data:")] == []
    # What pages write to the console is logged with its level and the file it came from.
    said = [line for line in log.splitlines() if "CONSOLE" in line]
    assert said == []
