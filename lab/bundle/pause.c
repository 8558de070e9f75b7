// The first process of a pod: it holds the pod's namespaces, takes in children whose parents are gone, and ends when
// it is told to.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    // Blocked and waited for, not handled: none can come between two looks.
    sigprocmask(SIG_BLOCK, &signals, NULL);
    for (;;) {
        int caught = 0;
        if (sigwait(&signals, &caught) != 0) return 1;
        if (caught != SIGCHLD) return 0;
        // One SIGCHLD may stand for several children.
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
}
