"""Ten thousand damaged and forged model files: each is loaded or refused in one clean sentence.

Half of them are damaged bytes, which length, spelling and checksum have to find. The other half are forged:
a value, a name or an array is changed and the checksum made to fit, so that the deep checks are what stands
between the file and the model.
"""

import copy
import hashlib
import json
import random
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

import samara
from samara import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor, StoreError
from samara.engines import Threads
from samara.store.heads import UNSIGNED, Spec, spec_of, spelled_head
from samara.store.records import read_record

COUNT = 10_000
BATCHES = 8
rng = np.random.default_rng(11)
X = rng.normal(size=(40, 3))
y = X[:, 0] + X[:, 1] ** 2
WORDS = np.array(["ash", "elm", "oak"])[np.digitize(y, [0, 1])]
ODD = [
    *(None, True, False, 0, -1, 1, 7, 10**6, 2**31, 2**62, 2**64, 10**40, 1.5, -0.0, 1e308),
    *("", "a", "rbf", "callable", "auto", "nan", "x" * 5000, "\x00\n", "__class__", "os.system"),
    *([], {}, [[]], [1, 2], {"a": 1}, {"float": "nan"}, {"float": "inf"}, {"tuple": []}, {"dict": []}),
    *({"range": [0, 2**60, 1]}, {"dtype": "float16"}, {"type": "float"}, {"array": "nowhere"}),
    *({"Model": {}}, {"Threads": {"workers": 2**60, "block_rows": 2**60, "progress": None}}),
    *({"texts": {"shape": [2**40], "width": 2**40, "values": []}}, {"Gram": {}}, {"os.system": {}}),
]


def sound_files(folder):
    """Small models of many kinds, as headers and arrays, and as bytes."""
    models = [
        ELMRegressor([4, 6], direct_link=True, random_state=0).fit(X, X[:, :2]),
        ELMClassifier(6, hidden="rbf", scale="quantile", class_weight="balanced", random_state=0).fit(
            X, WORDS
        ),
        ELMRegressor(6, solver="rsvd", rank=3, alpha=[0.1, 1.0], engine=Threads(1), dtype="float32").fit(
            X, y
        ),
        KernelELMRegressor("laplacian", alpha=np.array([0.1, 1.0])).fit(sparse.csr_array(X), y),
        KernelELMClassifier(solver="nystroem", rank=5, dtype="float32").fit(X, WORDS),
        ELMClassifier(4, random_state=0).partial_fit(X, WORDS),
    ]
    made = []
    for number, model in enumerate(models):
        path = folder / f"{number}.samara"
        model.save(path, resumable=number == 5)
        record = read_record(path)
        made.append((path.read_bytes(), record.header, record.arrays))
    return made


def damaged(random, files):
    """The bytes of a file after flips, cuts, insertions, splices or a lie about its length."""
    data = bytearray(random.choice(files)[0])
    place = random.randrange(len(data))
    match random.randrange(6):
        case 0:
            for _ in range(random.randint(1, 4)):
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[place:]
        case 2:
            data[place:place] = random.randbytes(random.randint(1, 64))
        case 3:
            del data[place : place + random.randint(1, 64)]
        case 4:
            other = random.choice(files)[0]
            cut = random.randrange(len(other))
            data[place : place + 100] = other[cut : cut + 100]
        case 5:
            length = random.choice([2**60, 2**63, 2**64 - 1, 10**8, 10**8 + 1, 0, 1, len(data), 255])
            data[:8] = length.to_bytes(8, "little")
    return bytes(data)


def places(node, found):
    """Every container in a tree with every key of it."""
    for key in node if isinstance(node, dict) else range(len(node)):
        found.append((node, key))
        if isinstance(node[key], dict | list):
            places(node[key], found)
    return found


def forged(random, files):
    """A file with a few lies, whose checksum fits."""
    _, header, arrays = random.choice(files)
    header, arrays = copy.deepcopy(header), dict(arrays)
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        found = places(header, [])
        lie = random.randrange(8)
        if lie < 5 and found:
            forge_node(random, lie, *random.choice(found), found)
        elif arrays:
            forge_array(random, arrays)
    return sealed(json.dumps(header), arrays)


def forge_node(random, lie, node, key, found):
    """Replace, move, rename, drop or bury a value."""
    other, at = random.choice(found)
    if lie == 0 or (isinstance(node, list) and lie in (2, 3)):
        node[key] = copy.deepcopy(random.choice(ODD))
    elif lie == 1:
        node[key] = copy.deepcopy(other[at])
    elif lie == 2:
        node[random.choice(["more", "", "__dict__", "Model", "array"])] = node.pop(key)
    elif lie == 3:
        del node[key]
    else:
        for _ in range(random.choice([1, 3, 40])):
            node[key] = [node[key]] if random.random() < 0.5 else {"tuple": [node[key]]}


def forge_array(random, arrays):
    """An array of another shape, dtype, value or name."""
    name = random.choice(sorted(arrays))
    array = arrays.pop(name)
    match random.randrange(6):
        case 0:
            array = array.T.reshape(-1)
        case 1:
            array = array[..., None]
        case 2:
            with np.errstate(all="ignore"):
                array = array.astype(random.choice(["float32", "float64", "int64", "int32", "bool", "uint8"]))
        case 3:
            array = np.array(array)
            array.reshape(-1)[: 1 + array.size // 3] = random.choice([0, 1, -5, 200])
            if array.dtype.kind == "f" and array.size:
                array.reshape(-1)[0] = random.choice(
                    [np.nan, np.inf, 0.0, 1e300 if array.itemsize > 4 else 1]
                )
        case 4:
            array = array[: len(array) // 2] if array.ndim else array
        case 5:
            name = random.choice([*sorted(arrays), "more"])
    arrays[name] = array


def sealed(text, arrays):
    """The bytes of a record with this header, whose checksum fits."""
    specs = sorted((spec_of(name, np.asarray(array)) for name, array in arrays.items()), key=Spec.place)
    body = b"".join(np.ascontiguousarray(arrays[spec.name]).tobytes() for spec in specs)
    unsigned = spelled_head(text, specs, UNSIGNED)
    return spelled_head(text, specs, hashlib.sha256(unsigned + body).hexdigest()) + body


def predicts(model):
    """What was loaded is a model: it predicts each row, though a forged weight may be far too large."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(model.predict(X)) == len(X)


# Half of the files in every run, all of them with the slow tests.
@pytest.mark.parametrize(
    "batch", [pytest.param(n, marks=[pytest.mark.slow] * (n >= BATCHES // 2)) for n in range(BATCHES)]
)
@pytest.mark.parametrize("spoil", [damaged, forged], ids=["damaged", "forged"])
def test_no_file_does_harm(spoil, batch, tmp_path):
    """Refused with a StoreError that names the file, or a model that predicts; never more than 100 MB."""
    files, path = sound_files(tmp_path), tmp_path / "fuzz.samara"
    draw, loaded, messages = random.Random(f"{spoil.__name__} {batch}"), 0, set()
    if batch == 0:  # counting every allocation takes four times as long
        tracemalloc.start()
    try:
        for _ in range(COUNT // (2 * BATCHES)):
            path.write_bytes(spoil(draw, files))
            for look in (samara.load, samara.inspect):
                try:
                    sound = look(path)
                except StoreError as error:
                    message = str(error)
                    assert message.startswith(f"{path} can't be used: "), message
                    assert message.endswith(".")
                    assert "\n" not in message
                    assert len(message) < len(str(path)) + 300
                    messages.add(message)
                else:
                    if look is samara.load:
                        loaded += 1
                        predicts(sound)
        assert batch > 0 or 0 < tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    assert len(messages) > (50 if spoil is forged else 8)
    assert loaded < COUNT / (2 * BATCHES) * (0.3 if spoil is forged else 0.01)


@pytest.mark.parametrize(
    "text", ["[" * 10**5, '{"kind":' * 10**5, '{"kind":' + "[" * 10**5, "9" * 5000, "1e999"]
)
def test_headers_that_exhaust_a_reader(text, tmp_path):
    """Nested a hundred thousand times, or a number of thousands of digits."""
    path = tmp_path / "deep.samara"
    path.write_bytes(sealed(text, {}))
    for look in (samara.load, samara.inspect):
        with pytest.raises(StoreError, match="its header is not a JSON object"):
            look(path)


def test_a_header_nested_a_few_hundred_times(tmp_path):
    """Deep enough for Python to read, too deep for a model."""
    path = tmp_path / "deep.samara"
    _, header, arrays = sound_files(tmp_path)[0]
    text = json.dumps(header).replace('"alpha": "auto"', '"alpha": ' + "[" * 400 + "]" * 400)
    path.write_bytes(sealed(text, arrays))
    for look in (samara.load, samara.inspect):
        with pytest.raises(StoreError, match="it is nested too deeply"):
            look(path)
