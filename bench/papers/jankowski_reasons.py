"""Why figures of Jankowski and Linowiecki do not hold here: found by looking, set by set."""

NOISE: dict[str, str] = {}
SHAPE: dict[str, str] = {}
COLUMNS: dict[str, str] = {}
TIME: dict[str, str] = {}
WIDE: dict[str, str] = {}
SMALL: dict[str, str] = {}
FIGURE: dict[str, str] = {}
