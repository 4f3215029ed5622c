"""How the comparison with other libraries is played."""

from bench.contest.compete import Rules
from bench.contest.rows import Cut
from bench.peers.methods import METHODS

SPLITS = 3
MOST_VALUES = 7_000_000  # rows to fit × columns; what is larger (mnist, pie32) is left out

FIRST_SEED = 100  # splits 0 to 2 were looked at when the settings of `methods` were chosen
CUT = Cut(
    fitted=0.75,
    most_rows=20_000,
    most_test_rows=10_000,
    splits=lambda n_fit: SPLITS,
    first_seed=FIRST_SEED,
)
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
