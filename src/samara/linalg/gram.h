/* Z'Z, added to the upper triangle of a square.
 *
 * Included by kernels.c, before and then once for each precision. Columns are packed once, in panels that are
 * either factor of a product: a panel stays in the first cache while eight columns at a time, read from the
 * second, are multiplied with it. With 1536 rows of 1002 columns OpenBLAS 0.3.30 took 10.6 ms in float32 and
 * this 8.6, where the processor could do it in 6.7; in float64 20.6 and 18.5.
 */
#ifndef REAL

enum { EIGHT = 8 };    /* columns of the left: with two vectors of a panel, 16 sums in registers */
enum { DEEP = 192 };   /* rows packed at a time: a panel of them is 24 kB */
enum { DOWNWARD = 1024 }; /* columns of the left that stay in the second cache: 0.8 or 1.6 MB */
enum { AHEAD = 24 };   /* rows between what is asked for and what is multiplied: they lie apart */

typedef struct {
    const void *rows; /* (n, width), each contiguous */
    int64_t n, width, stride;
    void *gram;
    int64_t gram_stride;
} Rows;

#else

enum { NAME(LANES) = 64 / sizeof(REAL), NAME(BAND) = 2 * NAME(LANES) };
typedef REAL NAME(Loose) __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));

/* Adds the products of eight columns with the first vectors of a panel, or takes them off. */
static inline __attribute__((always_inline)) void NAME(corner)(const REAL *left, const REAL *panel, int64_t rows,
                                                               int vectors, int off, REAL *gram,
                                                               int64_t stride) {
    NAME(Vector) sum[EIGHT][2] = {0};
    for (int r = 0; r < EIGHT; r++)
        for (int v = 0; v < vectors; v++)
            __builtin_prefetch(gram + r * stride + v * NAME(LANES), 1);
    for (int64_t k = 0; k < rows; k++) {
        const NAME(Vector) *z = (const NAME(Vector) *)(panel + k * NAME(BAND));
        __builtin_prefetch(left + (k + AHEAD) * NAME(BAND));
        for (int r = 0; r < EIGHT; r++)
            for (int v = 0; v < vectors; v++)
                sum[r][v] += left[k * NAME(BAND) + r] * z[v];
    }
    for (int r = 0; r < EIGHT; r++)
        for (int v = 0; v < vectors; v++)
            ((NAME(Loose) *)(gram + r * stride))[v] += off ? -sum[r][v] : sum[r][v];
}

/* Adds the products of columns `from` to `to` with a panel, where they lie above the diagonal; or takes them off.
 * Which of the two is known when it is compiled: a sign to multiply by took a fourth longer. */
static inline __attribute__((always_inline)) void NAME(crossed)(const Rows *job, const REAL *packed, int64_t rows,
                                                                int64_t lo, int64_t from, int64_t to, int off) {
    const int64_t size = rows * NAME(BAND), stride = job->gram_stride;
    const int64_t hi = lo + NAME(BAND) < job->width ? lo + NAME(BAND) : job->width;
    const REAL *panel = packed + lo * rows;
    for (int64_t i = from; i < to && i < hi; i += EIGHT) {
        const REAL *left = packed + i / NAME(BAND) * size + i % NAME(BAND);
        REAL *gram = (REAL *)job->gram + i * stride;
        if (i + EIGHT <= lo && hi == lo + NAME(BAND)) {
            NAME(corner)(left, panel, rows, 2, off, gram + lo, stride);
            continue;
        }
        REAL edge[EIGHT][NAME(BAND)] = {{0}};
        int64_t skipped = i >= lo + NAME(LANES) ? NAME(LANES) : 0; /* a vector left of the diagonal */
        if (hi - lo - skipped <= NAME(LANES))
            NAME(corner)(left, panel + skipped, rows, 1, off, edge[0] + skipped, NAME(BAND));
        else
            NAME(corner)(left, panel, rows, 2, off, edge[0], NAME(BAND));
        for (int64_t r = 0; r < EIGHT && i + r < hi; r++)
            for (int64_t j = i + r > lo ? i + r : lo; j < hi; j++)
                gram[r * stride + j] += edge[r][j - lo];
    }
}

EACH_GENERATION
static void NAME(add_panel)(const Rows *job, const REAL *packed, int64_t rows, int64_t lo, int64_t from,
                            int64_t to) {
    NAME(crossed)(job, packed, rows, lo, from, to, 0);
}

EACH_GENERATION
static void NAME(subtract_panel)(const Rows *job, const REAL *packed, int64_t rows, int64_t lo, int64_t from,
                                 int64_t to) {
    NAME(crossed)(job, packed, rows, lo, from, to, 1);
}

/* Rows in panels of (rows, BAND), the last one filled up with zeros. */
static void NAME(pack_rows)(const Rows *job, int64_t top, int64_t rows, REAL *restrict packed) {
    for (int64_t k = 0; k < rows; k++) {
        const REAL *row = (const REAL *)job->rows + (top + k) * job->stride;
        REAL *to = packed + k * NAME(BAND);
        int64_t lo = 0;
        for (; lo + NAME(BAND) <= job->width; lo += NAME(BAND), to += rows * NAME(BAND))
            memcpy(to, row + lo, NAME(BAND) * sizeof(REAL));
        for (int64_t j = 0; lo < job->width && j < NAME(BAND); j++)
            to[j] = lo + j < job->width ? row[lo + j] : 0;
    }
}

/* gram += Z'Z in the upper triangle. 0 where it was done, 1 where there was no room. */
int NAME(gram)(const Rows *job) {
    int64_t panels = (job->width + NAME(BAND) - 1) / NAME(BAND), deep = job->n < DEEP ? job->n : DEEP;
    REAL *packed = aligned_alloc(64, panels * NAME(BAND) * deep * sizeof(REAL));
    if (!packed)
        return 1;
    int64_t count = (job->n + DEEP - 1) / DEEP, top = 0;
    for (int64_t piece = 0, rows; piece < count; piece++, top += rows) { /* of equal length, as can be */
        rows = (job->n - top) / (count - piece);
        NAME(pack_rows)(job, top, rows, packed);
        for (int64_t from = 0; from < job->width; from += DOWNWARD)
            for (int64_t lo = from; lo < job->width; lo += NAME(BAND))
                NAME(add_panel)(job, packed, rows, lo, from, from + DOWNWARD);
    }
    free(packed);
    return 0;
}

#endif
