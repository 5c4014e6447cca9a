"""One question to one portal: which terms are sent, which row is the company."""
