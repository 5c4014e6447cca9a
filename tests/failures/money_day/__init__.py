"""A day of mixed movements of money by many clients, with kills; then every book is compared with every other.

`python -m tests.failures.money_day --operations 10000 --clients 32` runs it in full, on a PostgreSQL and a Redis of
its own, and prints a table; `tests/failures/test_money_day.py` runs a small one and shows that its checks can fail.

    outside   the card provider and the chain, which keep books of their own
    office    what staff does, in a process of its own
    clients   who asks and pays, and writes down what they were told
    day       lets them all do so while processes are killed, and ends when nothing is under way
    check     compares: the ledger in itself, with provider and chain, and with what every client wrote down
"""
