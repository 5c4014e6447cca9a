"""A day of failures: real processes on servers of their own are killed, stopped and flushed; nothing may be lost.

After every story an accountant who reads the database himself (`audit`) goes through the customers' replies and the
books. Where a story needs minutes to pass, the rows' times are moved (`clock`), which is what a moved clock comes to.
"""
