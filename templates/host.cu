// host.cu -- what launch functions share: the reason of a refusal, checks of tensors

// ---- tile_last_error
// One text a thread, shared by all translated files of a program (weak: any of them will do).
extern "C" {
__attribute__((weak)) thread_local char tile_error_text[256];
__attribute__((weak)) const char *tile_last_error(void) { return tile_error_text; }
}

// ---- REFUSE
// Ends a launch function, the reason in tile_last_error().
#define REFUSE(...)                                                          \
    return snprintf(tile_error_text, sizeof tile_error_text, __VA_ARGS__),   \
           cudaErrorInvalidValue

// ---- tile_bad_extent
// Negative, or more elements than there is memory for.
static bool tile_bad_extent(int64_t n)
{
    return n < 0 || n >= (int64_t)1 << 42;
}

// ---- tile_times
// The product; 2^60 or -2^60 where it is beyond: what it is held against is never so large.
static int64_t tile_times(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 60;
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > most || product < -most)
        return (a < 0) == (b < 0) ? most : -most;
    return product;
}

template <typename... More>
static int64_t tile_times(int64_t a, int64_t b, More... more)
{
    return tile_times(tile_times(a, b), more...);
}

// ---- tile_tensor
enum tile_access { TILE_SHARED, TILE_ATOMIC, TILE_EXCLUSIVE };
struct tile_axis { int64_t extent, stride; };

// A tensor as the checks see it: rows of contiguous elements, and the axes along which they lie.
struct tile_tensor {
    const char *name;
    const void *at;
    int bytes;                                  // of an element
    tile_access access;
    int64_t row;                                // elements; 0 if an optional tensor is not there
    int axes;
    tile_axis axis[6];
};

// ---- tile_bytes
// From the first byte to past the last one; 0 of an empty tensor.
static unsigned __int128 tile_bytes(const tile_tensor &t)
{
    unsigned __int128 elements = (uint64_t)t.row;
    bool empty = t.row == 0;
    for (int i = 0; i < t.axes; i++) {
        empty = empty || t.axis[i].extent == 0;
        elements += (unsigned __int128)(t.axis[i].extent - 1) * (uint64_t)t.axis[i].stride;
    }
    return empty ? 0 : elements * (unsigned)t.bytes;
}

// ---- tile_folded
// The axis along which t meets itself, or -1: its stride is less than what the axes inside it, of
// smaller strides, cover. (Strides that miss each other by luck alone count as meeting.)
static int tile_folded(const tile_tensor &t, long long *covered)
{
    for (int i = 0; i < t.axes; i++) {
        const tile_axis &axis = t.axis[i];
        unsigned __int128 inside = (uint64_t)t.row;
        for (int j = 0; j < t.axes; j++)
            if (j != i && t.axis[j].stride <= axis.stride)
                inside += (unsigned __int128)(t.axis[j].extent - 1) * (uint64_t)t.axis[j].stride;
        *covered = (long long)inside;
        if (axis.extent > 1 && (uint64_t)axis.stride < inside)
            return i;
    }
    return -1;
}

// ---- tile_turns
// Does t lie in the first *bytes of each pitch? So it does if longer strides are multiples of it.
static bool tile_turns(const tile_tensor &t, uint64_t pitch, uint64_t *bytes)
{
    *bytes = (uint64_t)t.row * t.bytes;
    for (int i = 0; i < t.axes; i++) {
        const uint64_t stride = (uint64_t)t.axis[i].stride * t.bytes;
        if (t.axis[i].extent > 1 && stride >= pitch && stride % pitch != 0)
            return false;
        if (t.axis[i].extent > 1 && stride < pitch)
            *bytes += (uint64_t)(t.axis[i].extent - 1) * stride;
    }
    return true;
}

// ---- tile_side_by_side
// Have a and b columns of their own in rows of one pitch? So q, k and v may share a buffer. Both
// are inside the address space, so that nothing here overflows.
static bool tile_side_by_side(const tile_tensor &a, const tile_tensor &b)
{
    if ((uintptr_t)a.at > (uintptr_t)b.at)
        return tile_side_by_side(b, a);
    for (int i = 0; i < a.axes; i++) {
        const uint64_t pitch = (uint64_t)a.axis[i].stride * a.bytes;
        uint64_t a_bytes, b_bytes;
        if (a.axis[i].extent <= 1 || pitch == 0 || !tile_turns(a, pitch, &a_bytes)
            || !tile_turns(b, pitch, &b_bytes))
            continue;
        const uint64_t apart = ((uintptr_t)b.at - (uintptr_t)a.at) % pitch;
        if (apart >= a_bytes && b_bytes <= pitch - apart)
            return true;
    }
    return false;
}

// ---- tile_aligned
// Does every row of t begin at a multiple of so many bytes?
static bool tile_aligned(const tile_tensor &t, int bytes)
{
    bool yes = (uintptr_t)t.at % bytes == 0;
    for (int i = 0; i < t.axes; i++)
        yes = yes && (t.axis[i].extent <= 1 || t.axis[i].stride * t.bytes % bytes == 0);
    return yes;
}

// ---- tile_fits
// Is t there, inside the address space and, if it is exclusive, no byte of it in two places?
static bool tile_fits(const char *kernel, const tile_tensor &t, unsigned __int128 bytes)
{
    const char *wrong = NULL;
    if (bytes == 0)
        return true;
    if (bytes > UINTPTR_MAX - (uintptr_t)t.at)
        wrong = "reaches beyond the end of memory";
    for (int i = 0; i < t.axes; i++)
        if (t.axis[i].extent > 1 && t.axis[i].stride < 0)
            wrong = "has a negative stride";
    if (!t.at)
        wrong = "is a null pointer";
    if (wrong) {
        snprintf(tile_error_text, sizeof tile_error_text, "%s: %s %s", kernel, t.name, wrong);
        return false;
    }
    long long covered;
    const int axis = t.access == TILE_SHARED ? -1 : tile_folded(t, &covered);
    if (axis >= 0)
        snprintf(tile_error_text, sizeof tile_error_text, "%s: elements of %s overlap: axis %d has "
                 "stride %lld, and what lies inside it covers %lld", kernel, t.name, axis,
                 (long long)t.axis[axis].stride, covered);
    return axis < 0;
}

// ---- tile_check
// The tensors of a launch: each fits, and one that is written shares no byte with another.
template <int N>
static bool tile_check(const char *kernel, const tile_tensor (&tensors)[N])
{
    uintptr_t end[N];
    for (int i = 0; i < N; i++) {
        const unsigned __int128 bytes = tile_bytes(tensors[i]);
        if (!tile_fits(kernel, tensors[i], bytes))
            return false;
        end[i] = bytes ? (uintptr_t)tensors[i].at + (uintptr_t)bytes : 0;
    }
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            const tile_tensor &a = tensors[i], &b = tensors[j];
            if ((a.access || b.access) && (uintptr_t)a.at < end[j] && (uintptr_t)b.at < end[i]
                && !tile_side_by_side(a, b)) {
                snprintf(tile_error_text, sizeof tile_error_text, "%s: %s and %s overlap; an "
                         "exclusive tensor may not alias another argument", kernel, a.name, b.name);
                return false;
            }
        }
    return true;
}

// ---- tile_allow_shared
// Lets a kernel have more shared memory than every device has; an error, with the reason, where a
// block of this device cannot have so much. Asked at each launch, since each device has its own.
static cudaError_t tile_allow_shared(const char *name, const void *kernel, int bytes)
{
    int device = 0, most = 0;
    cudaError_t error = bytes > 48 * 1024 ? cudaGetDevice(&device) : cudaSuccess;
    if (bytes <= 48 * 1024 || error != cudaSuccess)
        return error;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess)
        return error;
    if (bytes > most)
        REFUSE("%s: %d bytes of shared memory are needed; a block of this device has up to %d",
               name, bytes, most);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

// ---- tile_for_sm90a
// How many multiprocessors of the GPU in use can run the kernel with so many bytes of dynamic
// shared memory? None, if the kernel has no body in code for this GPU, and so none of the barriers
// that a body for sm_90a has in shared memory. Asked once for each device.
template <auto KERNEL>
static int tile_for_sm90a(int bytes)
{
    static int known[64];                       // -1: none, 0: not asked yet
    int device, count = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= 64)
        return 0;
    count = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (count == 0) {
        const void *const kernel = (const void *)KERNEL;
        cudaFuncAttributes found;
        if (cudaFuncGetAttributes(&found, kernel) != cudaSuccess || found.sharedSizeBytes == 0
            || cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    bytes) != cudaSuccess
            || cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount,
                                      device) != cudaSuccess)
            count = -1;
        __atomic_store_n(&known[device], count, __ATOMIC_RELAXED);
    }
    return count > 0 ? count : 0;
}

// ---- tile_blocks
// Blocks that run programs one after the other: as few as are done no later than one on each
// multiprocessor would be.
static int64_t tile_blocks(int64_t programs, int multiprocessors)
{
    return tile_ceil(programs, tile_ceil(programs, multiprocessors));
}

// ---- tile_variant
// Programs of a tiling, and how long one takes with boxes and without, in units that tilings share.
struct tile_tiling { int64_t programs, boxes, plain; };

// The tiling whose programs take the least time together, on all multiprocessors of the GPU in use:
// in waves, of which the last may leave many of them idle. The first of equals.
template <int N>
static int tile_variant(bool boxes, const tile_tiling (&tilings)[N])
{
    int device = 0, multiprocessors = 0, best = 0;
    if (cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                  device) != cudaSuccess)
        return 0;
    for (int i = 0; i < N; i++) {
        const auto time = [&](const tile_tiling &t) {
            return tile_times(tile_ceil(t.programs, multiprocessors), boxes ? t.boxes : t.plain);
        };
        if (time(tilings[i]) < time(tilings[best]))
            best = i;
    }
    return best;
}

// ---- tile_driver
// A function of the driver, found without linking to it; NULL: there is none.
static void *tile_driver(const char *name)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 12000,
                                                               cudaEnableDefault, &found);
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

// ---- tile_box
// Boxes of a tensor as TMA copies them: axes innermost first, extents and boxes in elements,
// strides in bytes, of all axes but the first.
struct tile_box {
    CUtensorMapDataType type;
    unsigned axes;
    const void *at;
    int64_t extents[5], strides[4];
    uint32_t box[5];
    bool plain;                                 // rows of a box stay as they are; otherwise they
                                                // are 128 bytes and swizzled, as wgmma wants them
};

// ---- tile_box_map
// The map by which TMA finds boxes; false if the tensor is none that it can copy from: its address
// and strides are multiples of 16 bytes, its extents here from 1 to 2^30.
static bool tile_box_map(CUtensorMap *map, const tile_box &b)
{
    typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static Encode *const encode = (Encode *)tile_driver("cuTensorMapEncodeTiled");
    static const uint32_t ones[5] = {1, 1, 1, 1, 1};
    cuuint64_t extents[5], strides[4];
    for (unsigned i = 0; i < b.axes; i++) {
        if (b.extents[i] < 1 || b.extents[i] > 1 << 30)
            return false;
        extents[i] = (cuuint64_t)b.extents[i];
        if (i > 0)
            strides[i - 1] = (cuuint64_t)b.strides[i - 1];
    }
    if (!encode)
        return false;
    return encode(map, b.type, b.axes, (void *)b.at, extents, strides, b.box, ones,
                  CU_TENSOR_MAP_INTERLEAVE_NONE,
                  b.plain ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
