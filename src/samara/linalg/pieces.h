/* Rows with gaps under Gaussian pieces, LANES of them side by side in one register: they share the gaps of a row,
 * so that every step of one is a step of all.
 *
 * Included by gaps.h, once for each number of lanes, with LANES, WIDE and BITS (a number for each lane),
 * ABOVE(x, y) (all bits set where x > y) and LANED(name).
 */
INLINED WIDE LANED(every)(double x) {
    WIDE made;
    for (int l = 0; l < LANES; l++)
        ((double *)&made)[l] = x;
    return made;
}

/* -u of the gaps and z'u of what is there, with u = Pz: `order` has the columns that are there, then the gaps. */
INLINED WIDE LANED(product)(const WIDE *P, int64_t d, const int64_t *order, int64_t there, const WIDE *z, WIDE *u) {
    WIDE distance = LANED(every)(0);
    for (int64_t first = 0; first < d; first += 4) {
        const int64_t rows = d - first < 4 ? d - first : 4, common = first < there ? first : there;
        const WIDE *row[4];
        WIDE sum[4];
        for (int64_t a = 0; a < 4; a++) {
            row[a] = P + order[first + (a < rows ? a : 0)] * d;
            sum[a] = LANED(every)(0);
        }
        for (int64_t b = 0; b < common; b++) { /* four sums at a time: none waits for the other */
            const int64_t j = order[b];
            const WIDE zb = z[b];
            sum[0] += row[0][j] * zb;
            sum[1] += row[1][j] * zb;
            sum[2] += row[2][j] * zb;
            sum[3] += row[3][j] * zb;
        }
        for (int64_t a = 0; a < rows; a++) {
            const int64_t at = first + a, last = at < there ? at : there;
            for (int64_t b = common; b < last; b++)
                sum[a] += row[a][order[b]] * z[b];
            if (at < there) /* P is symmetric: what is above the diagonal counts twice */
                distance += z[at] * (2 * sum[a] + row[a][order[at]] * z[at]);
            else
                u[at - there] = -sum[a];
        }
    }
    return distance;
}

/* A symmetric matrix as LDL', in place, the inverse of D on the diagonal. The determinant is that of mantissas,
 * in [1, 2), times a power of 2: a product of many factors would leave the range of the type. */
INLINED void LANED(factor)(WIDE *A, int64_t m, WIDE *mantissa, BITS *exponent) {
    const WIDE least = LANED(every)(1e-200);
    for (int64_t j = 0; j < m; j++) {
        const BITS large = ABOVE(A[j * m + j], least);
        BITS bits, floor;
        WIDE left;
        memcpy(&bits, &A[j * m + j], sizeof bits);
        memcpy(&floor, &least, sizeof bits);
        bits = (bits & large) | (floor & ~large);
        memcpy(&left, &bits, sizeof bits);
        A[j * m + j] = 1 / left;
        left *= *mantissa;
        memcpy(&bits, &left, sizeof bits);
        *exponent += (bits >> 52) - 1023;
        bits = (bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000;
        memcpy(mantissa, &bits, sizeof bits);
        const WIDE inverse = A[j * m + j];
        for (int64_t i = j + 1; i < m; i++) {
            const WIDE scaled = A[i * m + j] * inverse;
            for (int64_t k = j + 1; k <= i; k++)
                A[i * m + k] -= scaled * A[k * m + j];
        }
        for (int64_t i = j + 1; i < m; i++)
            A[i * m + j] *= inverse;
    }
}

/* inv(L) b, in place; then inv(DL') of it. */
INLINED void LANED(forward)(const WIDE *L, int64_t m, WIDE *b) {
    for (int64_t k = 0; k < m; k++)
        for (int64_t i = k + 1; i < m; i++)
            b[i] -= L[i * m + k] * b[k];
}

INLINED void LANED(backward)(const WIDE *L, int64_t m, WIDE *b) {
    for (int64_t i = 0; i < m; i++)
        b[i] *= L[i * m + i];
    for (int64_t k = m - 1; k > 0; k--)
        for (int64_t i = 0; i < k; i++)
            b[i] -= L[k * m + i] * b[k];
}

/* A row under a few pieces: z with the gaps filled, in the order given, factors, and what the share of a piece is
 * exp(score)/sqrt(mantissa) of. */
INLINED void LANED(under)(const Laid *laid, int64_t group, const double *x, const Order *order, WIDE *z, WIDE *L,
                          WIDE *score, WIDE *mantissa) {
    const int64_t d = laid->d, there = order->there, m = d - there;
    const WIDE *mean = (const WIDE *)laid->means + group * d, *P = (const WIDE *)laid->precisions + group * d * d;
    for (int64_t a = 0; a < there; a++)
        z[a] = x[order->columns[a]] - mean[order->columns[a]];
    WIDE *u = z + there, powers;
    BITS exponent = {0};
    WIDE distance = LANED(product)(P, d, order->columns, there, z, u);
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b <= a; b++)
            L[a * m + b] = P[order->columns[there + a] * d + order->columns[there + b]];
    *mantissa = LANED(every)(1);
    LANED(factor)(L, m, mantissa, &exponent);
    for (int l = 0; l < LANES; l++)
        ((double *)&powers)[l] = (double)((int64_t *)&exponent)[l];
    LANED(forward)(L, m, u);
    for (int64_t a = 0; a < m; a++)
        distance -= u[a] * u[a] * L[a * m + a];
    LANED(backward)(L, m, u);
    *score = ((const WIDE *)laid->offsets)[group] - 0.5 * (distance + 0.6931471805599453 * powers);
}
