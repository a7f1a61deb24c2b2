/* sym_test.c -- formulas: equal ones are one pointer, and folding never changes a number */
#include "base.h"
#include <stdlib.h>
#include <string.h>

static int passed, failed;

/* Counts one check, and prints it if it fails. */
static void check(bool good, const char *what)
{
    if (good) passed++; else failed++;
    if (!good) printf("sym: %s\n", what);
}

static void text_is(Sym s, const char *text)
{
    check(!strcmp(sym_text(s), text), arena_printf("%s, not %s", sym_text(s), text));
}

static void same(Sym a, Sym b)
{
    check(a == b, arena_printf("%s is not %s", sym_text(a), sym_text(b)));
}

static Sym num(int64_t k)        { return sym_const(k); }
static Sym var(const char *name) { return sym_name(name_of(name)); }

/* ---- forms ----------------------------------------------------------------------------------- */

static void test_polynomials(void)
{
    Sym m = var("M"), n = var("N"), k = var("K");
    same(sym_add(m, n), sym_add(n, m));
    same(sym_mul(sym_add(m, num(1)), sym_sub(m, num(1))), sym_sub(sym_mul(m, m), num(1)));
    same(sym_sub(sym_add(m, n), n), m);
    same(sym_sub(m, m), num(0));
    same(sym_mul(sym_mul(m, n), k), sym_mul(k, sym_mul(n, m)));
    same(sym_add(sym_mul(num(2), m), m), sym_mul(num(3), m));
    same(sym_mul(num(0), m), num(0));
    text_is(sym_add(sym_mul(m, n), num(1)), "M * N + 1");
    text_is(sym_sub(num(1), m), "1 - M");
    text_is(sym_sub(sym_sub(m, sym_mul(num(2), n)), num(3)), "M - 2 * N - 3");
    text_is(sym_sub(num(0), m), "-M");
    text_is(sym_mul(sym_ceil(m, num(8)), n), "N * ceil(M, 8)");
}

static void test_quotients(void)
{
    Sym m = var("M"), n = var("N");
    same(sym_div(sym_mul(num(2), n), num(2)), n);
    same(sym_div(sym_add(sym_mul(num(8), n), num(16)), num(8)), sym_add(n, num(2)));
    same(sym_div(sym_add(n, num(8)), num(8)), sym_add(sym_div(n, num(8)), num(1)));
    same(sym_div(sym_mul(m, n), n), m);
    same(sym_div(sym_add(sym_mul(m, n), sym_mul(m, num(3))), sym_add(n, num(3))), m);
    same(sym_div(sym_div(n, num(2)), num(4)), sym_div(n, num(8)));
    same(sym_div(num(-7), num(2)), num(-4));
    same(sym_div(num(7), num(-2)), num(-4));
    same(sym_ceil(m, num(1)), m);
    same(sym_ceil(sym_mul(num(24), m), num(8)), sym_mul(num(3), m));
    same(sym_ceil(sym_mul(m, num(6)), num(4)), sym_ceil(sym_mul(m, num(3)), num(2)));
    same(sym_ceil(num(-7), num(2)), num(-3));
    same(sym_ceil(sym_ceil(m, num(4)), num(8)), sym_ceil(m, num(32)));
    same(sym_ceil(sym_mul(m, n), n), m);
    text_is(sym_div(sym_add(m, num(1)), num(8)), "(M + 1) / 8");
    text_is(sym_ceil(sym_sub(m, num(1)), num(8)), "ceil(M - 1, 8)");
    text_is(sym_mul(num(2), sym_div(m, num(3))), "2 * (M / 3)");
    check(sym_is_bad(sym_div(m, num(0))), "M / 0");
    check(sym_is_bad(sym_add(sym_div(m, num(0)), n)), "M / 0 + N");
}

static void test_remainders(void)
{
    Sym m = var("M"), n = var("N");
    same(sym_mod(sym_mul(num(8), m), num(4)), num(0));
    same(sym_mod(sym_add(sym_mul(num(8), m), n), num(8)), sym_mod(n, num(8)));
    same(sym_mod(sym_mul(num(9), n), num(8)), sym_mod(n, num(8)));
    same(sym_mod(num(-7), num(4)), num(1));
    same(sym_mod(num(7), num(-4)), num(-1));
    same(sym_mod(sym_mod(n, num(8)), num(4)), sym_mod(n, num(4)));
    same(sym_mod(sym_mod(n, num(4)), num(8)), sym_mod(n, num(4)));
    same(sym_mod(sym_mul(m, n), n), num(0));
    text_is(sym_mod(n, num(16)), "N % 16");
    check(sym_is_bad(sym_mod(m, num(0))), "M % 0");
}

static void test_extremes(void)
{
    Sym m = var("M"), n = var("N");
    same(sym_min(num(3), num(5)), num(3));
    same(sym_max(num(3), num(5)), num(5));
    same(sym_min(m, m), m);
    same(sym_min(m, sym_add(m, num(1))), m);
    same(sym_max(m, sym_add(m, num(1))), sym_add(m, num(1)));
    same(sym_min(m, n), sym_min(n, m));
    same(sym_min(sym_min(m, n), n), sym_min(m, n));
    same(sym_min(sym_min(m, num(4)), num(8)), sym_min(m, num(4)));
    same(sym_max(num(8), sym_max(m, num(4))), sym_max(m, num(8)));
    text_is(sym_min(n, sym_add(m, num(8))), "min(N, M + 8)");
}

static void test_divides(void)
{
    Sym m = var("M"), n = var("N"), e = sym_mul(num(8), m);
    check(sym_divides(8, e) && sym_divides(4, e) && !sym_divides(16, e), "8 * M");
    check(sym_divides(8, sym_add(e, num(16))), "8 * M + 16");
    check(!sym_divides(8, sym_add(e, n)), "8 * M + N");
    check(sym_divides(4, sym_min(e, sym_mul(num(12), n))), "min(8 * M, 12 * N)");
    check(sym_divides(8, sym_mul(num(2), sym_min(e, sym_mul(num(12), n)))), "2 * min(8 * M, 12 * N)");
    check(sym_divides(1, m) && sym_divides(-1, m) && !sym_divides(0, m), "1, 0 of M");
    check(sym_divides(7, num(0)) && sym_divides(0, num(0)), "0");
}

static void test_limits(void)
{
    Sym big = num(INT64_MAX), m = var("M"), s = num(0);
    check(sym_is_bad(sym_add(big, num(1))), "overflow of +");
    check(sym_is_bad(sym_mul(big, num(2))), "overflow of *");
    check(sym_is_bad(sym_mul(sym_mul(big, m), num(2))), "overflow of a coefficient");
    check(sym_is_bad(sym_div(num(INT64_MIN), num(-1))), "overflow of /");
    check(!sym_is_bad(sym_div(num(INT64_MIN), num(3))), "the lowest by 3");
    for (int i = 0; i < 100; i++) s = sym_add(s, var(arena_printf("x%d", i)));
    check(sym_is_bad(s), "a sum of 100 names");
    s = m;
    for (int i = 0; i < 100; i++) s = sym_mul(s, sym_add(s, num(1)));
    check(sym_is_bad(s), "a power of 2^100");
}

/* ---- numbers: random formulas against plain arithmetic -------------------------------------------- */

static uint64_t seed = 1;
static int64_t pick(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}

static int64_t numbers[4];
static const char *const names[] = { "M", "N", "K", "H" };

static bool number_of(Sym atom, int64_t *k, void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++)
        if (atom->name == name_of(names[i])) return *k = numbers[i], true;
    return false;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* A random formula, and its number by plain arithmetic; *good: false where that divides by 0. */
static Sym grow(int depth, int64_t *k, bool *good)
{
    int64_t a, b;
    int what = depth ? (int)pick(9) : (int)pick(2);
    if (what == 0) return num(*k = pick(21) - 10);
    if (what == 1) { int i = (int)pick(4); *k = numbers[i]; return var(names[i]); }
    Sym x = grow(depth - 1, &a, good);
    Sym y = what >= 5 && what <= 7 && pick(2) ? num(b = pick(16) - 4) : grow(depth - 1, &b, good);
    *good = *good && !(what >= 5 && what <= 7 && b == 0);
    int64_t d = b ? b : 1;
    switch (what) {
    case 2:  *k = a + b; return sym_add(x, y);
    case 3:  *k = a - b; return sym_sub(x, y);
    case 4:  *k = a * b; return sym_mul(x, y);
    case 5:  *k = floor_div(a, d); return sym_div(x, y);
    case 6:  *k = a - d * floor_div(a, d); return sym_mod(x, y);
    case 7:  *k = -floor_div(-a, d); return sym_ceil(x, y);
    default: *k = pick(2) ? (a < b ? a : b) : (a > b ? a : b);
             return *k == a && *k == b ? x : *k == (a < b ? a : b) ? sym_min(x, y) : sym_max(x, y);
    }
}

static Sym itself(Sym atom, void *arg) { (void)arg; return atom; }

static void test_numbers(void)
{
    int wrong = 0, moved = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t k, got;
        bool good = true;
        for (int j = 0; j < 4; j++) numbers[j] = pick(12);
        Sym s = grow(3, &k, &good);
        if (!good || sym_is_bad(s)) continue;
        if (!sym_eval(s, number_of, NULL, &got)) continue;     /* a divisor that is 0 here */
        wrong += got != k;
        moved += sym_replace(s, itself, NULL) != s;
        if (got != k && wrong < 4)
            printf("sym: %s is %lld, not %lld\n", sym_text(s), (long long)got, (long long)k);
        if (sym_replace(s, itself, NULL) != s && moved < 4)
            printf("sym: %s became %s\n", sym_text(s), sym_text(sym_replace(s, itself, NULL)));
    }
    check(wrong == 0, "numbers of random formulas");
    check(moved == 0, "replacing nothing keeps a formula");
}

int main(void)
{
    test_polynomials();
    test_quotients();
    test_remainders();
    test_extremes();
    test_divides();
    test_limits();
    test_numbers();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    arena_free_all();
    return failed != 0;
}
