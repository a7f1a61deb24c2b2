/* alike.c -- classes of axes that no tile has together, and that may as well be one */
/* needs: all other ties.  gives: more of them.  keeps: the IR. */
#include "layout.h"

/* For an axis of v: other axes of the tiles that share it with v, where extents agree. */
static void merge_with_neighbours(Classes *c, const Value *v, int a, const bool *first)
{
    if (!has_dim(&v->type, a))
        return;
    int shared = find(c, node_of(v, a));
    for (int i = 0; i < c->members[shared].n; i++) {
        const Value *w = c->k->values.at[c->members[shared].at[i]];
        if (!first[w->id])
            continue;
        for (int b = 0; b < v->type.rank; b++)
            for (int d = 0; d < w->type.rank; d++)
                if (b != a && has_dim(&v->type, b) && has_dim(&w->type, d)
                    && v->type.dim[b] == w->type.dim[d]
                    && find(c, node_of(w, d)) != find(c, node_of(v, a)))
                    tie(c, v, b, w, d);
    }
}

/* Do their axes belong to the same classes, one by one? */
static bool same_classes(Classes *c, const Value *v, const Value *w)
{
    bool same = v->type.rank == w->type.rank;
    for (int a = 0; same && a < v->type.rank; a++)
        same = v->type.dim[a] == w->type.dim[a]
            && (!has_dim(&v->type, a) || find(c, node_of(v, a)) == find(c, node_of(w, a)));
    return same;
}

/* By value id: is it a tile that can make classes meet, and the first one with its classes? */
static bool *first_of_classes(Classes *c)
{
    LIST(const Value *) found = { 0 };
    bool *first = new_array(bool, c->k->values.n + 1);
    for (int i = 0; i < c->k->values.n; i++) {
        const Value *v = c->k->values.at[i];
        int axes = 0;
        for (int a = 0; v->plan && v->type.kind == TYPE_TILE && a < v->type.rank; a++)
            axes += has_dim(&v->type, a);
        bool known = axes < 2;
        for (int k = found.n - 1; k >= 0 && !known; k--)
            known = same_classes(c, v, found.at[k]);
        if (known)
            continue;
        first[v->id] = true;
        push(&found, v);
    }
    return first;
}

/* Ties classes of one extent that no tile has together, but that stand beside the same third: the
   columns of two loops over the same rows. */
void merge_alike(Classes *c)
{
    const bool *first = first_of_classes(c);
    for (int i = 0; i < c->k->values.n; i++) {
        const Value *v = c->k->values.at[i];
        for (int a = 0; first[v->id] && a < v->type.rank; a++)
            merge_with_neighbours(c, v, a, first);
    }
}
