"""Options from flags and from a TOML file."""

import pytest

from samara.cli.config import from_sections, read_config, requested
from samara.cli.endings import UsageError
from samara.cli.flags import choice, names, settings, value, values, whole
from samara.cli.options import DataOptions, ModelOptions, RunOptions


def asked(data=None, model=None, run=None, config=None):
    return requested((data or DataOptions(), model or ModelOptions(), run or RunOptions()), config)


def written(folder, text):
    path = folder / "run.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


FLAGS = (
    DataOptions(path=["a.parquet"], target=["y"], columns=["p,q", "r"]),
    ModelOptions(n_hidden=[250, 500], alpha=0.1, solver="qr", direct_link=True, seed=3),
    RunOptions(memory="1GB", out="m.samara"),
)
TOML = """
[data]
path = "a.parquet"
target = "y"
columns = ["p", "q", "r"]
[model]
n_hidden = [250, 500]
alpha = 0.1
solver = "qr"
direct_link = true
seed = 3
[run]
memory = "1GB"
out = "m.samara"
"""


def test_a_file_says_the_same_as_flags(tmp_path):
    flags, filed = requested(FLAGS, None), asked(config=written(tmp_path, TOML))
    assert filed == flags
    assert filed.config_hash() == flags.config_hash()


def test_flags_win_over_the_file(tmp_path):
    found = asked(model=ModelOptions(solver="gram", direct_link=False), config=written(tmp_path, TOML))
    assert (found.model.solver, found.model.direct_link, found.model.alpha) == ("gram", False, 0.1)


def test_the_hash_is_of_what_a_model_depends_on():
    base = requested(FLAGS, None).config_hash()
    data, model, run = FLAGS
    assert requested((data, model, RunOptions(memory="1GB", out="other")), None).config_hash() == base
    assert requested((data, model, RunOptions(memory="2GB")), None).config_hash() != base
    assert requested((data, ModelOptions(), run), None).config_hash() != base


def test_what_was_written_down_is_read_again():
    request = requested(FLAGS, None)
    assert from_sections(request.given(), "here") == request


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[modle]", "unknown section [modle]. Did you mean [model]? Known: [data], [model], [run]."),
        ("[model]\nn_hiden = 3", "[model] has an unknown key n_hiden. Did you mean n_hidden?"),
        ("[model]\nqwx = 3", "[model] has an unknown key qwx. Known: model, task, n_hidden"),
        ("[model]\nsolver = 3", "[model] solver: a text is needed, got 3."),
        ("[model]\nmodel = 'elms'", "[model] model: 'elms' is not one of elm, kernel. Did you mean 'elm'?"),
        ("[model]\ndirect_link = 'yes'", "[model] direct_link: true or false is needed, got 'yes'."),
        ("[model]\nseed = -1", "[model] seed: '-1' is not a whole number from 0 on."),
        ("[model]\nalpha = true", "[model] alpha: a number or a text is needed, got True."),
        ("[model]\nn_hidden = [[1]]", "[model] n_hidden: a number or a text is needed, got [[1]]."),
        ("[data]\ntarget = 3", "[data] target: a text or a list of texts is needed, got 3."),
        ("model = 3", "model must be a section, [model]."),
        ("[model", "is not TOML: "),
    ],
)
def test_what_a_file_must_not_say(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as error:
        read_config(path)
    assert str(error.value).startswith(path)
    assert message in str(error.value)


def test_what_is_missing_is_said():
    with pytest.raises(UsageError, match="No data given"):
        asked(DataOptions(target=["y"]))
    with pytest.raises(UsageError, match="No target given"):
        asked(DataOptions(path=["a"]))


def test_flags_are_read():
    assert values("250,500") == [250, 500]
    assert values("1e-3") == 0.001
    assert values("auto") == "auto"
    assert (value("7"), value("0.5"), value("scale")) == (7, 0.5, "scale")
    assert names(["a,b ", "c"]) == ["a", "b", "c"]
    assert whole("3") == 3
    assert settings(["a=true", "b=3", "c=x=y"]) == {"a": True, "b": 3, "c": "x=y"}
    with pytest.raises(UsageError, match="--option needs NAME=VALUE, got 'a'"):
        settings(["a"])
    assert choice("elm", "kernel")("elm") == "elm"
