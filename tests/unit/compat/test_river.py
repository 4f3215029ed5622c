"""The learners for river: the same model as partial_fit's, in river's pipelines and under its own checks."""

import pickle

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor, InputError, NonFiniteError

river = pytest.importorskip("river")
pd = pytest.importorskip("pandas")

from river import checks, evaluate, metrics, preprocessing  # noqa: E402

from samara.compat.river import RiverClassifier, RiverRegressor  # noqa: E402

NAMES = ["a", "b", "c"]


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    kinds = np.array(["no", "yes", "maybe"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2], kinds


def dicts(X):
    return [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]


def regressor(**settings):
    return ELMRegressor(30, alpha=0.1, random_state=0, **settings)


def classifier(**settings):
    return ELMClassifier(30, alpha=0.1, random_state=0, **settings)


def trained(model, X, y):
    for x, target in zip(dicts(X), y.tolist(), strict=True):
        model.learn_one(x, target)
    return model


MEMORIES = [{}, {"window": 90}, {"forget": 0.99}, {"update": "qr"}]


@pytest.mark.parametrize("memory", MEMORIES, ids=str)
def test_rows_one_by_one_are_the_model_of_partial_fit(memory):
    X, y, _ = table()
    model = RiverRegressor(regressor(**memory), warm_up=70)
    wanted = regressor(**memory).partial_fit(X[:70], y[:70])
    for i, x in enumerate(dicts(X)):
        if i > 70 and i % 50 == 3:
            np.testing.assert_allclose(model.predict_one(x), wanted.predict(X[i : i + 1])[0], rtol=1e-7)
        model.learn_one(x, y[i])
        if i >= 70:
            wanted.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_allclose(model.model.predict(X), wanted.predict(X), rtol=1e-6, atol=1e-8)


def test_frames_are_the_same_as_dicts():
    X, y, labels = table()
    for make, targets in (
        (lambda: RiverRegressor(regressor()), y),
        (lambda: RiverClassifier(classifier()), labels),
    ):
        one, many = trained(make(), X, targets), make()
        for lo in range(0, 300, 60):
            frame = pd.DataFrame(X[lo : lo + 60], columns=NAMES)
            many.learn_many(frame[["c", "a", "b"]] if lo else frame, pd.Series(targets[lo : lo + 60]))
        frame = pd.DataFrame(X[:20], columns=NAMES, index=range(100, 120))
        predicted = many.predict_many(frame)
        assert list(predicted.index) == list(frame.index)
        single = [one.predict_one(x) for x in dicts(X[:20])]
        if targets is y:
            np.testing.assert_allclose(predicted, single, rtol=1e-7)
        else:
            assert predicted.tolist() == single
            P = many.predict_proba_many(frame)
            assert list(P.columns) == ["maybe", "no", "yes"]
            np.testing.assert_allclose(
                P.iloc[3], list(one.predict_proba_one(dicts(X)[3]).values()), atol=1e-8
            )


def test_the_warm_up_predicts_means_and_shares():
    X, y, labels = table(40)
    model = RiverRegressor(regressor(), warm_up=50)
    assert model.predict_one(dicts(X)[0]) == 0
    assert model.model is None
    assert trained(model, X, y).predict_one(dicts(X)[0]) == pytest.approx(y.mean())
    many = RiverClassifier(classifier(), warm_up=50)
    frame = pd.DataFrame(X, columns=NAMES)
    assert many.predict_one(dicts(X)[0]) is None
    assert many.predict_many(frame).isna().all()
    p = trained(many, X, labels).predict_proba_one(dicts(X)[0])
    assert p == {label: pytest.approx(np.mean(labels == label)) for label in np.unique(labels).tolist()}


def test_one_class_alone_is_certain_until_another_comes():
    X, _, _ = table(60)
    model = trained(RiverClassifier(classifier(), warm_up=20), X[:40], np.zeros(40, bool))
    assert model.predict_proba_one(dicts(X)[0]) == {False: 1.0}
    trained(model, X[40:], np.ones(20, bool))
    assert set(model.predict_proba_one(dicts(X)[0])) == {False, True}


def test_lag_leaves_at_most_so_many_rows_out():
    X, y, _ = table()
    model = RiverRegressor(regressor(), warm_up=100, lag=49)
    trained(model, X[:149], y[:149])
    x = dicts(X)[200]
    assert model.predict_one(x) == pytest.approx(
        regressor().partial_fit(X[:100], y[:100]).predict(X[200:201])[0]
    )
    trained(model, X[149:150], y[149:150])
    both = regressor().partial_fit(X[:100], y[:100]).partial_fit(X[100:150], y[100:150])
    assert model.predict_one(x) == pytest.approx(both.predict(X[200:201])[0])


def test_other_features_are_refused_by_name():
    X, y, _ = table(10)
    model = trained(RiverRegressor(regressor()), X, y)
    for act in (lambda x: model.learn_one(x, 0.0), model.predict_one):
        with pytest.raises(InputError, match="'c' is missing"):
            act({"a": 1, "b": 2})
        with pytest.raises(InputError, match="'d' was not there"):
            act({"a": 1, "b": 2, "c": 3, "d": 4})
        with pytest.raises(InputError, match="'b' is not a number: 'two'"):
            act({"a": 1, "b": "two", "c": 3})
        with pytest.raises(NonFiniteError, match="'b' is nan"):
            act({"a": 1, "b": float("nan"), "c": 3})
    with pytest.raises(InputError, match="'c' is missing"):
        model.learn_many(pd.DataFrame({"a": [1], "b": [2]}), pd.Series([0.0]))
    with pytest.raises(InputError, match="must hold numbers"):
        model.learn_many(pd.DataFrame({"a": [1], "b": ["x"], "c": [2]}), pd.Series([0.0]))
    with pytest.raises(InputError, match="same name"):
        model.predict_many(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(InputError, match="1 rows, but 2 targets"):
        model.learn_many(pd.DataFrame({"a": [1], "b": [2], "c": [2]}), pd.Series([0.0, 1.0]))
    with pytest.raises(InputError, match="no features"):
        RiverRegressor(regressor()).learn_one({}, 1.0)
    with pytest.raises(NonFiniteError, match="finite number, got inf"):
        model.learn_one(dicts(X)[0], float("inf"))
    with pytest.raises(InputError, match="label is missing"):
        RiverClassifier(classifier()).learn_one(dicts(X)[0], None)


def test_a_clone_has_learned_nothing_and_the_estimator_given_neither():
    X, y, _ = table()
    given = regressor()
    model = trained(RiverRegressor(given, warm_up=60, lag=3), X, y)
    assert "_stream" not in given.__dict__
    fresh = model.clone()
    assert (fresh.warm_up, fresh.lag, fresh.model) == (60, 3, None)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.predict_one(dicts(X)[0]) == model.predict_one(dicts(X)[0])


def test_in_a_pipeline_under_progressive_validation():
    X, y, labels = table(400)
    model = preprocessing.StandardScaler() | RiverRegressor(regressor(scale=None), lag=9)
    score = evaluate.progressive_val_score(zip(dicts(X), y.tolist(), strict=True), model, metrics.MAE())
    assert score.get() < 0.8 * np.abs(y - y.mean()).mean()
    other = RiverClassifier(classifier(), lag=9)
    score = evaluate.progressive_val_score(
        zip(dicts(X), labels.tolist(), strict=True), other, metrics.Accuracy()
    )
    assert score.get() > 0.75


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [RiverRegressor, RiverClassifier])
def test_rivers_own_checks(kind):
    checks.check_estimator(kind(**next(iter(kind._unit_test_params()))))
