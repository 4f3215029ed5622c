/* 1/(1 + 2^x) of a panel of doubles, in wide registers.
 *
 * Included by kernels.c before the precisions. 2^x comes from the nearest of eight powers, as many as a register
 * holds, and a short polynomial; four numbers share one inverse. That is 22 steps a vector where number by number
 * (kernels.c) it is 30, beside one for each input. Results below 2^-254 become about that; in single precision
 * four exponents would leave too little of the type.
 */
typedef double Eight __attribute__((vector_size(64)));
typedef int64_t EightBits __attribute__((vector_size(64)));
typedef double LooseEight __attribute__((vector_size(64), aligned(sizeof(double)), may_alias));

/* 1 + 2^x. Added to 1.5 times the first number whose steps are eighths, x is rounded to them: the last bits of the
 * sum say which power, those before them the exponent. */
static inline __attribute__((always_inline)) Eight one_more(Eight x) {
    /* (2^r - 1)/r for |r| <= 1/16, interpolated at Chebyshev's points: within a fortieth of the last place. */
    static const double series[] = {0.6931471805599453,    0.24022650695910933,    0.05550410866482224,
                                    0.009618129089983302,  0.0013333558132838856,  0.00015404433819347582,
                                    1.525342958649691e-05};
    /* The bits of 2^(j/8), less those that j adds where the sum's are moved to the exponent. */
    const EightBits powers = {0x3FF0000000000000, 0x3FEF72B83C7D517B, 0x3FEF06FE0A31B715, 0x3FEEBFDAD5362A27,
                              0x3FEEA09E667F3BCD, 0x3FEEACE5422AA0DB, 0x3FEEE89F995AD3AD, 0x3FEF5818DCFBA487};
    enum { LAST = sizeof series / sizeof *series - 1 };
    const double eighths = (double)((int64_t)3 << 48);
    Eight sum = x + eighths, r = x - (sum - eighths), p = (Eight){0} + series[LAST];
    for (int k = LAST - 1; k >= 0; k--)
        p = p * r + series[k];
    EightBits steps = (EightBits)sum;
    Eight power = (Eight)(__builtin_shuffle(powers, steps) + (steps << 49));
    return 1 + (power + power * (p * r));
}

/* 1/x, as in `share`; from 1e-8 on a square is enough. */
static inline __attribute__((always_inline)) Eight inverses(Eight x) {
    Eight inverse = (Eight)((int64_t)0x7FDE623822FC16E6 - (EightBits)x);
    for (int k = 0; k < 2; k++) {
        Eight error = 1 - x * inverse;
        inverse += inverse * (error * error + error);
    }
    return inverse + inverse * (1 - x * inverse);
}

static inline __attribute__((always_inline)) void shares(const double *z, Eight *share) {
    double x[32] __attribute__((aligned(64)));
    for (int j = 0; j < 32; j++)
        x[j] = z[j] < -254 ? -254 : z[j] > 254 ? 254 : z[j];
    Eight whole[4];
    for (int v = 0; v < 4; v++)
        whole[v] = one_more(((const Eight *)x)[v]);
    Eight left = whole[0] * whole[1], right = whole[2] * whole[3], both = inverses(left * right);
    left *= both;
    right *= both;
    share[0] = right * whole[1];
    share[1] = right * whole[0];
    share[2] = left * whole[3];
    share[3] = left * whole[2];
}
