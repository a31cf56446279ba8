/* The system calls that wasi-libc imports from a WASI host. A page is none, so they are answered here and no
   import is left. There are no files, no environment and no clock: what the playground's scripts see of those
   comes from the playground's core, and never through libc.

   A call that is missing here shows as an import of the finished module, which a test forbids. */
#include <stdint.h>

/* libc declares a call under this name with an import attached; a definition of ours takes its place. */
#define CALL(name) __imported_wasi_snapshot_preview1_##name

enum { SUCCESS = 0, BAD_DESCRIPTOR = 8 };

/* No descriptor is open, not even the standard streams: what is written to them is lost.
   At start-up libc asks for preopened folders until fd_prestat_get says BAD_DESCRIPTOR; any other error aborts. */
int32_t CALL(fd_close)(int32_t fd) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_fdstat_get)(int32_t fd, int32_t stat) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_fdstat_set_flags)(int32_t fd, int32_t flags) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_prestat_get)(int32_t fd, int32_t prestat) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_prestat_dir_name)(int32_t fd, int32_t path, int32_t size) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_read)(int32_t fd, int32_t vectors, int32_t count, int32_t done) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_renumber)(int32_t from, int32_t to) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_seek)(int32_t fd, int64_t offset, int32_t whence, int32_t position) { return BAD_DESCRIPTOR; }
int32_t CALL(fd_write)(int32_t fd, int32_t vectors, int32_t count, int32_t done) { return BAD_DESCRIPTOR; }
int32_t CALL(path_open)(int32_t fd, int32_t lookup, int32_t path, int32_t size, int32_t open_flags,
                        int64_t rights, int64_t rights_inherited, int32_t fd_flags, int32_t opened)
{
    return BAD_DESCRIPTOR;
}
int32_t CALL(path_remove_directory)(int32_t fd, int32_t path, int32_t size) { return BAD_DESCRIPTOR; }
int32_t CALL(path_rename)(int32_t fd, int32_t path, int32_t size, int32_t to_fd, int32_t to, int32_t to_size)
{
    return BAD_DESCRIPTOR;
}
int32_t CALL(path_unlink_file)(int32_t fd, int32_t path, int32_t size) { return BAD_DESCRIPTOR; }

int32_t CALL(environ_get)(int32_t pointers, int32_t buffer) { return SUCCESS; }
int32_t CALL(environ_sizes_get)(int32_t count, int32_t size)
{
    *(uint32_t *)count = 0;
    *(uint32_t *)size = 0;
    return SUCCESS;
}

/* The epoch, always: a clock that moved would make two runs of one log differ. */
int32_t CALL(clock_time_get)(int32_t clock, int64_t precision, int32_t time)
{
    *(uint64_t *)time = 0;
    return SUCCESS;
}

_Noreturn void CALL(proc_exit)(int32_t code) { __builtin_trap(); }
