"""What a plan says of a cluster, against the bytes that its workers count."""

import pytest

from samara import ELMRegressor, KernelELMRegressor
from samara.engines import DaskEngine
from tests.problems import make_problem


class Meter:
    """Bytes that are sent through the scheduler, and bytes that workers hand out, to others and home."""

    def __init__(self, client, monkeypatch):
        self.client, self.rows, self.shared = client, 0, 0
        submit = client.submit

        def counted(function, sent, *, key, **options):
            if key.endswith("-shared"):
                self.shared += len(sent)
            else:
                self.rows += len(sent)
            return submit(function, sent, key=key, **options)

        monkeypatch.setattr(client, "submit", counted)
        self._before = self._handed_out()

    def _handed_out(self):
        return sum(self.client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    @property
    def handed_out(self):
        """With what is shared, whose size Dask does not see: the first worker gives it to the other."""
        return self._handed_out() - self._before + self.shared


def _check(meter, traffic):
    assert meter.rows == pytest.approx(traffic.rows, rel=0.1)
    assert meter.shared == pytest.approx(traffic.sent() - traffic.rows, rel=0.1)
    assert meter.handed_out == pytest.approx(traffic.between() + traffic.home(), rel=0.1)


@pytest.mark.parametrize(
    ("n_hidden", "options"),
    [
        (300, {}),
        (1000, {}),
        (300, {"dtype": "float32"}),
        (500, {"alpha": 1.0}),
        (300, {"selection": "loo"}),
        (300, {"solver": "qr"}),
        (300, {"solver": "svd", "alpha": 1.0}),
        (400, {"solver": "rsvd", "rank": 100}),
        (300, {"solver": "sketch", "rank": 60, "alpha": 1.0}),
        (300, {"hidden": "rbf", "direct_link": True}),
    ],
)
def test_bytes_are_as_predicted(cluster, monkeypatch, n_hidden, options):
    """Within a tenth, for every kind of summary."""
    problem = make_problem(21, 4000, 20, 2, weighted=False)
    meter = Meter(cluster, monkeypatch)
    model = problem.fit(ELMRegressor(n_hidden, engine=cluster, random_state=0, **options))
    _check(meter, model.plan_.traffic)


@pytest.mark.parametrize("workers", [1, 3, 4])
def test_only_merges_between_workers_send_a_summary(cluster, monkeypatch, workers):
    """Parts of the threads of one worker are neighbours."""
    problem = make_problem(22, 4000, 5, 1, weighted=False)
    meter = Meter(cluster, monkeypatch)
    engine = DaskEngine(cluster, workers=workers)
    traffic = problem.fit(ELMRegressor(300, engine=engine, random_state=0)).plan_.traffic
    assert (traffic.cluster.parts, traffic.merges) == (2 * workers, 2 * workers - 1)
    _check(meter, traffic)


@pytest.mark.parametrize(
    "options", [{"solver": "lsqr"}, {"solver": "lsqr", "alpha": 10.0}, {"solver": "precondition"}]
)
def test_the_bytes_of_steps_lie_between_the_fewest_and_the_most(cluster, monkeypatch, options):
    """How many steps a solver takes no plan knows."""
    problem = make_problem(23, 4000, 4, 1, weighted=False)
    meter = Meter(cluster, monkeypatch)
    model = problem.fit(ELMRegressor(40, engine=cluster, random_state=0, **options))
    traffic = model.plan_.traffic
    assert 0.9 * traffic.sent() < meter.rows + meter.shared < 1.1 * traffic.sent(most=True)
    least, most = (traffic.between(which) + traffic.home(which) for which in (False, True))
    assert 0.9 * least < meter.handed_out < 1.1 * most


def test_centres_of_a_kernel_model(cluster, monkeypatch):
    """The kernel model that goes through the rows in passes."""
    problem = make_problem(24, 4000, 6, 1, weighted=False)
    meter = Meter(cluster, monkeypatch)
    model = KernelELMRegressor(solver="nystroem", rank=300, engine=cluster, random_state=0)
    _check(meter, problem.fit(model).plan_.traffic)
