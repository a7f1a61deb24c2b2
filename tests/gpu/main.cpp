/* main.cpp -- translated kernels beside what else a program does with a GPU, or with its emulation
 *
 * usage: gpu [host | devices FIRST]    what needs a process of its own: memory of malloc, two devices */
#include <cstdlib>
#include <cstring>
#include "check.h"

int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc > 1 && !strcmp(argv[1], "host"))
        host_memory();
    else if (argc > 2 && !strcmp(argv[1], "devices"))
        devices(atoi(argv[2]));
    else {
        first_use();
        graphs();
        repeats();
        two_streams();
        order_in_a_stream();
        stale_errors();
        null_pointers();
        kinds_of_memory();
        large_tensors();
    }
    printf("%d passed, %d failed, %d skipped\n", passed.load(), failed.load(), skipped.load());
    return failed.load() != 0;
}
