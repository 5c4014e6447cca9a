"""Sixty questions to a model that has the tools of /mcp, and a judge of what it did and said.

`python -m tests.doors.mcp.evaluation --help` asks a model of yours; docs/evaluation.md says how. The transcripts beside
the questions were written by hand, and show that each can be answered and that the judge notices wrong answers.
"""
