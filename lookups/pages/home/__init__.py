"""The first page with its search box, what each state can answer, prices' neighbors: what somebody sees before all."""
