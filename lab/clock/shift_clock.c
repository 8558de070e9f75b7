// Shifts the wall clock for the programs of one machine:
//     shift_clock OFFSET-MS PID-OF-THE-MACHINE'S-INIT --machine=ID
//
// The kernel has one wall clock, and no namespace for it; programs read it through the vDSO,
// without a system call. So every process of the machine is traced, and each program it starts from
// now on is started without a vDSO (the entry in its auxiliary vector is struck out, and libc then
// asks the kernel); what the kernel answers is corrected on its way back. Static programs and Go
// see it too. Programs that were running already keep the true time. When this tracer ends, all see
// it again.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_TID = 1 << 22,
    OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
              PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC
};

struct task {
    uint8_t traced;
    uint8_t old;  // was running before: has a vDSO, needs no stop at system calls
    uint64_t call, arg0, arg1;
};

static struct task tasks[MAX_TID];  // by thread id; only touched pages exist
static int64_t offset_ns;

static int peek(pid_t tid, uint64_t address, void* to, size_t size) {
    struct iovec here = {to, size}, there = {(void*)(uintptr_t)address, size};
    return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static void poke(pid_t tid, uint64_t address, void* from, size_t size) {
    struct iovec here = {from, size}, there = {(void*)(uintptr_t)address, size};
    (void)process_vm_writev(tid, &here, 1, &there, 1, 0);
}

static void add(int64_t* seconds, int64_t* part, int64_t parts_in_second) {
    const int64_t shift = offset_ns / (1000000000 / parts_in_second);
    const int64_t sum = *part + shift % parts_in_second;
    *seconds += shift / parts_in_second + (sum >= parts_in_second) - (sum < 0);
    *part = sum - (sum >= parts_in_second ? parts_in_second : 0) + (sum < 0 ? parts_in_second : 0);
}

// The program has just been loaded: its stack holds argc, argv, 0, environment, 0, auxiliary
// vector.
static void strike_out_vdso(pid_t tid) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0) return;
    uint64_t at = info.stack_pointer, word = 0;
    if (!peek(tid, at, &word, 8)) return;
    at += 8 * (word + 2);  // argc, argv and its end
    do {
        if (!peek(tid, at, &word, 8)) return;
        at += 8;
    } while (word != 0);
    for (Elf64_auxv_t entry; peek(tid, at, &entry, sizeof entry) && entry.a_type != AT_NULL;
         at += sizeof entry) {
        if (entry.a_type == AT_SYSINFO_EHDR) {
            entry.a_type = AT_IGNORE;
            poke(tid, at, &entry, sizeof entry);
        }
    }
}

static int is_wall_clock(uint64_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

static void correct_answer(pid_t tid, const struct task* task, int64_t answer) {
    int64_t value[2];  // struct timespec and struct timeval: two words each
    if (task->call == SYS_clock_gettime && answer == 0 && is_wall_clock(task->arg0)) {
        if (!peek(tid, task->arg1, value, sizeof value)) return;
        add(&value[0], &value[1], 1000000000);
        poke(tid, task->arg1, value, sizeof value);
    } else if (task->call == SYS_gettimeofday && answer == 0 && task->arg0 != 0) {
        if (!peek(tid, task->arg0, value, sizeof value)) return;
        add(&value[0], &value[1], 1000000);
        poke(tid, task->arg0, value, sizeof value);
    }
#ifdef __x86_64__
    if (task->call == SYS_time && answer > 0) {
        value[0] = answer + offset_ns / 1000000000;
        ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), value[0]);
        if (task->arg0 != 0) poke(tid, task->arg0, value, sizeof value[0]);
    }
#endif
}

static void at_system_call(pid_t tid) {
    struct task* task = &tasks[tid];
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        task->call = info.entry.nr;
        task->arg0 = info.entry.args[0];
        task->arg1 = info.entry.args[1];
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
        correct_answer(tid, task, info.exit.rval);
    }
}

static void go_on(pid_t tid, int signal) {
    ptrace(tasks[tid].old ? PTRACE_CONT : PTRACE_SYSCALL, tid, 0, signal);
}

static void at_stop(pid_t tid, int status) {
    const int signal = WSTOPSIG(status), event = status >> 16;
    tasks[tid].traced = 1;
    if (signal == (SIGTRAP | 0x80)) {
        at_system_call(tid);
        go_on(tid, 0);
    } else if (event == PTRACE_EVENT_EXEC) {
        tasks[tid] = (struct task){.traced = 1};
        strike_out_vdso(tid);
        go_on(tid, 0);
    } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ptrace(PTRACE_LISTEN, tid, 0,
               0);  // stopped by a signal, as for anybody: stays so until SIGCONT
    } else {
        go_on(tid, event ? 0 : signal);
    }
}

// Seizes every thread in the machine's PID namespace that is not traced yet; returns how many.
static int seize_all(const char* namespace_of_init) {
    int seized = 0;
    DIR* processes = opendir("/proc");
    for (struct dirent* process; processes && (process = readdir(processes));) {
        char path[300], link[64] = "";
        if (!isdigit((unsigned char)process->d_name[0])) continue;
        snprintf(path, sizeof path, "/proc/%s/ns/pid", process->d_name);
        if (readlink(path, link, sizeof link - 1) < 0 || strcmp(link, namespace_of_init) != 0)
            continue;
        snprintf(path, sizeof path, "/proc/%s/task", process->d_name);
        DIR* threads = opendir(path);
        for (struct dirent* thread; threads && (thread = readdir(threads));) {
            const pid_t tid = atoi(thread->d_name);
            if (tid <= 0 || tid >= MAX_TID || tasks[tid].traced) continue;
            if (ptrace(PTRACE_SEIZE, tid, 0, OPTIONS) != 0) continue;
            tasks[tid] = (struct task){.traced = 1, .old = 1};
            ++seized;
        }
        if (threads) closedir(threads);
    }
    if (processes) closedir(processes);
    return seized;
}

int main(int argc, char** argv) {
    char path[64], init[64] = "";
    if (argc < 3) return 2;
    offset_ns = atoll(argv[1]) * 1000000;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", atoi(argv[2]));
    if (readlink(path, init, sizeof init - 1) < 0) return 1;
    int seized = 0;
    for (int more; (more = seize_all(init)) > 0; seized += more) {
    }  // until nobody was born meanwhile
    if (seized == 0) {
        fprintf(stderr, "no process of the machine can be traced: %s\n", strerror(errno));
        return 1;
    }
    puts("ready");
    fflush(stdout);
    int status;
    for (pid_t tid; (tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
        if (tid <= 0 || tid >= MAX_TID) continue;
        if (WIFSTOPPED(status)) {
            at_stop(tid, status);
        } else {
            tasks[tid] = (struct task){0};
        }
    }
    return 0;
}
