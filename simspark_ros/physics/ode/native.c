/* What contacts.py and assertions.py do in every cycle, without Python: near-callbacks, and calls that survive a failed
 * assertion inside ODE. Python loads it by ctypes and has the same code for machines without a compiler; the order of all
 * calls is the same, so results are equal to the bit. ODE's functions are handed over as pointers: nothing links to ODE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void Near(void *data, void *one, void *other);

/* What ODE keeps with a shape, or with the space of a robot's shapes (surface -1). See ShapeProperties in contacts.py. */
typedef struct {
    int64_t surface, owner;
    void *body;
    int64_t felt; /* number of the touch link; -1 for others */
} Shape;

/* See NativeContacts in native.py, which has the same fields in the same order. */
typedef struct {
    int (*collide)(void *, void *, int, void *, int);
    void (*collide_spaces)(void *, void *, void *, Near *);
    void (*collide_space)(void *, void *, Near *);
    void *(*data_of)(void *);
    void *(*create)(void *, void *, void *);
    void (*attach)(void *, void *, void *);
    void (*set_feedback)(void *, void *);
    int (*is_enabled)(void *);
    const double *(*position_of)(void *);
    void (*put)(void *, double, double, double);
    void (*leave)(void *, void *);
    void (*enter)(void *, void *);
    /* Python: whether shapes of two owners may meet, and whether groups of robots may grow together. */
    int (*may_meet)(void *, void *);
    int (*may_join)(int64_t, int64_t);
    void *world, *group;
    char *contacts, *feedbacks;
    const char *surfaces; /* of each two kinds */
    int64_t *touches;     /* first contact, the one after the last, touch link, side */
    int64_t *meetings;    /* first contact, the one after the last, two owners */
    int64_t contact_size, geom_offset, depth_offset, surface_size, feedback_size;
    int64_t capacity, per_pair, kinds;
    int64_t count, touch_count, meeting_count;
    double ghost_depth, deepest; /* m */
    void **movable; /* entries of the space, ball and robots, each with one of its bodies that has a shape */
    int64_t movable_count;
} Contacts;

enum { NO_OWNER = -2 };

static __thread jmp_buf *armed;
static __thread char message[200];
static void (*unarmed_handler)(int, const char *, va_list);

void simspark_set_unarmed_handler(void (*handler)(int, const char *, va_list)) { unarmed_handler = handler; }

const char *simspark_message(void) { return message; }

/* ODE ends the process when this returns. */
void simspark_on_failure(int number, const char *text, va_list values) {
    if (!armed) {
        unarmed_handler(number, text, values);
        return;
    }
    size_t length = (size_t)vsnprintf(message, sizeof message, text, values);
    if (length < sizeof message) snprintf(message + length, sizeof message - length, " (%d)", number);
    longjmp(*armed, 1);
}

/* For messages of ODE, which its own threads send, too: no Python may run there. */
void simspark_ignore(int number, const char *text, va_list values) { (void)number, (void)text, (void)values; }

static void near_shapes(void *data, void *one, void *other) {
    Contacts *all = data;
    int64_t first = all->count;
    if (first + all->per_pair > all->capacity) return;
    char *contact = all->contacts + first * all->contact_size;
    int found = all->collide(one, other, (int)all->per_pair, contact + all->geom_offset, (int)all->contact_size);
    if (!found) return;
    const Shape *a = all->data_of(one), *b = all->data_of(other);
    int64_t end = first + found;
    if (a->body && b->body) {
        /* No jump may leave Python's frames. */
        jmp_buf *before = armed;
        armed = NULL;
        int may_join = all->may_join(a->owner, b->owner);
        armed = before;
        if (!may_join) return;
        int64_t *meeting = all->meetings + 4 * all->meeting_count++;
        meeting[0] = first, meeting[1] = end, meeting[2] = a->owner, meeting[3] = b->owner;
    }
    all->count = end;
    const char *surface = all->surfaces + (a->surface * all->kinds + b->surface) * all->surface_size;
    for (int64_t index = first; index < end; index++, contact += all->contact_size) {
        memcpy(contact, surface, (size_t)all->surface_size);
        void *joint = all->create(all->world, all->group, contact);
        all->attach(joint, a->body, b->body);
        if (a->felt >= 0 || b->felt >= 0) all->set_feedback(joint, all->feedbacks + index * all->feedback_size);
    }
    /* If the first shape is immovable, ODE makes the second shape's body the joint's first body. */
    const Shape *felt[2] = {a, b};
    for (int side = 0; side < 2; side++)
        if (felt[side]->felt >= 0) {
            int64_t *touch = all->touches + 4 * all->touch_count++;
            touch[0] = first, touch[1] = end, touch[2] = felt[side]->felt, touch[3] = side && a->body ? 1 : 0;
        }
}

/* Two entries of the world, each the space of a robot or a single shape. */
static void near_entries(void *data, void *one, void *other) {
    Contacts *all = data;
    const Shape *a = all->data_of(one), *b = all->data_of(other);
    if (a->surface >= 0 && b->surface >= 0) {
        near_shapes(data, one, other);
        return;
    }
    if (a->owner != NO_OWNER && b->owner != NO_OWNER) {
        /* No jump may leave Python's frames. */
        jmp_buf *before = armed;
        armed = NULL;
        int may_meet = all->may_meet(one, other);
        armed = before;
        if (!may_meet) return;
    }
    all->collide_spaces(one, other, data, near_shapes);
}

/* Finds how deep shapes are in each other, up to the depth that makes ghosts. */
static void probe(void *data, void *one, void *other) {
    Contacts *all = data;
    /* The part of the memory after the contacts of this cycle is free. */
    if (all->deepest > all->ghost_depth || all->count + all->per_pair > all->capacity) return;
    char *contact = all->contacts + all->count * all->contact_size;
    int found = all->collide(one, other, (int)all->per_pair, contact + all->geom_offset, (int)all->contact_size);
    for (int index = 0; index < found; index++, contact += all->contact_size) {
        double depth = *(double *)(contact + all->depth_offset);
        /* Shapes that touch at depth 0 count as touching. */
        if (depth < 1e-12) depth = 1e-12;
        if (depth > all->deepest) all->deepest = depth;
    }
}

/* A step puts the entries that move in front of the space's list, in the order in which its threads come to them. */
static void sort_awake(Contacts *all, void *space) {
    for (int64_t index = all->movable_count; index--;) {
        void *geom = all->movable[2 * index], *body = all->movable[2 * index + 1];
        if (!all->is_enabled(body)) continue;
        /* In front ODE expects what has moved. An entry that was just woken has not. */
        const double *at = all->position_of(body);
        all->put(body, at[0], at[1], at[2]);
        all->leave(space, geom);
        all->enter(space, geom);
    }
}

/* The calls that follow return 0, or -1 after a failed assertion inside ODE, whose objects are lost then. */

int simspark_find(Contacts *all, void *space) {
    jmp_buf here, *before = armed;
    all->count = all->touch_count = all->meeting_count = 0;
    if (setjmp(here)) {
        armed = before;
        return -1;
    }
    armed = &here;
    sort_awake(all, space);
    all->collide_space(space, all, near_entries);
    armed = before;
    return 0;
}

int simspark_probe(Contacts *all, void *one, void *other) {
    jmp_buf here, *before = armed;
    all->deepest = 0.0;
    if (setjmp(here)) {
        armed = before;
        return -1;
    }
    armed = &here;
    all->collide_spaces(one, other, all, probe);
    armed = before;
    return 0;
}

int simspark_step(int (*world_step)(void *, double), void *world, double time) {
    jmp_buf here, *before = armed;
    if (setjmp(here)) {
        armed = before;
        return -1;
    }
    armed = &here;
    world_step(world, time);
    armed = before;
    return 0;
}
