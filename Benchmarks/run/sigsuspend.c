// To be preloaded into a program under Valgrind whose main thread ends in `dispatch_main`, as that of pushctl does.
//
// Valgrind 3.19 takes a signal of its own out of the mask that a program passes to `sigsuspend`. Dispatch passes a
// constant, which nothing can write to, and Valgrind crashes.

#include <signal.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    (void)mask;
    return pause();
}
