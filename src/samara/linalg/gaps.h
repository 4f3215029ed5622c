/* Rows with gaps under a few Gaussian pieces: which piece a row belongs to, what its gaps most likely hold, and
 * what the filled row adds to the moments of each piece.
 *
 * With the precision matrix P of a piece and z = x - mean, 0 in the gaps, the gaps are -inv(P_gg) (Pz)_g, and
 * z'Pz less what they take off is the squared distance of what is there. So a row with g gaps costs the square
 * of its columns and the cube of g, never the cube of its columns.
 *
 * Included by kernels.c, once.
 */
/* Into each generation's own body. */
#define INLINED static inline __attribute__((always_inline))

typedef struct {
    const double *rows; /* (n, d), NaN in the gaps */
    int64_t n, d, pieces;
    const double *means;      /* (pieces, d) */
    const double *precisions; /* (pieces, d, d) */
    const double *offsets;    /* (pieces): log of the share, and half the log determinant of the precision */
    double *filled;           /* (n, d), or none */
    double *weights;          /* (pieces), or none: no moments then */
    double *sums, *squares;   /* (pieces, d), (pieces, d, d): of filled rows less the mean, upper triangle */
    int64_t uncertain;        /* whether the covariance of the gaps is added to the squares */
} Gaps;

/* The pieces in groups, the numbers of a group's pieces side by side; the last is filled up with pieces that no
 * row belongs to. One piece stays as it is. */
typedef struct {
    int64_t d, lanes, groups;
    const double *means, *precisions, *offsets;
} Laid;

/* The columns of a row: those that are there, then the gaps. */
typedef struct {
    int64_t there, *columns;
} Order;

#define LANES 1
#define WIDE double
#define BITS int64_t
#define ABOVE(x, y) (-(int64_t)((x) > (y)))
#define LANED(name) name##_alone
#include "pieces.h"
#undef LANES
#undef WIDE
#undef BITS
#undef ABOVE
#undef LANED
#define LANES 8
#define WIDE Eight
#define BITS EightBits
#define ABOVE(x, y) ((x) > (y))
#define LANED(name) name##_abreast
#include "pieces.h"
#undef LANES
#undef WIDE
#undef BITS
#undef ABOVE
#undef LANED

enum { ABREAST = 8, FAR = 60 }; /* exp(-60) of the likeliest piece's share is nothing */

/* count numbers of each piece, laid side by side in groups. */
static void lay(const double *from, int64_t pieces, int64_t count, double *to) {
    for (int64_t k = 0; k < pieces; k++)
        for (int64_t i = 0; i < count; i++)
            to[(k / ABREAST * count + i) * ABREAST + k % ABREAST] = from[k * count + i];
}

/* The covariance of the gaps, inv(LDL'), added to the squares of a piece: both triangular products in whole
 * registers, for what is beside the diagonal is 0. `room` has 2m rows of m numbers, filled up to whole registers. */
INLINED void gaps_uncertain(const double *L, int64_t step, int64_t m, double share, const Order *order, double *room,
                            double *squares) {
    const int64_t width = (m + ABREAST - 1) / ABREAST, d = order->there + m, *gap = order->columns + order->there;
    LooseEight *inverse = (LooseEight *)room, *made = inverse + m * width;
    memset(room, 0, sizeof(LooseEight) * (size_t)(2 * m * width));
    for (int64_t i = 0; i < m; i++) {
        LooseEight *row = inverse + i * width;
        ((double *)row)[i] = 1;
        for (int64_t k = 0; k < i; k++) {
            const double l = L[(i * m + k) * step];
            for (int64_t v = 0; v <= k / ABREAST; v++)
                row[v] -= l * inverse[k * width + v];
        }
    }
    for (int64_t k = 0; k < m; k++) {
        const LooseEight *row = inverse + k * width;
        const double part = share * L[(k * m + k) * step];
        for (int64_t c = 0; c <= k; c++) {
            const double scaled = part * ((const double *)row)[c];
            for (int64_t v = 0; v <= c / ABREAST; v++)
                made[c * width + v] += scaled * row[v];
        }
    }
    for (int64_t c = 0; c < m; c++)
        for (int64_t i = 0; i <= c; i++)
            squares[gap[i] * d + gap[c]] += ((const double *)(made + c * width))[i];
}

/* What a row adds to the moments of a piece, which it belongs to by so much; z and L are `step` numbers apart. */
INLINED void gaps_add(const Gaps *job, int64_t k, double share, const double *z, const double *L, int64_t step,
                      const Order *order, double *room) {
    const int64_t d = job->d, m = d - order->there;
    double *squares = job->squares + k * d * d, *sums = job->sums + k * d, *whole = room;
    for (int64_t a = 0; a < d; a++)
        whole[order->columns[a]] = z[a * step];
    job->weights[k] += share;
    for (int64_t i = 0; i < d; i++) {
        const double part = share * whole[i];
        double *restrict row = squares + i * d;
        sums[i] += part;
        for (int64_t j = i; j < d; j++)
            row[j] += part * whole[j];
    }
    if (job->uncertain && m)
        gaps_uncertain(L, step, m, share, order, room, squares);
}

/* One row. `z`, `L` and `scores` have a register for each number, one group of pieces after the other. */
INLINED void gaps_row(const Gaps *job, const Laid *laid, int64_t r, const Order *order, double *z, double *L,
                      double *scores, double *room) {
    const int64_t d = job->d, lanes = laid->lanes;
    const double *x = job->rows + r * d;
    double *mantissas = scores + laid->groups * lanes, best = -INFINITY, total = 0;
    for (int64_t g = 0; g < laid->groups; g++)
        if (lanes == 1)
            under_alone(laid, g, x, order, z, L, scores, mantissas);
        else
            under_abreast(laid, g, x, order, (Eight *)z + g * d, (Eight *)L + g * d * d, (Eight *)scores + g,
                          (Eight *)mantissas + g);
    for (int64_t k = 0; k < job->pieces; k++)
        best = scores[k] > best ? scores[k] : best;
    for (int64_t k = 0; k < job->pieces; k++)
        total += scores[k] = scores[k] < best - FAR ? 0 : exp(scores[k] - best) / sqrt(mantissas[k]);
    double *out = job->filled ? job->filled + r * d : NULL;
    if (out) {
        memcpy(out, x, sizeof(double) * (size_t)d);
        for (int64_t a = order->there; a < d; a++)
            out[order->columns[a]] = 0;
    }
    for (int64_t k = 0; k < job->pieces; k++) {
        const double share = scores[k] / total;
        const double *zk = z + (k / lanes * d) * lanes + k % lanes;
        for (int64_t a = order->there; out && share > 0 && a < d; a++) {
            const int64_t j = order->columns[a];
            out[j] += share * (job->means[k * d + j] + zk[a * lanes]);
        }
        if (job->weights && share > 1e-6)
            gaps_add(job, k, share, zk, L + (k / lanes * d * d) * lanes + k % lanes, lanes, order, room);
    }
}

EACH_GENERATION
int fill_gaps(const Gaps *job) {
    const int64_t d = job->d, lanes = job->pieces > 1 ? ABREAST : 1, groups = (job->pieces + lanes - 1) / lanes;
    const int64_t all = groups * lanes, widest = (d + ABREAST - 1) / ABREAST * ABREAST;
    const size_t numbers = (size_t)(all * (2 * d + 2 * d * d + 3) + 2 * d * widest + widest);
    double *room = aligned_alloc(64, (sizeof(double) * numbers + 63) / 64 * 64);
    Order order = {0, malloc(sizeof(int64_t) * (size_t)(2 * d))};
    if (!room || !order.columns) {
        free(room);
        free(order.columns);
        return 1;
    }
    double *precisions = room, *L = precisions + all * d * d, *means = L + all * d * d, *z = means + all * d;
    double *offsets = z + all * d, *scores = offsets + all, *rest = scores + 2 * all;
    Laid laid = {d, lanes, groups, job->means, job->precisions, job->offsets};
    if (lanes > 1) {
        memset(precisions, 0, sizeof(double) * (size_t)(all * d * d));
        memset(means, 0, sizeof(double) * (size_t)(all * d));
        memset(offsets, 0, sizeof(double) * (size_t)all);
        lay(job->precisions, job->pieces, d * d, precisions);
        lay(job->means, job->pieces, d, means);
        lay(job->offsets, job->pieces, 1, offsets);
        laid = (Laid){d, lanes, groups, means, precisions, offsets};
    }
    for (int64_t r = 0; r < job->n; r++) {
        const double *x = job->rows + r * d;
        int64_t *gaps = order.columns + d, m = 0;
        order.there = 0;
        for (int64_t j = 0; j < d; j++)
            if (x[j] != x[j])
                gaps[m++] = j;
            else
                order.columns[order.there++] = j;
        memcpy(order.columns + order.there, gaps, sizeof(int64_t) * (size_t)m);
        gaps_row(job, &laid, r, &order, z, L, scores, rest);
    }
    free(room);
    free(order.columns);
    return 0;
}
