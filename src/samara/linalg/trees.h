/* Trees over binned inputs. `grow_tree` cuts rows best first: of all leaves the one whose best cut lowers the
 * squared error most is cut next. What a cut would do is read off histograms, sums of weights and targets for each
 * bin of each column; of two halves that of fewer rows is counted, the other is what is left (cuts.h). Two threads
 * (pairs.h) share out columns, and the rows of a leaf that is cut (parting.h). Where most rows have the same bin of a
 * column, the others are listed and counted alone; `draw_listed` takes some columns. `take_step` takes what a tree has
 * found off what the next is grown for (steps.h), `find_leaves` takes rows down a tree (leaves.h), and `add_pairs`
 * counts how often leaves meet in a row: the Gram matrix of their indicators (meetings.h).
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
    const uint8_t *bins;    /* (rows, stride) */
    const double *targets;  /* (rows, outputs) */
    const double *weight;   /* (rows,), or none */
    const int64_t *starts;  /* (columns + 1): where the bins of a column begin among all bins */
    const uint8_t *usual;   /* (columns): a bin of each that most rows have; none where all bins are counted */
    const int64_t *ends;    /* (2·rows + 1): where those of a row's first and second half of columns begin in: */
    const uint32_t *listed; /* the other bins of all rows, each as its number among all bins */
    const int64_t *place;   /* (columns): of each in a row of the bins; none where they are all */
    int64_t n, stride, columns, outputs, leaves, threads;
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
    int64_t run = 0, runs[MOST_BINS + 1];                                                                              \
    for (int64_t b = 0; b < bins; b++)                                                                                 \
        runs[b] = run += cells[b * wide + k];                                                                          \
    for (int64_t b = 0; b < bins; b++) { /* eight at once, where the sums before wait for each other */                \
        int64_t sum = k ? runs[b] : (int64_t)((uint64_t)runs[b] << (64 - SUM_BITS)) >> (64 - SUM_BITS);                \
        sums[b] = (double)sum * g->unit;                                                                               \
        weight[b] = k ? weight[b] : (double)((runs[b] - sum) >> SUM_BITS);                                             \
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

#include "parting.h"

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

/* Of the listed bins of all rows those with a number among the drawn ones; numbers below `half` are of the first half
 * of the columns. */
void draw_listed(int64_t n, int64_t half, const int32_t *number, const int64_t *ends, const uint32_t *listed,
                 int64_t *drawn_ends, uint32_t *drawn) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t early = 0;
        drawn_ends[2 * i] = kept;
        for (int64_t e = ends[2 * i]; e < ends[2 * i + 2]; e++) {
            int32_t new = number[listed[e]];
            drawn[kept] = (uint32_t)new; /* never more than there are */
            kept += new >= 0;
            early += new >= 0 && new < half;
        }
        drawn_ends[2 * i + 1] = drawn_ends[2 * i] + early;
    }
    drawn_ends[2 * n] = kept;
}

#include "steps.h"
#include "meetings.h"
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
