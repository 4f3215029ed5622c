/* A tile of a kernel matrix: products of two sets of rows and what the kernel makes of them.
 *
 * Included by kernels.c, before and then once for each precision. Narrow rows are multiplied here, four of
 * the left against panels of the right that were packed beforehand, and a strip of four results is finished
 * while it is in the first cache; wide ones go to SciPy's product, in tiles that stay in the second.
 */
#ifndef REAL

typedef struct {
    const void *left, *right; /* rows of both sides; none where `out` comes with their product in it */
    const void *left_halves, *right_halves; /* -|x|^2/2 of each row, for the Gaussian */
    int64_t rows, cols, width, left_stride, right_stride, kind, power;
    double constant, slack; /* the rounding of x.x - |x|^2/2 - |x|^2/2, as a share of |x|^2/2 */
    const void *shift;      /* or none */
    void *out;
    int64_t out_stride;
    const void *gemm;
} Tile;

enum { NARROW = 160 };  /* widths from which SciPy's product is faster */
enum { STRIP = 4 };     /* rows of the left at a time: with four vectors of a panel, 16 sums in registers */
enum { ACROSS = 512 };  /* columns finished at a time */
enum { DOWN = 256 };    /* rows of a tile of SciPy's */

#else

typedef REAL NAME(Vector) __attribute__((vector_size(64)));
typedef INT NAME(Bits) __attribute__((vector_size(64)));
enum { NAME(PANEL) = 4 * 64 / sizeof(REAL) };

/* 2^x, and 0 below the normal numbers: subnormal ones slow every later product. */
static inline REAL NAME(fading)(REAL x) {
    REAL power = NAME(two_to)(x);
    return x < -TOP ? 0 : power;
}

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
    INT near = 0;
    for (int64_t j = 0; j < cols; j++) {
        REAL sum = z[j] + halves[j] + own;
        near += sum > edge;
        z[j] = NAME(fading)(sum < 0 ? sum : 0);
    }
    if (near)
        for (int64_t j = 0; j < cols; j++)
            if (z[j] >= 1 + edge) /* 2^edge is more */
                z[j] = tile->left ? NAME(fading)(NAME(gap)(tile, row, lo + j) / -2) : 1;
}

EACH_GENERATION
static void NAME(raise)(REAL *restrict z, int64_t cols, int64_t power) {
    enum { AT_ONCE = 64 };
    for (int64_t lo = 0; lo < cols; lo += AT_ONCE) {
        int64_t n = cols - lo < AT_ONCE ? cols - lo : AT_ONCE;
        REAL square[AT_ONCE];
        memcpy(square, z + lo, n * sizeof(REAL));
        for (int64_t j = 0; j < n; j++)
            z[lo + j] = power & 1 ? square[j] : 1;
        for (int64_t left = power >> 1; left; left >>= 1) {
            for (int64_t j = 0; j < n; j++)
                square[j] *= square[j];
            if (left & 1)
                for (int64_t j = 0; j < n; j++)
                    z[lo + j] *= square[j];
        }
    }
}

EACH_GENERATION
static void NAME(finish)(const Tile *tile, int64_t row, int64_t lo, int64_t cols, REAL *restrict z) {
    const REAL constant = (REAL)tile->constant;
    switch (tile->kind) {
    case GAUSSIAN:
        NAME(gaussian)(tile, row, lo, cols, z);
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
        for (int64_t j = 0; j < cols; j++)
            z[j] += constant;
        if (tile->kind == POWER)
            NAME(raise)(z, cols, tile->power);
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
                                                             int64_t width, int absolute,
                                                             NAME(Vector) (*total)[4]) {
    NAME(Vector) sum[STRIP][4] = {0};
    const NAME(Bits) magnitude = ((NAME(Bits)){0} - 1) ^ ((NAME(Bits)){0} + ((INT)1 << (sizeof(INT) * 8 - 1)));
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
        for (int v = 0; v < 4; v++)
            total[r][v] = sum[r][v];
}

/* A strip of four rows against all the panels packed; rows beyond the last are the last again. */
EACH_GENERATION
static void NAME(strip)(const Tile *tile, int64_t row, int64_t lo, int64_t cols, const REAL *packed) {
    const REAL *x[STRIP];
    NAME(Vector) total[STRIP][4];
    int64_t count = tile->rows - row < STRIP ? tile->rows - row : STRIP;
    for (int64_t r = 0; r < STRIP; r++)
        x[r] = (const REAL *)tile->left + (row + (r < count ? r : count - 1)) * tile->left_stride;
    REAL *out = (REAL *)tile->out + row * tile->out_stride + lo;
    for (int64_t j = 0; j < cols; j += NAME(PANEL)) {
        const REAL *panel = packed + j * tile->width;
        if (tile->kind == LAPLACIAN)
            NAME(sums)(x, panel, tile->width, 1, total);
        else
            NAME(sums)(x, panel, tile->width, 0, total);
        int64_t wide = cols - j < NAME(PANEL) ? cols - j : NAME(PANEL);
        for (int64_t r = 0; r < count; r++)
            memcpy(out + r * tile->out_stride + j, total[r], wide * sizeof(REAL));
    }
    for (int64_t r = 0; r < count; r++)
        NAME(finish)(tile, row + r, lo, cols, out + r * tile->out_stride);
}

static int NAME(narrow)(const Tile *tile) {
    int64_t fit = (1 << 16) / (tile->width + 1) / NAME(PANEL) * NAME(PANEL);
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
