/* A block of hidden rows: scaled inputs, their product with the weights, the activation, less a shift.
 *
 * Included by kernels.c, before and then once for each precision. Narrow inputs are multiplied here, four rows
 * against packed panels of the weights, and finished panel by panel; wide ones go to SciPy's product.
 */
#ifndef REAL

enum { FEW_INPUTS = 160 }; /* widths from which SciPy's product is faster */
enum { LONG = 1536 };     /* rows scaled at a time */
enum { TILE = 192 };      /* rows of a tile of SciPy's: 1 or 2 MB for 1000 nodes, in the core's cache */
enum { WEIGHTS = 1 << 15 }; /* bytes of the weights packed at a time: in the first cache */

typedef struct {
    const void *inputs; /* rows of float or double, each contiguous */
    int64_t n, d, input_stride, input_is_double;
    const double *mean, *factor; /* a scaled input is (x - mean) * factor */
    const void *weights; /* (width, nodes): inputs, then the square of the row if radial, then the bias */
    int64_t width, nodes, kind;
    const void *shift;
    void *out;
    int64_t out_stride;
    const void *gemm;
    const void *coef, *intercept; /* (nodes, targets) and (targets), for outputs alone (outputs.h) */
    int64_t targets;
} Job;

#else

/* What becomes of the products, less the shift where they are shifted, which callers know when they are compiled;
 * `out` may be where they lie. */
static inline __attribute__((always_inline)) void NAME(activate)(const REAL *z, const REAL *shift, REAL *out,
                                                                 int64_t n, int64_t kind, int shifted) {
#define EACH(result)                                                                                           \
    _Pragma("GCC ivdep") for (int64_t j = 0; j < n; j++) out[j] = shifted ? (result)-shift[j] : (result);      \
    break
    switch (kind) {
    case SIGMOID:
        EACH(NAME(share)(z[j]));
    case TANH:
        EACH(1 - 2 * NAME(share)(z[j]));
    case GAUSSIAN:
        EACH(NAME(two_to)(z[j] > 0 ? 0 : z[j]));
    case MULTIQUADRIC:
        EACH(SQRT(1 + (z[j] < 0 ? 0 : z[j])));
    case RELU:
        EACH(z[j] < 0 ? 0 : z[j]);
    default:
        EACH(z[j]);
    }
#undef EACH
}

/* The same for a panel, in wide registers. */
static inline __attribute__((always_inline)) void NAME(activate_panel)(const REAL *z, const REAL *shift, REAL *out,
                                                                       int64_t kind, int shifted) {
    if (sizeof(REAL) != sizeof(double) || (kind != SIGMOID && kind != TANH)) {
        NAME(activate)(z, shift, out, NAME(PANEL), kind, shifted);
        return;
    }
    Eight share[4];
    shares((const double *)z, share);
    for (int v = 0; v < 4; v++) {
        Eight made = kind == SIGMOID ? share[v] : 1 - 2 * share[v];
        ((LooseEight *)out)[v] = shifted ? made - ((const Eight *)shift)[v] : made;
    }
}

/* Standardized inputs with what the weights expect after them. */
EACH_GENERATION
static void NAME(scale)(const Job *job, int64_t row, REAL *restrict scaled) {
    const double *restrict mean = job->mean, *restrict factor = job->factor;
    int64_t d = job->d;
    if (job->input_is_double) {
        const double *x = (const double *)job->inputs + row * job->input_stride;
        for (int64_t j = 0; j < d; j++)
            scaled[j] = (REAL)((x[j] - mean[j]) * factor[j]);
    } else {
        const float *x = (const float *)job->inputs + row * job->input_stride;
        for (int64_t j = 0; j < d; j++)
            scaled[j] = (REAL)((x[j] - mean[j]) * factor[j]);
    }
    if (job->kind == GAUSSIAN || job->kind == MULTIQUADRIC) {
        REAL square = 0;
        for (int64_t j = 0; j < d; j++)
            square += scaled[j] * scaled[j];
        scaled[d] = square;
    }
    scaled[job->width - 1] = 1;
}

EACH_GENERATION
static void NAME(activate_row)(const Job *job, REAL *out) {
    NAME(activate)(out, (const REAL *)job->shift, out, job->nodes, job->kind, 1);
}

static void NAME(scale_rows)(const Job *job, int64_t top, int64_t rows, REAL *scaled) {
    for (int64_t i = 0; i < rows; i++)
        NAME(scale)(job, top + i, scaled + i * job->width);
}

/* A strip of up to four scaled rows through the nodes whose weights are packed. While a finished panel is
 * written, the next is multiplied. */
EACH_GENERATION
static void NAME(strip_of_nodes)(const Job *job, const REAL *scaled, int64_t rows, int64_t cols,
                                 const REAL *packed, REAL *out) {
    REAL z[STRIP][NAME(PANEL)] __attribute__((aligned(64))), *to[STRIP];
    const REAL *x[STRIP];
    for (int64_t r = 0; r < STRIP; r++) {
        x[r] = scaled + (r < rows ? r : rows - 1) * job->width; /* beyond the last, the last again */
        to[r] = z[r];
    }
    for (int64_t j = 0; j < cols; j += NAME(PANEL), packed += NAME(PANEL) * (job->width + 1)) {
        const REAL *shift = packed + NAME(PANEL) * job->width;
        NAME(sums)(x, packed, job->width, 0, to);
        for (int64_t r = 0; r < rows; r++) {
            REAL *own = out + r * job->out_stride + j;
            int whole = cols - j >= NAME(PANEL);
            NAME(activate_panel)(z[r], shift, whole ? own : z[r], job->kind, 1);
            if (!whole)
                memcpy(own, z[r], (cols - j) * sizeof(REAL));
        }
    }
}

/* Columns of the weights in panels of (width + tail, PANEL), filled up with zeros; the tail is the shift, or the
 * columns of the coefficients. */
static void NAME(pack_nodes)(const Job *job, int64_t lo, int64_t cols, int64_t tail, REAL *restrict packed) {
    for (int64_t j = 0; j < cols; j += NAME(PANEL))
        for (int64_t k = 0; k < job->width + tail; k++, packed += NAME(PANEL)) {
            int64_t left = cols - j < NAME(PANEL) ? cols - j : NAME(PANEL);
            memset(packed, 0, NAME(PANEL) * sizeof(REAL));
            if (k >= job->width && job->coef) {
                const REAL *coef = (const REAL *)job->coef + (lo + j) * tail + k - job->width;
                for (int64_t i = 0; i < left; i++)
                    packed[i] = coef[i * tail];
                continue;
            }
            const REAL *row = k < job->width ? (const REAL *)job->weights + k * job->nodes : job->shift;
            memcpy(packed, row + lo + j, left * sizeof(REAL));
        }
}

static int NAME(fill_narrow)(const Job *job) {
    int64_t fit = WEIGHTS / (int64_t)sizeof(REAL) / (job->width + 1) / NAME(PANEL) * NAME(PANEL);
    int64_t across = fit > NAME(PANEL) ? fit : NAME(PANEL), n = job->n < LONG ? job->n : LONG;
    REAL *packed = aligned_alloc(64, across * (job->width + 1) * sizeof(REAL));
    REAL *scaled = malloc((n + 1) * job->width * sizeof(REAL));
    for (int64_t top = 0; packed && scaled && top < job->n; top += LONG) {
        int64_t rows = job->n - top < LONG ? job->n - top : LONG;
        NAME(scale_rows)(job, top, rows, scaled);
        for (int64_t lo = 0; lo < job->nodes; lo += across) {
            int64_t cols = job->nodes - lo < across ? job->nodes - lo : across;
            NAME(pack_nodes)(job, lo, cols, 1, packed);
            for (int64_t row = 0; row < rows; row += STRIP)
                NAME(strip_of_nodes)(job, scaled + row * job->width, rows - row < STRIP ? rows - row : STRIP,
                                     cols, packed, (REAL *)job->out + (top + row) * job->out_stride + lo);
        }
    }
    int failed = !packed || !scaled;
    free(scaled);
    free(packed);
    return failed;
}

/* All of it, where the rows will be used. 0 where it was done, 1 where there was no room. */
int NAME(fill)(const Job *job) {
    if (job->width < FEW_INPUTS && wide_registers())
        return NAME(fill_narrow)(job);
    NAME(Gemm) gemm = (NAME(Gemm))job->gemm;
    const REAL one = 1, zero = 0;
    const int width = (int)job->width, nodes = (int)job->nodes, stride = (int)job->out_stride;
    REAL *scaled = malloc(TILE * job->width * sizeof(REAL));
    if (!scaled)
        return 1;
    for (int64_t top = 0; top < job->n; top += TILE) {
        const int rows = job->n - top < TILE ? (int)(job->n - top) : TILE;
        REAL *out = (REAL *)job->out + top * job->out_stride;
        NAME(scale_rows)(job, top, rows, scaled);
        /* Rows seen by Fortran are columns: (nodes x width) times (width x rows). */
        gemm("N", "N", &nodes, &rows, &width, &one, (const REAL *)job->weights, &nodes, scaled, &width, &zero,
             out, &stride);
        for (int64_t i = 0; i < rows; i++)
            NAME(activate_row)(job, out + i * job->out_stride);
    }
    free(scaled);
    return 0;
}

#endif
