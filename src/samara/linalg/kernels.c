/* What each block goes through, in one call: `columns` looks at its inputs, `keys` draws its folds, `fill`
 * (nodes.h) makes its hidden rows, `gram` (gram.h) adds up their products, `root` (root.h) factorizes the sum,
 * `outputs` (outputs.h) makes what a model predicts, `tile` (tiles.h) rows of a kernel matrix, and `fill_gaps`
 * (gaps.h) what rows with missing values lack. `grow_tree` (trees.h) cuts rows by their inputs.
 *
 * Built when the package is installed, where there is a C compiler; without it NumPy does the same in many
 * short calls, at each of which the threads wait for the interpreter. The matrix product is SciPy's own,
 * passed in as a pointer. Sigmoid, tanh and the Gaussian come from one polynomial for 2^x, whose argument
 * the product gives directly: log2(e) is folded into the weights; wide registers have a shorter way (shares.h).
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

enum { SIGMOID, TANH, GAUSSIAN, MULTIQUADRIC, RELU, LINEAR, POWER, LAPLACIAN, DISTANCE };

/* The products written here count on 32 registers of 512 bits; with fewer, SciPy's are faster. */
int wide_registers(void) {
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

/* A sum of float32 moments carried over into float64 and begun anew: the upper triangle, or all of it. */
EACH_GENERATION
void carry(float *restrict part, double *restrict gram, int64_t rows, int64_t width, int64_t triangle) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t at = i * width + (triangle ? i : 0); at < (i + 1) * width; at++) {
            gram[at] += part[at];
            part[at] = 0;
        }
}

#include "pairs.h"
#include "tiles.h"
#include "gram.h"
#include "root.h"
#include "shares.h"
#include "nodes.h"
#include "outputs.h"
#include "gaps.h"
#include "trees.h"

#define REAL float
#define INT int32_t
#define WORD uint32_t
#define NAME(x) x##_single
#define SQRT sqrtf
#define TOP 126
#define BIAS 127
#define MANTISSA 23
#define INVERSE 0x7EF311C7u
#define STEPS 2
#include "kernels.c"
#undef REAL
#undef INT
#undef WORD
#undef NAME
#undef SQRT
#undef TOP
#undef BIAS
#undef MANTISSA
#undef INVERSE
#undef STEPS
#define REAL double
#define INT int64_t
#define WORD uint64_t
#define NAME(x) x##_double
#define SQRT sqrt
#define TOP 1022
#define BIAS 1023
#define MANTISSA 52
#define INVERSE 0x7FDE623822FC16E6u
#define STEPS 3
#include "kernels.c"

#else

typedef void (*NAME(Gemm))(const char *, const char *, const int *, const int *, const int *, const REAL *,
                           const REAL *, const int *, const REAL *, const int *, const REAL *, REAL *,
                           const int *);

/* 2^x for normal numbers. Added to 1.5 times the first number without fractions, x is rounded, and the last
 * bits of the sum are the exponent; the bias is in the sum already. A NaN stays one. */
static inline REAL NAME(power_of_two)(REAL x) {
    static const double series[] = NAME(SERIES);
    const REAL whole = (REAL)(((INT)3 << (MANTISSA - 1)) + BIAS);
    enum { LAST = sizeof series / sizeof *series - 1 };
    REAL sum = x + whole, r = x - (sum - whole), p = (REAL)series[LAST], power;
    for (int k = LAST - 1; k >= 0; k--)
        p = p * r + (REAL)series[k];
    WORD bits;
    memcpy(&bits, &sum, sizeof bits);
    bits <<= MANTISSA;
    memcpy(&power, &bits, sizeof power);
    return (p * r + 1) * power;
}

/* 2^x; beyond the normal numbers of the type, about the last of them. */
static inline REAL NAME(two_to)(REAL x) {
    x = x < 1 - TOP ? 1 - TOP : x > TOP - 1 ? TOP - 1 : x;
    return NAME(power_of_two)(x);
}

/* 1/(1 + 2^x). The bits of a number taken from a constant are those of its inverse within an eighth, and each
 * step cubes the error. Seven products; a division takes as long as thirty. */
static inline REAL NAME(share)(REAL x) {
    REAL whole = 1 + NAME(two_to)(x), inverse;
    WORD bits;
    memcpy(&bits, &whole, sizeof bits);
    bits = INVERSE - bits;
    memcpy(&inverse, &bits, sizeof inverse);
    for (int k = 0; k < STEPS; k++) {
        REAL error = 1 - whole * inverse;
        inverse += inverse * (error * error + error);
    }
    return inverse;
}

/* Least and largest value, weighted mean and squares about it of each column of n rows, (4, d); NaN for the
 * ends of a column that is not finite. Two sweeps, the second through the cache. */
EACH_GENERATION
void NAME(columns)(const REAL *X, const double *weight, double total, int64_t n, int64_t d, int64_t stride,
                   double *made) {
    double *restrict low = made, *restrict high = made + d, *restrict mean = made + 2 * d;
    double *restrict squares = made + 3 * d;
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

/* A word for each row; rowkeys.py says which, and does the same without this. */
EACH_GENERATION
void NAME(keys)(const REAL *X, int64_t n, int64_t d, int64_t stride, const uint64_t *restrict factors,
                uint64_t *restrict keys) {
    for (int64_t i = 0; i < n; i++) {
        const REAL *x = X + i * stride;
        uint64_t sum = 0;
        for (int64_t j = 0; j < d; j++) {
            double value = (double)x[j] + 0.0;
            uint64_t word;
            memcpy(&word, &value, sizeof word);
            word = (word ^ word >> 32) * factors[j];
            sum += word ^ word >> 29;
        }
        keys[i] = sum;
    }
}

#include "tiles.h"
#include "gram.h"
#include "root.h"
#include "nodes.h"
#include "outputs.h"
#include "trees.h"

#endif
