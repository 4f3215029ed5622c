/* Included by trees.h: the products of leaves as zeros and ones. */

/* How often leaves meet: for trees a < b and leaves p, q of theirs, the weights of the rows in both. A leaf is a
 * byte; leaf p of tree a has the number starts[a] + p, which is its row and column in the upper triangle of ``gram``.
 * Done for the trees a from `first` to `last`. */
void add_pairs(const uint8_t *leaves, const double *weight, int64_t n, int64_t trees, int64_t first, int64_t last,
               const int64_t *starts, double *gram, int64_t stride) {
    enum { ROWS = 8192, TABLES = 4 }; /* what is read and counted stays in the first cache */
    int64_t most = 0;
    for (int64_t a = 0; a < trees; a++)
        most = starts[a + 1] - starts[a] > most ? starts[a + 1] - starts[a] : most;
    const int64_t step = most <= 32 ? 32 : 64;
    uint16_t counts[TABLES][MOST_LEAVES * MOST_LEAVES], base[ROWS];
    for (int64_t lo = 0; lo < n; lo += ROWS)
        for (int64_t a = first; a < last; a++) {
            const int64_t rows = n - lo < ROWS ? n - lo : ROWS, high = starts[a + 1] - starts[a];
            for (int64_t i = 0; i < rows; i++)
                base[i] = (uint16_t)(leaves[a * n + lo + i] * step);
            for (int64_t b = a + 1; b < trees; b++) {
                const uint8_t *other = leaves + b * n + lo;
                const int64_t wide = starts[b + 1] - starts[b];
                double *corner = gram + starts[a] * stride + starts[b];
                if (weight) {
                    for (int64_t i = 0; i < rows; i++)
                        corner[base[i] / step * stride + other[i]] += weight[lo + i];
                    continue;
                }
                for (int64_t table = 0; table < TABLES; table++)
                    memset(counts[table], 0, sizeof(uint16_t) * (size_t)(high * step));
                /* Tables in turn: rows of one leaf often follow each other, and would wait. */
                int64_t i = 0;
                for (; i + TABLES <= rows; i += TABLES)
                    for (int64_t table = 0; table < TABLES; table++)
                        counts[table][base[i + table] + other[i + table]]++;
                for (; i < rows; i++)
                    counts[0][base[i] + other[i]]++;
                for (int64_t p = 0; p < high; p++)
                    for (int64_t q = 0; q < wide; q++) {
                        int64_t at = p * step + q;
                        corner[p * stride + q] +=
                            (double)(counts[0][at] + counts[1][at] + counts[2][at] + counts[3][at]);
                    }
            }
        }
}
