/* Counts the blocks that Python's allocators hand out while it is told to; see calls.py. Needs no header of Python. */

#include <stddef.h>

typedef struct {
    void *context;
    void *(*allocate)(void *, size_t);
    void *(*allocate_zeros)(void *, size_t, size_t);
    void *(*resize)(void *, void *, size_t);
    void (*release)(void *, void *);
} Allocator;

/* Domains: 0 memory that needs no interpreter, 1 memory, 2 objects. */
extern void PyMem_GetAllocator(int domain, Allocator *);
extern void PyMem_SetAllocator(int domain, Allocator *);

enum { DOMAINS = 3 };

static Allocator usual[DOMAINS];
static long count;

static void *allocate(void *own, size_t size) {
    Allocator *allocator = own;
    ++count;
    return allocator->allocate(allocator->context, size);
}

static void *allocate_zeros(void *own, size_t number, size_t size) {
    Allocator *allocator = own;
    ++count;
    return allocator->allocate_zeros(allocator->context, number, size);
}

static void *resize(void *own, void *block, size_t size) {
    Allocator *allocator = own;
    ++count;
    return allocator->resize(allocator->context, block, size);
}

static void release(void *own, void *block) {
    Allocator *allocator = own;
    allocator->release(allocator->context, block);
}

void begin(void) {
    for (int domain = 0; domain < DOMAINS; ++domain) {
        PyMem_GetAllocator(domain, &usual[domain]);
        Allocator counting = {&usual[domain], allocate, allocate_zeros, resize, release};
        PyMem_SetAllocator(domain, &counting);
    }
}

long end(void) {
    for (int domain = 0; domain < DOMAINS; ++domain)
        PyMem_SetAllocator(domain, &usual[domain]);
    long counted = count;
    count = 0;
    return counted;
}
