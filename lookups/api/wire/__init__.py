"""The shapes of every reply: each is declared once, writes the JSON and is its own description in the document.

They know no domain object; `lookups.bodies` fills them.
"""
