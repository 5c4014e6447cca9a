"""The door for agents: the operations of /v1 as tools of the Model Context Protocol. It has no logic of its own."""
