"""What was done for Men and Wang's tables, and why some of their figures do not come out."""

ABOUT = (
    "A low-rank approximation of HᵀH, or of a kernel matrix K, from its products with Gaussian vectors, "
    "put into Woodbury's formula. In samara it is the solver `sketch`, of networks and of kernel models."
)
SIGMOID_ABOUT = (
    "At the C of the paper. For the sketched networks it prints six C for seven sets: that of segment is "
    "taken to be 2⁻⁵, which gives the rates of its line. Inputs are as they are, weights are drawn from "
    "[-1, 1] and biases from [0, 1]; the paper says nothing of either, but then the best C are mostly "
    "those it prints. k + p directions are used, p = 10. Ten trials; theirs are thirty. Letter and "
    "segment have no official rows: other random ones in each trial. Waveform has 5000 rows, of which the "
    "paper trains on 5000 and tests on 1000: the last 1000 of the file, which give the rates of Tables 3 "
    "and 4 to the digit. So these are rates on rows that were learned from. Times: `dual`, which is "
    "equation (21), against `sketch`, which never makes an n×n matrix."
)
GAUSSIAN_ABOUT = (
    "At the C and gamma of the paper, inputs as they are, rows as in Table 2 (waveform: on rows learned "
    "from), k + p directions with p = 10. Ten trials, one where nothing is random. Woodbury's formula "
    "leaves what the directions do not see to the ridge alone; samara divides it by the smallest "
    "eigenvalue kept and the ridge together, which is better at small k."
)
LINEAR_ABOUT = (
    "At the C of the paper, inputs as they are, rows as in Table 2 (waveform: on rows learned from). "
    "Three trials, one where nothing is random. samara's exact solver knows that a linear kernel has no "
    "more directions than inputs and makes no n×n matrix: it leaves the sketch little to save."
)
SIGMOID_REASONS: dict[str, str] = {}
GAUSSIAN_REASONS: dict[str, str] = {}
LINEAR_REASONS: dict[str, str] = {}
