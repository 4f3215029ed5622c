/* Two threads that share out pieces of work of some microseconds each, one after the other: both watch a number
 * instead of sleeping, and offer the processor to others only after a while. On a busy machine the other thread may
 * be kept waiting for milliseconds: what it has not begun when the first is through, the first does, too.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { IDLE = 1, ASKED = 2, BEGUN = 4, FINISHED = 8, OVER = 16 };
enum { PATIENCE = 4000 }; /* looks, some 40 us */

typedef void (*Work)(void *job, int half);

typedef struct {
    pthread_t thread;
    int with_other; /* whether there is another thread */
    atomic_int state;
    Work work;
    void *job;
} Pair;

/* The state, once it is one of these. */
static int wait_for(atomic_int *state, int these) {
    for (int64_t looks = 0;; looks++) {
        int now = atomic_load_explicit(state, memory_order_acquire);
        if (now & these)
            return now;
        if (looks > PATIENCE)
            sched_yield();
#if defined(__x86_64__)
        else
            __builtin_ia32_pause();
#endif
    }
}

/* Whether what was asked for is taken on now: by one of the two. */
static int take_on(Pair *pair, int state) {
    int asked = ASKED;
    return atomic_compare_exchange_strong(&pair->state, &asked, state);
}

static void *other_thread(void *given) {
    Pair *pair = given;
    while (wait_for(&pair->state, ASKED | OVER) == ASKED)
        if (take_on(pair, BEGUN)) {
            pair->work(pair->job, 1);
            atomic_store_explicit(&pair->state, FINISHED, memory_order_release);
        }
    return NULL;
}

/* Where no other thread can be had, one does the work of both. */
static void begin_pair(Pair *pair, int with_other) {
    atomic_init(&pair->state, IDLE);
    pair->with_other = with_other && !pthread_create(&pair->thread, NULL, other_thread, pair);
}

static void end_pair(Pair *pair) {
    if (!pair->with_other)
        return;
    atomic_store_explicit(&pair->state, OVER, memory_order_release);
    pthread_join(pair->thread, NULL);
}

/* Both halves of a piece of work, at once where it is worth handing one over. */
static void share(Pair *pair, Work work, void *job, int worth_it) {
    if (!pair->with_other || !worth_it) {
        work(job, 0);
        work(job, 1);
        return;
    }
    pair->work = work;
    pair->job = job;
    atomic_store_explicit(&pair->state, ASKED, memory_order_release);
    work(job, 0);
    if (take_on(pair, IDLE))
        work(job, 1);
    else
        wait_for(&pair->state, FINISHED);
}
