/* launch_boxes.c -- tensor maps: what a launch function tells TMA of the operands of a kernel */
#include <string.h>
#include "launch.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* The first box of each map; NULL: there is no map of this number. */
static const Box *box_of_map(const Plan *p, int map)
{
    for (int i = 0; i < p->boxes.n; i++)
        if (p->boxes.at[i].map == map)
            return &p->boxes.at[i];
    return NULL;
}

/* a_map; a_map_2 if the tensor has another map already. */
const char *map_name(const Plan *p, const Box *box)
{
    int nth = 1;
    for (int map = 0; map < box->map; map++)
        nth += box_of_map(p, map)->param == box->param;
    const char *name = arena_printf("%s_map", c_name(p->kernel->params.at[box->param].name));
    return c_local(p->kernel->function, nth == 1 ? name : arena_printf("%s_%d", name, nth));
}

/* const __grid_constant__ CUtensorMap a_map, for each map. */
void map_params(Text *out, const Plan *p, int indent)
{
    bool first = false;
    const Box *box;
    for (int map = 0; (box = box_of_map(p, map)); map++)
        list_item(out, &first, indent,
                  arena_printf("const __grid_constant__ CUtensorMap %s", map_name(p, box)));
}

/* The names of all maps, as arguments. */
static void map_args(Pieces *args, const Plan *p)
{
    const Box *box;
    for (int map = 0; (box = box_of_map(p, map)); map++)
        push(args, map_name(p, box));
}

/* ---- making them ----------------------------------------------------------------------------- */

/* K, M: the extents of a tensor, innermost first. */
static const char *extents_list(const Plan *p, const Param *param)
{
    const char *text = NULL;
    for (int axis = param->type.rank - 1; axis >= 0; axis--) {
        const char *one = c_sym_host(p->kernel, param->type.dim[axis]);
        text = text ? arena_printf("%s, %s", text, one) : one;
    }
    return text;
}

/* 2 * a_stride: in bytes, of all axes but the innermost. */
static const char *strides_list(const Param *param)
{
    const char *text = NULL;
    for (int axis = param->type.rank - 2; axis >= 0; axis--) {
        const char *one = arena_printf("tile_times(%d, %s)", elem_info[param->type.elem].bytes,
                                       c_stride(param, axis));
        text = text ? arena_printf("%s, %s", text, one) : one;
    }
    return text;
}

/* 64, 128: elements of a box, innermost first. */
static const char *box_list(const Param *param, const Box *box)
{
    const char *text = arena_printf("%d", 128 / elem_info[param->type.elem].bytes);
    for (int axis = param->type.rank - 2; axis >= 0; axis--)
        text = arena_printf("%s, %lld", text, axis == box->outer ? (long long)box->rows : 1);
    return text;
}

/* The type of elements as TMA calls it. */
static const char *data_type(Elem elem)
{
    return elem == EL_F16 ? "FLOAT16" : elem == EL_BF16 ? "BFLOAT16"
         : elem == EL_TF32 ? "FLOAT32" : "UINT8";
}

/* What one map is made of; the condition that it could be made. */
static const char *box_lines(Text *out, const Plan *p, const Box *box, int indent)
{
    const Param *param = &p->kernel->params.at[box->param];
    const char *map = map_name(p, box);
    const char *name = c_local(p->kernel->function, arena_printf("%.*s_box", (int)strlen(map) - 4,
                                                                 map));
    bool first = true;
    text_printf(out, "%*sconst tile_box %s = {", indent, "", name);
    const int hang = indent + 19 + (int)strlen(name);
    list_item(out, &first, hang, arena_printf("CU_TENSOR_MAP_DATA_TYPE_%s",
                                              data_type(param->type.elem)));
    list_item(out, &first, hang, arena_printf("%d", param->type.rank));
    list_item(out, &first, hang, c_name(param->name));
    list_item(out, &first, hang, arena_printf("{%s}", extents_list(p, param)));
    list_item(out, &first, hang, arena_printf("{%s}", strides_list(param)));
    list_item(out, &first, hang, arena_printf("{%s}", box_list(param, box)));
    list_item(out, &first, hang, "false");
    text_printf(out, "};\n");
    return arena_printf("tile_box_map(&%s, %s)", map, name);
}

/* Makes all maps; opens the block in which they are there. */
static void open_maps(Text *out, const Plan *p, int indent)
{
    Pieces made = { 0 }, maps = { 0 };
    const Box *box;
    for (int map = 0; (box = box_of_map(p, map)); map++)
        push(&made, box_lines(out, p, box, indent));
    map_args(&maps, p);
    text_printf(out, "%*sCUtensorMap %s;\n%*sif (", indent, "", joined(&maps, ", "), indent, "");
    chain(out, indent + 4, "&&", &made);
    text_printf(out, ") {\n");
}

/* The entry whose operands are boxes: if the GPU has it, with the maps, if they can be made. */
void boxes_entry(const Launch *l, const Plan *p, const Entry *e, int indent)
{
    Pieces all = { 0 }, maps = { 0 };
    const char *needs = entry_needs(l, p, e), *symbol = c_global(l->f, e->symbol);
    const char *asked = arena_printf("tile_for_sm90a<%s>(%lld)", symbol, (long long)e->dynamic);
    const char *blocks = l->names.programs;
    const bool turns = e->body->turns;
    if (turns) {
        text_printf(l->out, "%*sconst int %s = %s;\n", indent, "", l->names.processors, asked);
        asked = arena_printf("%s > 0", l->names.processors);
        blocks = arena_printf("tile_blocks(%s, %s)", blocks, l->names.processors);
    }
    if (needs)
        push(&all, needs);
    push(&all, asked);
    text_printf(l->out, "%*sif (", indent, "");
    chain(l->out, indent + 4, "&&", &all);
    text_printf(l->out, ") {\n");
    open_maps(l->out, p, indent + 4);
    map_args(&maps, p);
    if (turns) {
        text_printf(l->out, "%*sconst int64_t %s = %s;\n", indent + 8, "", l->names.blocks, blocks);
        blocks = l->names.blocks;
    }
    start(l, indent + 8, symbol, blocks, arena_printf("%d", e->threads),
          arena_printf("%lld", (long long)e->dynamic), &maps);
    text_printf(l->out, "%*s}\n%*s}\n", indent + 4, "", indent, "");
}
