"""One hypothesis profile for everyone: the same examples on every run, no deadlines."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "samara",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("samara")
