/* Outputs of a block, h(x)'coef + intercept, without its hidden rows.
 *
 * Included by kernels.c, before and then once for each precision. Where nodes.h multiplies by itself, a panel of
 * four rows is multiplied with the coefficients as soon as it is active, in the first cache: writing and reading
 * a block of 1000 nodes took longer than its product with 50 inputs. A row's sums are the same to the bit
 * whatever rows come with it. Elsewhere a tile of hidden rows stays in the second cache.
 */
#ifndef REAL

enum { FEW_TARGETS = 16 }; /* from here on SciPy's product of a tile is as fast, in float32 faster */
enum { SUMS = 1 << 18 };   /* bytes of unfinished sums: a vector a row and target, in the second cache */
enum { SCALED = 1 << 20 }; /* bytes of scaled rows, beside them; the weights are packed anew for each so many */
enum { DONE, NO_ROOM, NOT_FINITE };

/* Whether all inputs are numbers: without its sign, the bits of infinity or NaN are more than those of any. */
EACH_GENERATION
static int finite(const Job *job, int64_t top, int64_t rows) {
    uint64_t most = 0;
    uint32_t most_single = 0;
    for (int64_t i = top; i < top + rows; i++)
        if (job->input_is_double) {
            const double *x = (const double *)job->inputs + i * job->input_stride;
            for (int64_t j = 0; j < job->d; j++) {
                uint64_t bits;
                memcpy(&bits, x + j, sizeof bits);
                most = bits << 1 > most ? bits << 1 : most;
            }
        } else {
            const float *x = (const float *)job->inputs + i * job->input_stride;
            for (int64_t j = 0; j < job->d; j++) {
                uint32_t bits;
                memcpy(&bits, x + j, sizeof bits);
                most_single = bits << 1 > most_single ? bits << 1 : most_single;
            }
        }
    return most < (uint64_t)0x7FF << 53 && most_single < (uint32_t)0xFF << 24;
}

#else

/* Adds what the packed nodes give to the sums of a strip of up to four rows: a vector for each row and target. */
EACH_GENERATION
static void NAME(strip_of_sums)(const Job *job, const REAL *scaled, int64_t rows, int64_t cols,
                                const REAL *packed, NAME(Vector) *sum) {
    NAME(Vector) z[STRIP][4];
    REAL *to[STRIP];
    const REAL *x[STRIP];
    const int64_t t = job->targets;
    for (int64_t r = 0; r < STRIP; r++) {
        x[r] = scaled + (r < rows ? r : rows - 1) * job->width; /* beyond the last, the last again */
        to[r] = (REAL *)z[r];
    }
    for (int64_t j = 0; j < cols; j += NAME(PANEL), packed += NAME(PANEL) * (job->width + t)) {
        const NAME(Vector) *coef = (const NAME(Vector) *)(packed + NAME(PANEL) * job->width);
        NAME(sums)(x, packed, job->width, 0, to);
        for (int64_t r = 0; r < rows; r++)
            NAME(activate_panel)(to[r], 0, to[r], job->kind, 0);
        for (int64_t c = 0; c < t; c++, coef += 4)
            for (int64_t r = 0; r < rows; r++)
                for (int v = 0; v < 4; v++)
                    sum[r * t + c] += z[r][v] * coef[v];
    }
}

static void NAME(finish_sums)(const Job *job, int64_t top, int64_t rows, const NAME(Vector) *sum) {
    const REAL *intercept = job->intercept;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < job->targets; c++, sum++) {
            REAL total = 0;
            for (int lane = 0; lane < NAME(LANES); lane++)
                total += (*sum)[lane];
            ((REAL *)job->out)[(top + i) * job->out_stride + c] = total + intercept[c];
        }
}

static int NAME(outputs_narrow)(const Job *job) {
    const int64_t t = job->targets;
    int64_t fit = WEIGHTS / (int64_t)sizeof(REAL) / (job->width + t) / NAME(PANEL) * NAME(PANEL);
    int64_t across = fit > NAME(PANEL) ? fit : NAME(PANEL);
    int64_t most = SUMS / 64 / t, wide = SCALED / (int64_t)sizeof(REAL) / job->width;
    most = wide < most ? wide : most;
    int64_t n = job->n < most ? job->n : most;
    REAL *packed = aligned_alloc(64, across * (job->width + t) * sizeof(REAL));
    REAL *scaled = malloc((n + 1) * job->width * sizeof(REAL));
    NAME(Vector) *sum = aligned_alloc(64, n * t * sizeof *sum);
    int state = packed && scaled && sum ? DONE : NO_ROOM;
    for (int64_t top = 0; state == DONE && top < job->n; top += n) {
        int64_t rows = job->n - top < n ? job->n - top : n;
        state = finite(job, top, rows) ? DONE : NOT_FINITE;
        NAME(scale_rows)(job, top, rows, scaled);
        memset(sum, 0, rows * t * sizeof *sum);
        for (int64_t lo = 0; lo < job->nodes; lo += across) {
            int64_t cols = job->nodes - lo < across ? job->nodes - lo : across;
            NAME(pack_nodes)(job, lo, cols, t, packed);
            for (int64_t row = 0; row < rows; row += STRIP)
                NAME(strip_of_sums)(job, scaled + row * job->width, rows - row < STRIP ? rows - row : STRIP, cols,
                                    packed, sum + row * t);
        }
        NAME(finish_sums)(job, top, rows, sum);
    }
    free(sum);
    free(scaled);
    free(packed);
    return state;
}

/* A tile of hidden rows at a time, and SciPy's product with the coefficients. */
static int NAME(outputs_tiled)(const Job *job) {
    NAME(Gemm) gemm = (NAME(Gemm))job->gemm;
    const REAL one = 1, *intercept = job->intercept;
    const int nodes = (int)job->nodes, targets = (int)job->targets, stride = (int)job->out_stride;
    const int64_t bytes = job->input_stride * (int64_t)(job->input_is_double ? sizeof(double) : sizeof(float));
    REAL *hidden = malloc((job->n < TILE ? job->n : TILE) * job->nodes * sizeof(REAL));
    int state = hidden ? DONE : NO_ROOM;
    Job tile = *job;
    tile.coef = 0;
    tile.out = hidden;
    tile.out_stride = job->nodes;
    for (int64_t top = 0; state == DONE && top < job->n; top += TILE) {
        const int rows = job->n - top < TILE ? (int)(job->n - top) : TILE;
        REAL *out = (REAL *)job->out + top * job->out_stride;
        tile.n = rows;
        tile.inputs = (const char *)job->inputs + top * bytes;
        state = !finite(job, top, rows) ? NOT_FINITE : NAME(fill)(&tile) ? NO_ROOM : DONE;
        for (int i = 0; i < rows; i++)
            memcpy(out + i * job->out_stride, intercept, targets * sizeof(REAL));
        if (state == DONE) /* Rows seen by Fortran are columns: (targets x nodes) times (nodes x rows). */
            gemm("N", "N", &targets, &rows, &nodes, &one, (const REAL *)job->coef, &targets, hidden, &nodes, &one,
                 out, &stride);
    }
    free(hidden);
    return state;
}

/* DONE, or why it was not done. */
int NAME(outputs)(const Job *job) {
    int narrow = job->width < FEW_INPUTS && job->targets < FEW_TARGETS && wide_registers();
    return narrow ? NAME(outputs_narrow)(job) : NAME(outputs_tiled)(job);
}

#endif
