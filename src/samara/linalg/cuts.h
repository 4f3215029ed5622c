/* Included by trees.h for sums of whole numbers and of doubles: CELL is one of either.
 *
 * A histogram has WIDE(outputs) cells for each bin. Of whole numbers the first holds the sum of one target in its
 * lower 44 bits and above them the number of rows; of doubles it is the weight, and all targets follow.
 */

/* The cells of some rows, added up over their bins. */
static inline __attribute__((always_inline)) void FORM(add_rows)(const Growth *g, const int32_t *order, int64_t n,
                                                                 int64_t from, int64_t to, int64_t wide,
                                                                 CELL *histogram) {
    const int64_t *starts = g->starts;
    const CELL *cells = g->cells;
    for (int64_t at = 0; at < n; at++) {
        const uint8_t *bins = g->bins + (int64_t)order[at] * g->stride;
        const CELL *own = cells + (int64_t)order[at] * wide;
        for (int64_t j = from; j < to; j++) {
            CELL *cell = histogram + wide * (starts[j] + bins[j]);
            for (int64_t k = 0; k < wide; k++)
                cell[k] += own[k];
        }
    }
}

/* The same where most rows have the usual bin of a column: the others are listed, and it has what is left of all. */
static inline __attribute__((always_inline)) void FORM(add_listed)(const Growth *g, const int32_t *order, int64_t n,
                                                                   int64_t from, int64_t to, int64_t wide,
                                                                   CELL *histogram) {
    const CELL *cells = g->cells;
    CELL all[wide];
    memset(all, 0, sizeof all);
    for (int64_t at = 0; at < n; at++) {
        const CELL *own = cells + (int64_t)order[at] * wide;
        const int64_t *ends = g->ends + 2 * (int64_t)order[at] + (from > 0);
        for (int64_t k = 0; k < wide; k++)
            all[k] += own[k];
        for (int64_t e = ends[0]; e < ends[1]; e++)
            for (int64_t k = 0; k < wide; k++)
                histogram[wide * g->listed[e] + k] += own[k];
    }
    for (int64_t j = from; j < to; j++) {
        CELL *own = histogram + wide * g->starts[j], *usual = own + wide * g->usual[j];
        for (int64_t k = 0; k < wide; k++) {
            CELL rest = all[k];
            for (int64_t b = 0; b < g->starts[j + 1] - g->starts[j]; b++)
                rest -= own[b * wide + k];
            usual[k] = rest;
        }
    }
}

static inline __attribute__((always_inline)) void FORM(count)(const Growth *g, const Split *split, int64_t from,
                                                              int64_t to, int64_t wide) {
    if (g->listed)
        FORM(add_listed)(g, split->order, split->n, from, to, wide, split->part);
    else
        FORM(add_rows)(g, split->order, split->n, from, to, wide, split->part);
}

/* How a leaf is best cut by one column: cells are added up from the left, and what each end of a bin would gain is
 * worked out for all ends at once. */
EACH_GENERATION
static Cut FORM(best_of_column)(const Growth *g, const CELL *cells, int64_t bins) {
    double weight[MOST_BINS + 1], one[MOST_BINS + 1], other[MOST_BINS + 1], sums[MOST_BINS + 1];
    const int64_t wide = WIDE(g->outputs);
    Cut best = {-INFINITY, 0};
    double whole = 0, last = 0;
    for (int64_t b = 0; b < bins; b++)
        weight[b] = one[b] = other[b] = 0;
    for (int64_t k = 0; k < g->outputs; k++) {
        SUM_UP
        double total = sums[bins - 1];
        for (int64_t b = 0; b < bins; b++) {
            one[b] += sums[b] * sums[b];
            other[b] += (total - sums[b]) * (total - sums[b]);
        }
        whole += total * total;
    }
    last = weight[bins - 1];
    whole /= last + g->damping;
    for (int64_t b = 0; b < bins; b++) {
        double rest = last - weight[b];
        double here = weight[b] + g->damping, there = rest + g->damping;
        double gain = (one[b] * there + other[b] * here) / (here * there) - whole; /* one division for two */
        one[b] = weight[b] >= g->least && rest >= g->least ? gain : -INFINITY;
    }
    for (int64_t b = 0; b + 1 < bins; b++)
        best.gain = one[b] > best.gain ? one[b] : best.gain;
    double enough = best.gain > 0 ? best.gain / LEAD : best.gain;
    while (best.bin + 1 < bins && one[best.bin] < enough) /* the first of those as good */
        best.bin++;
    return best;
}

/* Columns `from` to `to` of a cut: the side of fewer rows is counted, the other is what is left of both; then how
 * either is best cut. */
EACH_GENERATION
static void FORM(look_at_columns)(const Growth *g, const Split *split, int64_t from, int64_t to) {
    const int64_t wide = WIDE(g->outputs), lo = wide * g->starts[from], hi = wide * g->starts[to];
    CELL *part = split->part, *both = split->both;
    if (from == to)
        return;
    memset(part + lo, 0, sizeof(CELL) * (size_t)(hi - lo));
    if (wide == 1)
        FORM(count)(g, split, from, to, 1);
    else if (wide == 2)
        FORM(count)(g, split, from, to, 2);
    else
        FORM(count)(g, split, from, to, wide);
    if (both)
        for (int64_t at = lo; at < hi; at++)
            both[at] -= part[at];
    for (int64_t j = from; j < to; j++) {
        const int64_t bins = g->starts[j + 1] - g->starts[j];
        split->cuts[0][j] = split->looked[0] && bins > 1 ? FORM(best_of_column)(g, part + wide * g->starts[j], bins) : NONE;
        split->cuts[1][j] = split->looked[1] && bins > 1 ? FORM(best_of_column)(g, both + wide * g->starts[j], bins) : NONE;
    }
}
