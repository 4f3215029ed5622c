/* Included by trees.h for bytes, float and double. */

/* The bin of every value: how many ends of bins of its column lie below it. */
#ifdef REAL
EACH_GENERATION
void FORM(put_in_bins)(const VALUE *X, int64_t n, int64_t d, int64_t stride, const VALUE *ends,
                       const int64_t *starts, uint8_t *bins) {
    for (int64_t j = 0; j < d; j++) {
        const VALUE *from = ends + starts[j];
        int64_t count = starts[j + 1] - starts[j];
        for (int64_t i = 0; i < n; i++) {
            VALUE x = X[i * stride + j];
            int64_t low = 0, left = count;
            while (left > 0) { /* half of what is left, without a jump */
                int64_t half = left / 2;
                int above = x > from[low + half];
                low += above ? half + 1 : 0;
                left = above ? left - half - 1 : half;
            }
            bins[i * d + j] = (uint8_t)low;
        }
    }
}
#endif

/* The leaf of every row, as the number in ``names`` of the node it ends at. Rows go down side by side: one alone
 * would wait at each step for what is read. A leaf leads to itself. */
void FORM(find_leaves)(const VALUE *X, int64_t n, int64_t stride, const int64_t *column, const VALUE *cut,
                       const int64_t *kids, const uint8_t *names, int64_t depth, uint8_t *leaves) {
    for (int64_t lo = 0; lo < n; lo += TOGETHER) {
        int64_t at[TOGETHER] = {0}, count = n - lo < TOGETHER ? n - lo : TOGETHER;
        const VALUE *rows = X + lo * stride;
        if (count == TOGETHER)
            for (int64_t step = 0; step < depth; step++)
                for (int64_t i = 0; i < TOGETHER; i++)
                    at[i] = kids[2 * at[i] + (rows[i * stride + column[at[i]]] > cut[at[i]])];
        else
            for (int64_t step = 0; step < depth; step++)
                for (int64_t i = 0; i < count; i++)
                    at[i] = kids[2 * at[i] + (rows[i * stride + column[at[i]]] > cut[at[i]])];
        for (int64_t i = 0; i < count; i++)
            leaves[lo + i] = names[at[i]];
    }
}
