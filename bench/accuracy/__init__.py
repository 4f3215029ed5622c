"""AutoELM beside what a user would choose instead, on all tables: errors, probabilities, intervals, times."""
