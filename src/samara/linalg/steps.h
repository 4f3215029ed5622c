/* Included by trees.h: what a tree leaves for the next one. */

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
