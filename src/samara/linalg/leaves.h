/* Included by trees.h for bytes, float and double. */

/* The bin of every value: how many ends of bins of its column lie below it. Some rows at a time, for all columns:
 * they stay in the first cache. */
#ifdef REAL
EACH_GENERATION
void FORM(put_in_bins)(const VALUE *X, int64_t n, int64_t d, int64_t stride, const VALUE *ends,
                       const int64_t *starts, uint8_t *bins) {
    const int64_t some = d < 256 ? 2048 / (d + 1) + 8 : 16;
    for (int64_t lo = 0; lo < n; lo += some)
        for (int64_t j = 0; j < d; j++) {
            const VALUE *from = ends + starts[j];
            const int64_t count = starts[j + 1] - starts[j], hi = lo + some < n ? lo + some : n;
            for (int64_t i = lo; i < hi; i++) {
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

/* The leaf of every row in every tree, (trees, n): leaves are numbered as their nodes are. Rows go down side by side:
 * one alone would wait at each step for what is read. A leaf leads to itself, and kids come after their parents. */
void FORM(find_leaves)(const VALUE *X, int64_t n, int64_t stride, const int64_t *column, const VALUE *cut,
                       const int64_t *kids, const int64_t *roots, int64_t trees, uint8_t *leaves) {
    for (int64_t tree = 0; tree < trees; tree++, leaves += n) {
        const int64_t first = roots[tree], nodes = roots[tree + 1] - first, *own = kids + 2 * first;
        int64_t below[2 * MOST_LEAVES] = {0}, deepest = 0;
        uint8_t names[2 * MOST_LEAVES] = {0}, found = 0;
        for (int64_t node = 0; node < nodes; node++) {
            if (own[2 * node] == node)
                names[node] = found++;
            else
                below[own[2 * node]] = below[own[2 * node + 1]] = below[node] + 1;
            deepest = below[node] > deepest ? below[node] : deepest;
        }
        for (int64_t lo = 0; lo < n; lo += TOGETHER) {
            int64_t at[TOGETHER] = {0}, count = n - lo < TOGETHER ? n - lo : TOGETHER;
            const VALUE *rows = X + lo * stride;
            if (count == TOGETHER)
                for (int64_t step = 0; step < deepest; step++)
                    for (int64_t i = 0; i < TOGETHER; i++)
                        at[i] = own[2 * at[i] + (rows[i * stride + column[first + at[i]]] > cut[first + at[i]])];
            else
                for (int64_t step = 0; step < deepest; step++)
                    for (int64_t i = 0; i < count; i++)
                        at[i] = own[2 * at[i] + (rows[i * stride + column[first + at[i]]] > cut[first + at[i]])];
            for (int64_t i = 0; i < count; i++)
                leaves[lo + i] = names[at[i]];
        }
    }
}
