"""How the comparison with other libraries is played."""

from bench.contest.compete import Rules
from bench.contest.rows import Cut
from bench.peers.methods import METHODS

SPLITS = 3
MOST_VALUES = 7_000_000  # rows to fit × columns; what is larger (mnist, pie32) is left out

CUT = Cut(fitted=0.75, most_rows=20_000, most_test_rows=10_000, splits=lambda n_fit: SPLITS)
RULES = Rules(
    name="peers",
    trial="bench.peers.trial:trial",
    methods=METHODS,
    cut=CUT,
    limit=30.0,
    grace=30.0,
    enough=2.0,
    rounds=3,
)
