"""Django's PostgreSQL, with a bound on how long anybody waits for its answer: `ENGINE = "config.postgres"`."""

from __future__ import annotations

from typing import Any

SERVER_LIMITS = {
    "statement_timeout": "15min",  # of whoever has lost interest without a word; patience ends the others
    "lock_timeout": "30s",
    "idle_in_transaction_session_timeout": "5min",
}
CONNECTION_OPTIONS: dict[str, Any] = {
    "connect_timeout": 5,
    # A server whose machine is gone is noticed within a minute, also by a connection that waits for nothing
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
    "options": " ".join(f"-c {name}={value}" for name, value in SERVER_LIMITS.items()),
}
