"""Pages as people see them: a real Chromium at the widths and in the colors that people have, and two judges of pages.

`python -m tests.browser.look http://127.0.0.1:8000/ …` takes the pictures; tests use the fixture `chromium`.
"""
