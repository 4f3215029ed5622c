/* Trees over binned inputs. `grow_tree` cuts some rows best first: of all leaves the one whose best cut lowers the
 * squared error most is cut next. What a cut would do is read off histograms, sums of weights and targets for each
 * bin of each column; of two halves that of fewer rows is counted, the other is what is left. `find_leaves` takes
 * rows down a tree, and `add_pairs` counts how often leaves of different trees meet in a row: the Gram matrix of
 * their indicators. Nothing here depends on the precision of the inputs but the two forms of `find_leaves`.
 */
#ifndef REAL

#define LEAD (1 + 1e-10) /* by which a cut is better than one before, and not by rounding alone */
enum { DEEPEST = 24, TOGETHER = 8, MOST_LEAVES = 64 };

typedef struct {
    const uint8_t *bins;     /* (rows, columns) */
    const double *sums;      /* (rows, 1 + outputs): weight, weight times each target */
    const int64_t *starts;   /* (columns + 1): where the bins of a column begin among all bins */
    const int64_t *chosen;   /* columns that may be cut */
    int32_t *order;          /* numbers of the rows to grow on; brought into the order of the leaves */
    int64_t n, columns, n_chosen, outputs, leaves;
    double least, damping;   /* weight of a leaf at least; added to the weight of each */
    double slightest;        /* gain that a cut must exceed */
    int64_t *column, *kids;  /* (2·leaves − 1), twice as many kids; a leaf is its own */
    uint8_t *cut;            /* a bin above goes to the second kid */
} Growth;

typedef struct {
    int64_t lo, hi, node, depth, column, cut;
    double gain;
    double *histogram;
} Leaf;

static void count_rows(const Growth *g, const Leaf *leaf) {
    int64_t wide = 1 + g->outputs, all = g->starts[g->columns];
    memset(leaf->histogram, 0, sizeof(double) * (size_t)(all * wide));
    for (int64_t at = leaf->lo; at < leaf->hi; at++) {
        const uint8_t *bins = g->bins + g->order[at] * g->columns;
        const double *sums = g->sums + g->order[at] * wide;
        if (wide == 2) { /* one target: what is written out takes half the time */
            double weight = sums[0], target = sums[1];
            for (int64_t c = 0; c < g->n_chosen; c++) {
                int64_t j = g->chosen[c];
                double *cell = leaf->histogram + 2 * (g->starts[j] + bins[j]);
                cell[0] += weight;
                cell[1] += target;
            }
            continue;
        }
        for (int64_t c = 0; c < g->n_chosen; c++) {
            int64_t j = g->chosen[c];
            double *cell = leaf->histogram + wide * (g->starts[j] + bins[j]);
            for (int64_t k = 0; k < wide; k++)
                cell[k] += sums[k];
        }
    }
}

/* What squares of sums divided by weights gain most when the leaf is cut; no column where no cut is allowed. */
static void best_cut(const Growth *g, Leaf *leaf, double *room) {
    int64_t wide = 1 + g->outputs;
    double *total = room, *left = room + wide;
    leaf->gain = g->slightest;
    leaf->column = -1;
    if (leaf->depth >= DEEPEST || !g->n_chosen)
        return;
    int64_t first = g->chosen[0];
    memset(total, 0, sizeof(double) * (size_t)wide);
    for (int64_t b = g->starts[first]; b < g->starts[first + 1]; b++)
        for (int64_t k = 0; k < wide; k++)
            total[k] += leaf->histogram[b * wide + k];
    double whole = 0;
    for (int64_t k = 1; k < wide; k++)
        whole += total[k] * total[k];
    whole /= total[0] + g->damping;
    for (int64_t c = 0; c < g->n_chosen; c++) {
        int64_t j = g->chosen[c];
        memset(left, 0, sizeof(double) * (size_t)wide);
        for (int64_t b = g->starts[j]; b + 1 < g->starts[j + 1]; b++) {
            const double *cell = leaf->histogram + b * wide;
            if (cell[0] == 0) /* an empty bin: the cut before it is the same */
                continue;
            double one = 0, other = 0;
            left[0] += cell[0];
            for (int64_t k = 1; k < wide; k++) {
                left[k] += cell[k];
                one += left[k] * left[k];
                other += (total[k] - left[k]) * (total[k] - left[k]);
            }
            double rest = total[0] - left[0];
            if (left[0] < g->least)
                continue;
            if (rest < g->least)
                break;
            double gain = one / (left[0] + g->damping) + other / (rest + g->damping) - whole;
            if (gain > leaf->gain * LEAD) {
                leaf->gain = gain;
                leaf->column = j;
                leaf->cut = b - g->starts[j];
            }
        }
    }
}

/* The rows of a leaf by the sides of its cut, in their order; where the second side begins. */
static int64_t part_rows(const Growth *g, const Leaf *leaf, int32_t *spare) {
    int64_t kept = leaf->lo, moved = 0;
    for (int64_t at = leaf->lo; at < leaf->hi; at++) {
        int32_t row = g->order[at];
        int right = g->bins[row * g->columns + leaf->column] > leaf->cut;
        spare[moved] = row;
        g->order[kept] = row;
        moved += right;
        kept += !right;
    }
    memcpy(g->order + kept, spare, sizeof(int32_t) * (size_t)moved);
    return kept;
}

static void make_leaf(const Growth *g, int64_t node) {
    g->column[node] = 0;
    g->cut[node] = 255;
    g->kids[2 * node] = g->kids[2 * node + 1] = node;
}

/* Cut a leaf in two; the new leaf takes the second half. */
static void cut_leaf(const Growth *g, Leaf *old, Leaf *fresh, int64_t nodes, int32_t *spare, double *room) {
    int64_t wide = 1 + g->outputs, all = wide * g->starts[g->columns], middle = part_rows(g, old, spare);
    g->column[old->node] = old->column;
    g->cut[old->node] = (uint8_t)old->cut;
    g->kids[2 * old->node] = nodes;
    g->kids[2 * old->node + 1] = nodes + 1;
    *fresh = (Leaf){middle, old->hi, nodes + 1, old->depth + 1, 0, 0, 0, fresh->histogram};
    old->hi = middle;
    old->node = nodes;
    old->depth++;
    make_leaf(g, nodes);
    make_leaf(g, nodes + 1);
    Leaf *fewer = old->hi - old->lo < fresh->hi - fresh->lo ? old : fresh, *more = fewer == old ? fresh : old;
    /* The histogram of both becomes that of the larger half. */
    double *both = old->histogram, *part = fresh->histogram;
    fewer->histogram = part;
    more->histogram = both;
    count_rows(g, fewer);
    for (int64_t at = 0; at < all; at++)
        both[at] -= part[at];
    best_cut(g, old, room);
    best_cut(g, fresh, room);
}

/* The number of leaves that were made, 0 where there is no room. */
int64_t grow_tree(const Growth *g) {
    int64_t wide = 1 + g->outputs, all = wide * g->starts[g->columns], made = 1, nodes = 1;
    Leaf *leaves = malloc(sizeof(Leaf) * (size_t)g->leaves);
    double *histograms = malloc(sizeof(double) * (size_t)(all * g->leaves + 1)); /* of no columns, too */
    double *room = malloc(sizeof(double) * (size_t)(2 * wide));
    int32_t *spare = malloc(sizeof(int32_t) * (size_t)(g->n + 1));
    if (leaves && histograms && room && spare) {
        leaves[0] = (Leaf){0, g->n, 0, 0, 0, 0, 0, histograms};
        make_leaf(g, 0);
        count_rows(g, leaves);
        best_cut(g, leaves, room);
        for (; made < g->leaves; made++, nodes += 2) {
            Leaf *best = NULL;
            for (int64_t at = 0; at < made; at++)
                if (leaves[at].column >= 0 && (!best || leaves[at].gain > best->gain * LEAD))
                    best = leaves + at;
            if (!best)
                break;
            leaves[made].histogram = histograms + all * made;
            cut_leaf(g, best, leaves + made, nodes, spare, room);
        }
    } else
        made = 0;
    free(leaves);
    free(histograms);
    free(room);
    free(spare);
    return made;
}

/* How often leaves meet: for trees a < b and leaves p, q of theirs, the weights of the rows in both. A leaf is a
 * byte; leaf p of tree a has the number starts[a] + p, which is its row and column in the upper triangle of ``gram``. */
void add_pairs(const uint8_t *leaves, const double *weight, int64_t n, int64_t trees, const int64_t *starts,
               double *gram, int64_t stride) {
    for (int64_t a = 0; a < trees; a++)
        for (int64_t b = a + 1; b < trees; b++) {
            const uint8_t *one = leaves + a * n, *other = leaves + b * n;
            int64_t high = starts[a + 1] - starts[a], wide = starts[b + 1] - starts[b];
            double *corner = gram + starts[a] * stride + starts[b];
            if (weight) {
                for (int64_t i = 0; i < n; i++)
                    corner[one[i] * stride + other[i]] += weight[i];
                continue;
            }
            int32_t counts[2][MOST_LEAVES][MOST_LEAVES];
            memset(counts, 0, sizeof counts);
            /* Two tables, in turn: rows of one leaf often follow each other, and would wait. */
            for (int64_t i = 0; i + 1 < n; i += 2) {
                counts[0][one[i]][other[i]]++;
                counts[1][one[i + 1]][other[i + 1]]++;
            }
            if (n % 2)
                counts[0][one[n - 1]][other[n - 1]]++;
            for (int64_t p = 0; p < high; p++)
                for (int64_t q = 0; q < wide; q++)
                    corner[p * stride + q] += counts[0][p][q] + counts[1][p][q];
        }
}

#define VALUE uint8_t
#define FORM(x) x##_bins
#include "leaves.h"
#undef VALUE
#undef FORM

#else

#define VALUE REAL
#define FORM(x) NAME(x)
#include "leaves.h"
#undef VALUE
#undef FORM

#endif
