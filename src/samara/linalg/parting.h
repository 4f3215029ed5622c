/* Included by trees.h: the rows of a leaf by the sides of its cut. */

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
    const uint8_t *bins = g->bins + (g->place ? g->place[leaf->column] : leaf->column);
    int64_t kept = lo, moved = lo;
    for (int64_t at = lo; at < hi; at++) {
        int32_t row = g->order[at];
        int right = bins[(int64_t)row * g->stride] > leaf->cut.bin;
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
