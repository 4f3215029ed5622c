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

/* A symmetric matrix as LDL', in place, row after row, the inverse of D on the diagonal; the log determinant. */
INLINED double gaps_factor(double *A, int64_t m) {
    double determinant = 1, logs = 0;
    for (int64_t i = 0; i < m; i++) {
        double *row = A + i * m, left = row[i];
        for (int64_t j = 0; j < i; j++) {
            double sum = row[j];
            for (int64_t k = 0; k < j; k++)
                sum -= row[k] * A[j * m + k];
            row[j] = sum;
        }
        for (int64_t j = 0; j < i; j++) {
            const double scaled = row[j] * A[j * m + j];
            left -= scaled * row[j];
            row[j] = scaled;
        }
        left = left > 1e-200 ? left : 1e-200;
        determinant *= left;
        if (determinant < 1e-90 || determinant > 1e90) { /* one logarithm for many factors, as a rule */
            logs += log(determinant);
            determinant = 1;
        }
        row[i] = 1 / left;
    }
    return logs + log(determinant);
}

/* inv(L) b, in place; then inv(DL') of it. */
INLINED void gaps_forward(const double *L, int64_t m, double *b) {
    for (int64_t i = 1; i < m; i++)
        for (int64_t k = 0; k < i; k++)
            b[i] -= L[i * m + k] * b[k];
}

INLINED void gaps_backward(const double *L, int64_t m, double *b) {
    for (int64_t i = m - 1; i >= 0; i--) {
        b[i] *= L[i * m + i];
        for (int64_t k = i + 1; k < m; k++)
            b[i] -= L[k * m + i] * b[k];
    }
}

/* What a row adds to the moments of a piece, which it belongs to by so much. */
INLINED void gaps_add(const Gaps *job, int64_t k, double share, const double *z, const int64_t *gap, int64_t m,
                      const double *L, double *unit) {
    const int64_t d = job->d;
    double *squares = job->squares + k * d * d, *sums = job->sums + k * d;
    job->weights[k] += share;
    for (int64_t i = 0; i < d; i++) {
        const double part = share * z[i];
        sums[i] += part;
        for (int64_t j = i; j < d; j++)
            squares[i * d + j] += part * z[j];
    }
    for (int64_t c = 0; job->uncertain && c < m; c++) {
        for (int64_t i = 0; i < m; i++)
            unit[i] = i == c;
        gaps_forward(L, m, unit);
        gaps_backward(L, m, unit);
        for (int64_t i = 0; i <= c; i++)
            squares[gap[i] * d + gap[c]] += share * unit[i];
    }
}

EACH_GENERATION
int fill_gaps(const Gaps *job) {
    const int64_t d = job->d, pieces = job->pieces;
    double *room = malloc(sizeof(double) * (size_t)(pieces * (d + d * d + 1) + 2 * d));
    int64_t *gap = malloc(sizeof(int64_t) * (size_t)d);
    if (!room || !gap) {
        free(room);
        free(gap);
        return 1;
    }
    double *z = room, *factors = room + pieces * d, *scores = factors + pieces * d * d, *u = scores + pieces;
    double *unit = u + d;
    for (int64_t r = 0; r < job->n; r++) {
        const double *x = job->rows + r * d;
        int64_t m = 0;
        for (int64_t j = 0; j < d; j++)
            if (x[j] != x[j])
                gap[m++] = j;
        double best = -INFINITY, total = 0;
        for (int64_t k = 0; k < pieces; k++) {
            const double *mean = job->means + k * d, *P = job->precisions + k * d * d;
            double *restrict zk = z + k * d, *restrict L = factors + k * d * d, distance = 0;
            for (int64_t j = 0; j < d; j++) {
                zk[j] = x[j] != x[j] ? 0 : x[j] - mean[j];
                u[j] = 0;
            }
            int64_t i = 0;
            for (; i + 4 <= d; i += 4) { /* four at a time: the sums are read and written a fourth as often */
                const double a = zk[i], b = zk[i + 1], c = zk[i + 2], e = zk[i + 3], *row = P + i * d;
                for (int64_t j = 0; j < d; j++)
                    u[j] += a * row[j] + b * row[d + j] + c * row[2 * d + j] + e * row[3 * d + j];
            }
            for (; i < d; i++)
                for (int64_t j = 0; j < d; j++)
                    u[j] += zk[i] * P[i * d + j];
            for (int64_t j = 0; j < d; j++)
                distance += zk[j] * u[j];
            for (int64_t a = 0; a < m; a++) {
                unit[a] = -u[gap[a]];
                for (int64_t b = 0; b <= a; b++)
                    L[a * m + b] = P[gap[a] * d + gap[b]];
            }
            const double logs = gaps_factor(L, m);
            gaps_forward(L, m, unit);
            for (int64_t a = 0; a < m; a++)
                distance -= unit[a] * unit[a] * L[a * m + a];
            gaps_backward(L, m, unit);
            for (int64_t a = 0; a < m; a++)
                zk[gap[a]] = unit[a];
            scores[k] = job->offsets[k] - 0.5 * (distance + logs);
            best = scores[k] > best ? scores[k] : best;
        }
        for (int64_t k = 0; k < pieces; k++)
            total += scores[k] = exp(scores[k] - best);
        if (job->filled) {
            double *out = job->filled + r * d;
            memcpy(out, x, sizeof(double) * (size_t)d);
            for (int64_t a = 0; a < m; a++)
                out[gap[a]] = 0;
            for (int64_t k = 0; m && k < pieces; k++)
                for (int64_t a = 0; a < m; a++)
                    out[gap[a]] += scores[k] / total * (job->means[k * d + gap[a]] + z[k * d + gap[a]]);
        }
        for (int64_t k = 0; job->weights && k < pieces; k++)
            if (scores[k] > 1e-6 * total)
                gaps_add(job, k, scores[k] / total, z + k * d, gap, m, factors + k * d * d, unit);
    }
    free(room);
    free(gap);
    return 0;
}
