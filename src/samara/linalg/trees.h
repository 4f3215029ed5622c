/* Trees over binned inputs. `grow_tree` cuts rows best first: of all leaves the one whose best cut lowers the
 * squared error most is cut next. What a cut would do is read off histograms, sums of weights and targets for each
 * bin of each column; of two halves that of fewer rows is counted, the other is what is left (cuts.h). Columns are
 * shared out between two threads (pairs.h). `take_step` takes what a tree has found off what the next one is grown
 * for, `find_leaves` takes rows down a tree, and `add_pairs` counts how often leaves of different trees meet in a
 * row: the Gram matrix of their indicators. Nothing here depends on the precision of the inputs but the two forms
 * of `find_leaves`.
 */
#ifndef REAL

#define LEAD (1 + 1e-10) /* by which a cut is better than one before, and not by rounding alone */
enum { DEEPEST = 24, TOGETHER = 8, MOST_LEAVES = 64, MOST_BINS = 255 };
/* Targets are rounded to so many bits of the largest, so that their sums are exact in any order; 2^18 rows of
 * them fill 44 bits with their sign, and the number of rows fits above. Of more rows each has a weight of 1. */
enum { TARGET_BITS = 24, SUM_BITS = 44 };
enum { WORTH_SHARING = 4096 };   /* bins to look at or rows to part: some 4 us, and handing over takes one */
enum { WORTH_A_THREAD = 16384 }; /* bins of all rows: some 20 us, what starting one takes */

typedef struct {
    double gain;
    int64_t bin;
} Cut;

static const Cut NONE = {-INFINITY, 0};

typedef struct {
    const uint8_t *bins;    /* (rows, columns) */
    const double *targets;  /* (rows, outputs) */
    const double *weight;   /* (rows,), or none */
    const int64_t *starts;  /* (columns + 1): where the bins of a column begin among all bins */
    int64_t n, columns, outputs, leaves, threads;
    double least, damping;  /* weight of a leaf at least; added to the weight of each */
    double slightest;       /* share of the targets' squares that a cut must gain */
    int64_t *column, *kids; /* (2·leaves − 1), twice as many kids; a leaf is its own */
    uint8_t *cut;           /* a bin above goes to the second kid */
    uint8_t *found;         /* (rows,): the leaf of each */
    /* Made here. */
    Pair *pair;
    Cut *cuts;              /* room: of each column, for both sides of a cut */
    void *cells;            /* what a row adds to its bins: whole numbers (rows, outputs), or (rows, 1 + outputs) */
    double unit;            /* of the whole numbers */
    int32_t *order, *spare; /* rows in the order of the leaves */
} Growth;

typedef struct {
    int64_t lo, hi, node, depth, column;
    double weight;
    Cut cut;
    void *histogram;
} Leaf;

typedef struct {
    const Growth *growth;
    const int32_t *order; /* the rows to count */
    int64_t n;
    void *part, *both;    /* histograms of these rows, and of both sides, which becomes that of the other side */
    int looked[2];        /* whether a cut of these rows, and of the others, is looked for */
    Cut *cuts[2];         /* of each column */
} Split;

#define CELL int64_t
#define FORM(x) x##_whole
#define WIDE(outputs) (outputs)
#define SUM_UP                                                                                                         \
    int64_t run = 0, sum;                                                                                              \
    for (int64_t b = 0; b < bins; b++) {                                                                               \
        run += cells[b * wide + k];                                                                                    \
        sum = k ? run : (int64_t)((uint64_t)run << (64 - SUM_BITS)) >> (64 - SUM_BITS);                                \
        sums[b] = (double)sum * g->unit;                                                                               \
        if (!k)                                                                                                        \
            weight[b] = (double)((run - sum) >> SUM_BITS);                                                             \
    }
#include "cuts.h"
#undef CELL
#undef FORM
#undef WIDE
#undef SUM_UP

#define CELL double
#define FORM(x) x##_real
#define WIDE(outputs) (1 + (outputs))
#define SUM_UP                                                                                                         \
    double run = 0, heavy = 0;                                                                                         \
    for (int64_t b = 0; b < bins; b++) {                                                                               \
        sums[b] = run += cells[b * wide + 1 + k];                                                                      \
        weight[b] = heavy += cells[b * wide];                                                                          \
    }
#include "cuts.h"
#undef CELL
#undef FORM
#undef WIDE
#undef SUM_UP

/* Columns of a cut, half of them each. */
static void look_at_half(void *job, int half) {
    const Split *split = job;
    const Growth *g = split->growth;
    int64_t middle = (g->columns + 1) / 2;
    (g->weight ? look_at_columns_real : look_at_columns_whole)(g, split, half ? middle : 0,
                                                                half ? g->columns : middle);
}

/* Rows as whole numbers, or weighed; the squares of all targets. */
static double fill_cells(Growth *g) {
    double most = 0, squares = 0;
    int64_t all = g->n * g->outputs, *whole = g->cells;
    double *real = g->cells;
    int exponent = 0;
    for (int64_t at = 0; at < all; at++)
        if (!g->weight || g->weight[at / g->outputs] > 0)
            most = fabs(g->targets[at]) > most ? fabs(g->targets[at]) : most;
    frexp(most, &exponent);
    double scale = ldexp(1, TARGET_BITS - exponent);
    g->unit = 1 / scale;
    for (int64_t i = 0; i < g->n; i++) {
        if (g->weight)
            *real++ = g->weight[i];
        for (int64_t k = 0; k < g->outputs; k++) {
            double rounded = rint(g->targets[i * g->outputs + k] * scale), value = rounded * g->unit;
            squares += value * value * (g->weight ? g->weight[i] : 1);
            if (g->weight)
                *real++ = value * g->weight[i];
            else
                *whole++ = (int64_t)rounded + (k ? 0 : (int64_t)1 << SUM_BITS);
        }
    }
    return squares;
}

/* The best of the cuts of all columns, the first of equals. */
static void choose(const Growth *g, Leaf *leaf, const Cut *cuts) {
    leaf->cut = (Cut){g->slightest, 0};
    for (int64_t j = 0; j < g->columns; j++)
        if (cuts[j].gain > leaf->cut.gain * LEAD) {
            leaf->cut = cuts[j];
            leaf->column = j;
        }
}

static double weight_of(const Growth *g, const Leaf *leaf) {
    double sum = 0;
    if (!g->weight)
        return (double)(leaf->hi - leaf->lo);
    for (int64_t at = leaf->lo; at < leaf->hi; at++)
        sum += g->weight[g->order[at]];
    return sum;
}

typedef struct {
    const Growth *growth;
    const Leaf *leaf;
    int64_t middle, kept[2]; /* where the second half of the rows begins; how many of each half stay */
} Parting;

/* Half of a leaf's rows by the sides of its cut, in their order: those of the first side where they were, the others
 * set aside. */
static void part_half(void *job, int half) {
    Parting *parting = job;
    const Growth *g = parting->growth;
    const Leaf *leaf = parting->leaf;
    const int64_t lo = half ? parting->middle : leaf->lo, hi = half ? leaf->hi : parting->middle;
    int64_t kept = lo, moved = lo;
    for (int64_t at = lo; at < hi; at++) {
        int32_t row = g->order[at];
        int right = g->bins[(int64_t)row * g->columns + leaf->column] > leaf->cut.bin;
        g->spare[moved] = row;
        g->order[kept] = row;
        moved += right;
        kept += !right;
    }
    parting->kept[half] = kept - lo;
}

/* The rows of a leaf by the sides of its cut; where the second side begins. */
static int64_t part_rows(const Growth *g, const Leaf *leaf) {
    Parting parting = {g, leaf, leaf->lo + (leaf->hi - leaf->lo) / 2, {0, 0}};
    share(g->pair, part_half, &parting, leaf->hi - leaf->lo >= WORTH_SHARING);
    const int64_t *kept = parting.kept, middle = parting.middle, size = sizeof(int32_t);
    int64_t gone = middle - leaf->lo - kept[0], right = leaf->lo + kept[0] + kept[1];
    memmove(g->order + leaf->lo + kept[0], g->order + middle, (size_t)(kept[1] * size));
    memcpy(g->order + right, g->spare + leaf->lo, (size_t)(gone * size));
    memcpy(g->order + right + gone, g->spare + middle, (size_t)((leaf->hi - middle - kept[1]) * size));
    return right;
}

static void make_leaf(const Growth *g, int64_t node) {
    g->column[node] = 0;
    g->cut[node] = 255;
    g->kids[2 * node] = g->kids[2 * node + 1] = node;
}

/* A leaf that could be cut: deep and light ones can't. */
static int may_be_cut(const Growth *g, const Leaf *leaf) {
    return leaf->depth < DEEPEST && leaf->weight >= 2 * g->least;
}

/* What cuts of some rows and of the others would gain, and the best of each. */
static void look_at_both(const Growth *g, Leaf *few, Leaf *many, Split split) {
    split.growth = g;
    split.order = g->order + few->lo;
    split.n = few->hi - few->lo;
    split.cuts[0] = g->cuts;
    split.cuts[1] = g->cuts + g->columns;
    share(g->pair, look_at_half, &split, split.n * g->columns + g->starts[g->columns] >= WORTH_SHARING);
    choose(g, few, split.cuts[0]);
    if (many)
        choose(g, many, split.cuts[1]);
}

/* Cut a leaf in two; the new leaf takes the second half. Only where more leaves are to come are its cuts of use. */
static void cut_leaf(const Growth *g, Leaf *old, Leaf *fresh, int64_t nodes, int more) {
    int64_t middle = part_rows(g, old);
    g->column[old->node] = old->column;
    g->cut[old->node] = (uint8_t)old->cut.bin;
    g->kids[2 * old->node] = nodes;
    g->kids[2 * old->node + 1] = nodes + 1;
    *fresh = (Leaf){middle, old->hi, nodes + 1, old->depth + 1, -1, 0, NONE, fresh->histogram};
    old->hi = middle;
    old->node = nodes;
    old->depth++;
    old->column = -1;
    make_leaf(g, nodes);
    make_leaf(g, nodes + 1);
    old->weight = weight_of(g, old);
    fresh->weight = weight_of(g, fresh);
    /* The histogram of both becomes that of the larger half. */
    Leaf *few = old->hi - old->lo < fresh->hi - fresh->lo ? old : fresh, *many = few == old ? fresh : old;
    void *both = old->histogram, *part = fresh->histogram;
    few->histogram = part;
    many->histogram = both;
    Split split = {.part = part, .both = both, .looked = {may_be_cut(g, few), may_be_cut(g, many)}};
    if (more && (split.looked[0] || split.looked[1]))
        look_at_both(g, few, many, split);
}

/* Leaves are numbered as their nodes are. */
static void name_rows(const Growth *g, const Leaf *leaves, int64_t made) {
    for (int64_t p = 0; p < made; p++) {
        int name = 0;
        for (int64_t q = 0; q < made; q++)
            name += leaves[q].node < leaves[p].node;
        for (int64_t at = leaves[p].lo; at < leaves[p].hi; at++)
            g->found[g->order[at]] = (uint8_t)name;
    }
}

static int64_t grow(Growth *g, Leaf *leaves, char *histograms) {
    int64_t all = sizeof(double) * (size_t)((g->outputs + !!g->weight) * g->starts[g->columns]), made = 1, nodes = 1;
    g->slightest *= fill_cells(g);
    for (int64_t i = 0; i < g->n; i++)
        g->order[i] = (int32_t)i;
    leaves[0] = (Leaf){0, g->n, 0, 0, -1, 0, NONE, histograms};
    leaves[0].weight = weight_of(g, leaves);
    make_leaf(g, 0);
    if (g->leaves > 1 && g->outputs && g->columns && may_be_cut(g, leaves))
        look_at_both(g, leaves, NULL, (Split){.part = histograms, .looked = {1, 0}});
    for (; made < g->leaves; made++, nodes += 2) {
        Leaf *best = NULL;
        for (int64_t at = 0; at < made; at++)
            if (leaves[at].column >= 0 && (!best || leaves[at].cut.gain > best->cut.gain * LEAD))
                best = leaves + at;
        if (!best)
            break;
        leaves[made].histogram = histograms + all * made;
        cut_leaf(g, best, leaves + made, nodes, made + 1 < g->leaves);
    }
    name_rows(g, leaves, made);
    return made;
}

/* The number of leaves that were made, 0 where there is no room. */
int64_t grow_tree(Growth *g) {
    int64_t wide = g->outputs + !!g->weight, made = 0;
    Leaf *leaves = malloc(sizeof(Leaf) * (size_t)g->leaves);
    char *histograms = malloc(sizeof(double) * (size_t)(wide * g->starts[g->columns] * g->leaves + 1));
    g->cuts = malloc(sizeof(Cut) * (size_t)(2 * g->columns + 1));
    g->cells = malloc(sizeof(double) * (size_t)(wide * g->n + 1));
    g->order = malloc(sizeof(int32_t) * (size_t)(2 * g->n + 1));
    if (leaves && histograms && g->cuts && g->cells && g->order) {
        Pair pair;
        g->pair = &pair;
        g->spare = g->order + g->n;
        begin_pair(&pair, g->threads > 1 && g->n * g->columns >= WORTH_A_THREAD);
        made = grow(g, leaves, histograms);
        end_pair(&pair);
    }
    free(leaves);
    free(histograms);
    free(g->cuts);
    free(g->cells);
    free(g->order);
    return made;
}

typedef struct {
    const uint8_t *leaves; /* (rows,) */
    const double *weight;  /* (rows,), or none */
    double *left, *odds;   /* (rows, outputs); odds are those against a class, none where targets are numbers */
    int64_t n, outputs, n_leaves;
    double rate, damping, most; /* most: how far a leaf may move the logarithm of odds, before the rate */
} Step;

/* What a tree has found is taken off what is left, times the rate. Of numbers it is the mean of a leaf. Of classes,
 * where `left` is 1 or 0 less the chance of the class, it is Newton's step: the sum of what is left by that of
 * p(1 − p). Adding a number to a logarithm of odds is multiplying the odds by its exponential, one a leaf. */
int take_step(const Step *s) {
    int64_t wide = s->n_leaves * s->outputs;
    double *sums = calloc((size_t)(2 * wide + 1), sizeof(double)), *heavy = sums + wide;
    if (!sums)
        return 1;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->outputs; k++) {
            double w = s->weight ? s->weight[i] : 1, left = s->left[i * s->outputs + k];
            sums[s->leaves[i] * s->outputs + k] += w * left;
            heavy[s->leaves[i] * s->outputs + k] += s->odds ? w * fabs(left) * (1 - fabs(left)) : w;
        }
    for (int64_t at = 0; at < wide; at++) {
        sums[at] = sums[at] / (heavy[at] + s->damping);
        if (s->odds) {
            sums[at] = sums[at] > s->most ? s->most : sums[at] < -s->most ? -s->most : sums[at];
            sums[at] = exp(-s->rate * sums[at]);
        }
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->outputs; k++) {
            double *left = s->left + i * s->outputs + k, by = sums[s->leaves[i] * s->outputs + k];
            if (!s->odds) {
                *left -= s->rate * by;
                continue;
            }
            double *odds = s->odds + i * s->outputs + k, raised = *odds * by;
            *odds = raised < 1e-300 ? 1e-300 : raised > 1e300 ? 1e300 : raised;
            *left = (*left > 0 ? *odds : -1) / (1 + *odds);
        }
    free(sums);
    return 0;
}

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
