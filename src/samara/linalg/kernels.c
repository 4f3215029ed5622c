/* What each block goes through, in one call: `columns` looks at its inputs, `fill` makes its hidden rows, and
 * `tile` (tiles.h) rows of a kernel matrix.
 *
 * Built when the package is installed, where there is a C compiler; without it NumPy does the same in many
 * short calls, at each of which the threads wait for the interpreter. The matrix product is SciPy's own,
 * passed in as a pointer. Sigmoid, tanh and the Gaussian come from one polynomial for 2^x, whose argument
 * the product gives directly: log2(e) is folded into the weights.
 *
 * The file includes itself, once for each precision.
 */
#ifndef REAL

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One body, built for each generation of the processor; the loader takes the right one. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_GENERATION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EACH_GENERATION
#endif

enum { TILE = 192 }; /* rows between product and activation: 1 or 2 MB for 1000 nodes, in the core's cache */
enum { SIGMOID, TANH, GAUSSIAN, MULTIQUADRIC, RELU, LINEAR, POWER, LAPLACIAN };

typedef struct {
    const void *inputs; /* rows of float or double, each contiguous */
    int64_t n, d, input_stride, input_is_double;
    const double *mean, *spread;
    const void *weights; /* (width, nodes): inputs, then the square of the row if radial, then the bias */
    int64_t width, nodes, kind;
    const void *shift;
    void *out;
    int64_t out_stride;
    const void *gemm;
} Job;

#include "tiles.h"

#define REAL float
#define INT int32_t
#define WORD uint32_t
#define NAME(x) x##_single
#define RINT rintf
#define SQRT sqrtf
#define TOP 126
#define BIAS 127
#define MANTISSA 23
#define DEGREE 7
#include "kernels.c"
#undef REAL
#undef INT
#undef WORD
#undef NAME
#undef RINT
#undef SQRT
#undef TOP
#undef BIAS
#undef MANTISSA
#undef DEGREE
#define REAL double
#define INT int64_t
#define WORD uint64_t
#define NAME(x) x##_double
#define RINT rint
#define SQRT sqrt
#define TOP 1022
#define BIAS 1023
#define MANTISSA 52
#define DEGREE 13
#include "kernels.c"

#else

typedef void (*NAME(Gemm))(const char *, const char *, const int *, const int *, const int *, const REAL *,
                           const REAL *, const int *, const REAL *, const int *, const REAL *, REAL *,
                           const int *);

/* 2^x; beyond the normal numbers of the type, the last of them. With |r| <= 1/2 the first term left out of
 * the series of 2^r is below half a unit in the last place. */
static inline REAL NAME(two_to)(REAL x) {
    static const double series[14] = {
        1.0, 0.6931471805599453, 0.2402265069591007, 0.05550410866482158, 0.009618129107628477,
        0.0013333558146428443, 0.0001540353039338161, 1.5252733804059841e-05, 1.3215486790144309e-06,
        1.0178086009239699e-07, 7.0549116208011233e-09, 4.4455382718708116e-10, 2.5678435993488205e-11,
        1.3691488853904129e-12,
    };
    x = x < -TOP ? -TOP : x > TOP ? TOP : x;
    REAL whole = RINT(x), r = x - whole, p = (REAL)series[DEGREE];
    for (int k = DEGREE - 1; k >= 0; k--)
        p = p * r + (REAL)series[k];
    INT bits = ((INT)whole + BIAS) << MANTISSA;
    REAL power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

EACH_GENERATION
static void NAME(activate)(REAL *restrict z, const REAL *restrict shift, int64_t nodes, int64_t kind) {
    switch (kind) {
    case SIGMOID:
        for (int64_t j = 0; j < nodes; j++)
            z[j] = 1 / (1 + NAME(two_to)(z[j])) - shift[j];
        break;
    case TANH:
        for (int64_t j = 0; j < nodes; j++)
            z[j] = 1 - 2 / (1 + NAME(two_to)(z[j])) - shift[j];
        break;
    case GAUSSIAN:
        for (int64_t j = 0; j < nodes; j++)
            z[j] = NAME(two_to)(z[j] < 0 ? z[j] : 0) - shift[j];
        break;
    case MULTIQUADRIC:
        for (int64_t j = 0; j < nodes; j++)
            z[j] = SQRT(1 + (z[j] > 0 ? z[j] : 0)) - shift[j];
        break;
    case RELU:
        for (int64_t j = 0; j < nodes; j++)
            z[j] = (z[j] > 0 ? z[j] : 0) - shift[j];
        break;
    default:
        for (int64_t j = 0; j < nodes; j++)
            z[j] -= shift[j];
    }
}

/* Standardized inputs with what the weights expect after them. */
EACH_GENERATION
static void NAME(scale)(const Job *job, int64_t row, REAL *restrict scaled) {
    const double *restrict mean = job->mean, *restrict spread = job->spread;
    int64_t d = job->d;
    if (job->input_is_double) {
        const double *x = (const double *)job->inputs + row * job->input_stride;
        for (int64_t j = 0; j < d; j++)
            scaled[j] = (REAL)((x[j] - mean[j]) / spread[j]);
    } else {
        const float *x = (const float *)job->inputs + row * job->input_stride;
        for (int64_t j = 0; j < d; j++)
            scaled[j] = (REAL)((x[j] - mean[j]) / spread[j]);
    }
    if (job->kind == GAUSSIAN || job->kind == MULTIQUADRIC) {
        REAL square = 0;
        for (int64_t j = 0; j < d; j++)
            square += scaled[j] * scaled[j];
        scaled[d] = square;
    }
    scaled[job->width - 1] = 1;
}

/* Least and largest value, weighted mean and squares about it of each column of n rows; NaN for the ends of a
 * column that is not finite. Two sweeps, the second through the cache. */
EACH_GENERATION
void NAME(columns)(const REAL *X, const double *weight, double total, int64_t n, int64_t d, int64_t stride,
                   double *restrict low, double *restrict high, double *restrict mean,
                   double *restrict squares) {
    for (int64_t j = 0; j < d; j++) {
        low[j] = high[j] = X[j];
        mean[j] = squares[j] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const REAL *x = X + i * stride;
        double share = (weight ? weight[i] : 1) / total;
        for (int64_t j = 0; j < d; j++) {
            double value = x[j];
            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
            mean[j] += share * value;
            squares[j] += value - value; /* NaN from infinity or NaN, else 0 */
        }
    }
    for (int64_t j = 0; j < d; j++) {
        low[j] += squares[j];
        high[j] += squares[j];
    }
    for (int64_t i = 0; i < n; i++) {
        const REAL *x = X + i * stride;
        double w = weight ? weight[i] : 1;
        for (int64_t j = 0; j < d; j++) {
            double from = x[j] - mean[j];
            squares[j] += w * from * from;
        }
    }
}

/* Scales the inputs, multiplies by the weights, applies the activation and subtracts the shift, a tile at a
 * time, where the rows will be used. 0 where it was done, 1 where there was no room. */
int NAME(fill)(const Job *job) {
    NAME(Gemm) gemm = (NAME(Gemm))job->gemm;
    const REAL one = 1, zero = 0;
    int width = (int)job->width, nodes = (int)job->nodes, stride = (int)job->out_stride;
    REAL *scaled = malloc(TILE * job->width * sizeof(REAL));
    if (!scaled)
        return 1;
    for (int64_t lo = 0; lo < job->n; lo += TILE) {
        int rows = job->n - lo < TILE ? (int)(job->n - lo) : TILE;
        REAL *out = (REAL *)job->out + lo * job->out_stride;
        for (int i = 0; i < rows; i++)
            NAME(scale)(job, lo + i, scaled + i * job->width);
        /* Rows seen by Fortran are columns: (nodes x width) times (width x rows). */
        gemm("N", "N", &nodes, &rows, &width, &one, (const REAL *)job->weights, &nodes, scaled, &width, &zero,
             out, &stride);
        for (int i = 0; i < rows; i++)
            NAME(activate)(out + i * job->out_stride, (const REAL *)job->shift, job->nodes, job->kind);
    }
    free(scaled);
    return 0;
}

#include "tiles.h"

#endif
