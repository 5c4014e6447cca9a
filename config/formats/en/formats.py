"""Operators compare moments with logs, to the second; all of them are UTC."""

DATETIME_FORMAT = "Y-m-d H:i:s T"
DATE_FORMAT = "Y-m-d"
