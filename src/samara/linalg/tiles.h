/* A tile of a kernel matrix: products of two sets of rows and what the kernel makes of them.
 *
 * Included by kernels.c, before and then once for each precision. Narrow rows are multiplied here, four of
 * the left against panels of the right that were packed beforehand, and a strip of four results is finished
 * while it is in the first cache; wide ones go to SciPy's product, in tiles that stay in the second.
 */
#ifndef REAL

typedef struct {
    const void *left, *right; /* rows of both sides; none where `out` comes with their product in it */
    const void *left_halves, *right_halves; /* -|x|^2/2 of each row, for functions of |x - z| */
    int64_t rows, cols, width, left_stride, right_stride, kind, power;
    double constant, slack; /* the rounding of x.x - |x|^2/2 - |x|^2/2, as a share of |x|^2/2 */
    const void *shift;      /* or none */
    void *out;
    int64_t out_stride;
    const void *gemm;
} Tile;

enum { NARROW = 192 };  /* widths from which SciPy's product is faster */
enum { STRIP = 4 };     /* rows of the left at a time: with four vectors of a panel, 16 sums in registers */
enum { ACROSS = 512 };  /* columns finished at a time */
enum { PACKED = 1 << 16 }; /* bytes of the panels packed at a time */
enum { CHUNK = 64 };    /* numbers raised to a power at a time */
enum { DOWN = 256 };    /* rows of a tile of SciPy's */

/* (2^r - 1)/r for |r| <= 1/2, interpolated at Chebyshev's points: within a tenth of the last place, and two
 * products a number less than Taylor's series takes for that. */
#define SERIES_single                                                                                          \
    {0.6931471880262288,   0.24022650760568126,   0.055503571142190775,                                        \
     0.009618082557277847, 0.0013390863364671247, 0.00015453162945121892}
#define SERIES_double                                                                                          \
    {0.6931471805599453,     0.24022650695910097,    0.0555041086648216,    0.009618129107606888,              \
     0.0013333558146417126,  0.0001540353044173796,  1.5252733829649389e-05, 1.3215442586497217e-06,           \
     1.0178062501393212e-07, 7.072586262991873e-09,  4.4549573418102785e-10}

#else

typedef REAL NAME(Vector) __attribute__((vector_size(64)));
typedef INT NAME(Bits) __attribute__((vector_size(64)));
enum { NAME(PANEL) = 4 * 64 / sizeof(REAL) };

/* 2^x for x <= 1, and 0 below the normal numbers: subnormal ones slow every later product. */
static inline REAL NAME(fading)(REAL x) { return x < -TOP ? 0 : NAME(power_of_two)(x); }

static inline REAL NAME(gap)(const Tile *tile, int64_t row, int64_t col) {
    const REAL *x = (const REAL *)tile->left + row * tile->left_stride;
    const REAL *z = (const REAL *)tile->right + col * tile->right_stride;
    REAL sum = 0;
    for (int64_t k = 0; k < tile->width; k++)
        sum += (x[k] - z[k]) * (x[k] - z[k]);
    return sum;
}

/* 2^(x.z - |x|^2/2 - |z|^2/2); where that sum is all rounding, from the differences: equal rows give 1. */
EACH_GENERATION
static void NAME(gaussian)(const Tile *tile, int64_t row, int64_t lo, int64_t cols, REAL *restrict z) {
    const REAL *restrict halves = (const REAL *)tile->right_halves + lo;
    const REAL own = ((const REAL *)tile->left_halves)[row], edge = own * (REAL)tile->slack;
    WORD beyond = 0; /* its first bit is the sign of edge - sum, of all of them */
    for (int64_t j = 0; j < cols; j++) {
        REAL sum = z[j] + halves[j] + own, room = edge - sum;
        WORD bits;
        memcpy(&bits, &room, sizeof bits);
        beyond |= bits;
        z[j] = NAME(fading)(sum);
    }
    if (beyond >> (sizeof(WORD) * 8 - 1))
        for (int64_t j = 0; j < cols; j++)
            if (z[j] >= 1 + edge) /* 2^edge is more */
                z[j] = tile->left ? NAME(fading)(NAME(gap)(tile, row, lo + j) / -2) : 1;
}

/* 2^-r q(r ln 2) with r = |x - z| and q of the degree asked for. The root makes much of the rounding of r^2:
 * where that is more than a small share of it, it is taken from the differences. */
EACH_GENERATION
static void NAME(distances)(const Tile *tile, int64_t row, int64_t lo, int64_t cols, REAL *restrict z) {
    const REAL *restrict halves = (const REAL *)tile->right_halves + lo;
    const REAL own = ((const REAL *)tile->left_halves)[row], edge = own * (REAL)tile->slack;
    const REAL ln2 = (REAL)0.69314718055994530942, first = tile->power > 0, second = tile->power > 1;
    WORD beyond = 0; /* as for the Gaussian */
    for (int64_t j = 0; j < cols; j++) {
        REAL sum = z[j] + halves[j] + own, room = edge - sum;
        WORD bits;
        memcpy(&bits, &room, sizeof bits);
        beyond |= bits;
        z[j] = sum;
    }
    if (beyond >> (sizeof(WORD) * 8 - 1))
        for (int64_t j = 0; j < cols; j++)
            if (z[j] > edge)
                z[j] = tile->left ? NAME(gap)(tile, row, lo + j) / -2 : 0;
    for (int64_t j = 0; j < cols; j++) {
        REAL r = SQRT(-2 * z[j]), a = r * ln2;
        z[j] = NAME(fading)(-r) * (1 + first * a + second * a * a / 3);
    }
}

static inline __attribute__((always_inline)) void NAME(raise)(REAL *restrict z, int64_t n, int64_t power) {
    REAL square[CHUNK];
    for (int64_t j = 0; j < n; j++) {
        square[j] = z[j];
        z[j] = power & 1 ? z[j] : 1;
    }
    for (power >>= 1; power; power >>= 1) {
        for (int64_t j = 0; j < n; j++)
            square[j] *= square[j];
        if (power & 1)
            for (int64_t j = 0; j < n; j++)
                z[j] *= square[j];
    }
}

EACH_GENERATION
static void NAME(powers)(REAL *restrict z, int64_t cols, int64_t power) {
    int64_t lo = 0;
    for (; lo + CHUNK <= cols; lo += CHUNK) /* of a size known here: no remainders */
        NAME(raise)(z + lo, CHUNK, power);
    NAME(raise)(z + lo, cols - lo, power);
}

EACH_GENERATION
static void NAME(finish)(const Tile *tile, int64_t row, int64_t lo, int64_t cols, REAL *restrict z) {
    const REAL constant = (REAL)tile->constant;
    switch (tile->kind) {
    case GAUSSIAN:
        NAME(gaussian)(tile, row, lo, cols, z);
        break;
    case DISTANCE:
        NAME(distances)(tile, row, lo, cols, z);
        break;
    case LAPLACIAN:
        for (int64_t j = 0; j < cols; j++)
            z[j] = NAME(fading)(-z[j]);
        break;
    case TANH:
        for (int64_t j = 0; j < cols; j++)
            z[j] = 1 - 2 / (1 + NAME(two_to)(z[j] + constant));
        break;
    default:
        for (int64_t j = 0; constant != 0 && j < cols; j++)
            z[j] += constant;
        if (tile->kind == POWER)
            NAME(powers)(z, cols, tile->power);
    }
    if (tile->shift) {
        const REAL *restrict shift = (const REAL *)tile->shift + lo;
        for (int64_t j = 0; j < cols; j++)
            z[j] -= shift[j];
    }
}

/* Rows of the right, transposed: panels of (width, PANEL), the last one filled up with zeros. */
static void NAME(pack)(const Tile *tile, int64_t lo, int64_t cols, REAL *restrict packed) {
    for (int64_t j = 0; j < cols; j += NAME(PANEL), packed += NAME(PANEL) * tile->width)
        for (int64_t i = 0; i < NAME(PANEL); i++) {
            const REAL *z = (const REAL *)tile->right + (lo + j + i) * tile->right_stride;
            for (int64_t k = 0; k < tile->width; k++)
                packed[k * NAME(PANEL) + i] = j + i < cols ? z[k] : 0;
        }
}

/* Sums over the columns of x.z, or of |x - z|, of four rows with a panel. */
static inline __attribute__((always_inline)) void NAME(sums)(const REAL *const *x, const REAL *panel,
                                                             int64_t width, int absolute, REAL *const *out) {
    NAME(Vector) sum[STRIP][4] = {0};
    const NAME(Bits) magnitude = (NAME(Bits)){0} + (INT)((WORD)-1 >> 1); /* all but the sign */
    for (int64_t k = 0; k < width; k++) {
        const NAME(Vector) *z = (const NAME(Vector) *)(panel + k * NAME(PANEL));
        for (int r = 0; r < STRIP; r++)
            for (int v = 0; v < 4; v++)
                if (absolute)
                    sum[r][v] += (NAME(Vector))((NAME(Bits))(x[r][k] - z[v]) & magnitude);
                else
                    sum[r][v] += x[r][k] * z[v];
    }
    for (int r = 0; r < STRIP; r++)
        memcpy(out[r], sum[r], sizeof sum[r]);
}

/* A strip of four rows against all the panels packed; rows beyond the last are the last again. */
EACH_GENERATION
static void NAME(strip)(const Tile *tile, int64_t row, int64_t lo, int64_t cols, const REAL *packed) {
    const REAL *x[STRIP];
    REAL *to[STRIP], spare[STRIP][NAME(PANEL)];
    int64_t count = tile->rows - row < STRIP ? tile->rows - row : STRIP;
    for (int64_t r = 0; r < STRIP; r++)
        x[r] = (const REAL *)tile->left + (row + (r < count ? r : count - 1)) * tile->left_stride;
    REAL *out = (REAL *)tile->out + row * tile->out_stride + lo;
    for (int64_t j = 0; j < cols; j += NAME(PANEL), packed += NAME(PANEL) * tile->width) {
        int64_t left = cols - j;
        for (int64_t r = 0; r < STRIP; r++)
            to[r] = r < count && left >= NAME(PANEL) ? out + r * tile->out_stride + j : spare[r];
        if (tile->kind == LAPLACIAN)
            NAME(sums)(x, packed, tile->width, 1, to);
        else
            NAME(sums)(x, packed, tile->width, 0, to);
        for (int64_t r = 0; r < count && left < NAME(PANEL); r++)
            memcpy(out + r * tile->out_stride + j, spare[r], left * sizeof(REAL));
    }
    for (int64_t r = 0; r < count; r++)
        NAME(finish)(tile, row + r, lo, cols, out + r * tile->out_stride);
}

static int NAME(narrow)(const Tile *tile) {
    int64_t fit = PACKED / (int64_t)sizeof(REAL) / (tile->width + 1) / NAME(PANEL) * NAME(PANEL);
    int64_t across = fit > ACROSS ? ACROSS : fit > NAME(PANEL) ? fit : NAME(PANEL);
    REAL *packed = aligned_alloc(64, (across * tile->width + NAME(PANEL)) * sizeof(REAL));
    if (!packed)
        return 1;
    for (int64_t lo = 0; lo < tile->cols; lo += across) {
        int64_t cols = tile->cols - lo < across ? tile->cols - lo : across;
        NAME(pack)(tile, lo, cols, packed);
        for (int64_t row = 0; row < tile->rows; row += STRIP)
            NAME(strip)(tile, row, lo, cols, packed);
    }
    free(packed);
    return 0;
}

/* k(left, right) less the shift, into `out`. 0 where it was done, 1 where there was no room. */
int NAME(tile)(const Tile *tile) {
    if (tile->left && (tile->kind == LAPLACIAN || tile->width < NARROW))
        return NAME(narrow)(tile);
    NAME(Gemm) gemm = (NAME(Gemm))tile->gemm;
    const REAL one = 1, zero = 0;
    const int width = (int)tile->width, stride = (int)tile->out_stride;
    const int left_stride = (int)tile->left_stride, right_stride = (int)tile->right_stride;
    for (int64_t row = 0; row < tile->rows; row += DOWN)
        for (int64_t lo = 0; lo < tile->cols; lo += ACROSS) {
            const int rows = tile->rows - row < DOWN ? (int)(tile->rows - row) : DOWN;
            const int cols = tile->cols - lo < ACROSS ? (int)(tile->cols - lo) : ACROSS;
            REAL *out = (REAL *)tile->out + row * tile->out_stride + lo;
            if (tile->left) /* Rows seen by Fortran are columns. */
                gemm("T", "N", &cols, &rows, &width, &one, (const REAL *)tile->right + lo * tile->right_stride,
                     &right_stride, (const REAL *)tile->left + row * tile->left_stride, &left_stride, &zero, out,
                     &stride);
            for (int r = 0; r < rows; r++)
                NAME(finish)(tile, row + r, lo, cols, out + r * tile->out_stride);
        }
    return 0;
}

#endif
