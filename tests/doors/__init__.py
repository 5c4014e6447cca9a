"""The doors beside the API, each judged by programs that others wrote."""
