/* tile_symbols.cpp -- what the loaded files tell: shared arrays, static data, names and lines */

/* Shared arrays are thread-local variables; their names and sizes stand in the symbol table of the
 * file that they come from, and dl_iterate_phdr says where this OS thread has them. */

#include <cxxabi.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include "tile_scheduler.h"

struct Symbol {
    std::string name;
    uintptr_t value, size;
};

/* A loaded file: the program or a shared object. */
struct Module {
    std::string path;
    uintptr_t base, low, high;              // load address; first and last byte of its segments
    uintptr_t tls, tls_bytes;               // this OS thread's copy of its thread-local data, or 0
};

static std::mutex lock;
static std::map<std::string, std::vector<Symbol>> tables;   // by path

/* ---- reading a file's symbol table -------------------------------------------------- */

/* "softmax_block<4>(..)::partial" and its mangled form become "partial", "f(int)" becomes "f". */
static std::string short_name(const char *mangled)
{
    int status;
    char *const plain = abi::__cxa_demangle(mangled, NULL, NULL, &status);
    std::string name = plain ? plain : mangled;
    free(plain);
    const size_t colons = name.rfind("::");
    if (colons != std::string::npos && name.find('(', colons) == std::string::npos)
        return name.substr(colons + 2);
    return name.substr(0, name.find('('));
}

/* The functions and thread-local variables among the n symbols at s. */
static std::vector<Symbol> useful(const Elf64_Sym *s, size_t n, const char *names)
{
    std::vector<Symbol> symbols;
    for (size_t i = 0; i < n; i++) {
        const int type = ELF64_ST_TYPE(s[i].st_info);
        if ((type == STT_TLS || type == STT_FUNC) && s[i].st_shndx != SHN_UNDEF && s[i].st_size > 0)
            symbols.push_back({(type == STT_TLS ? "*" : "") + std::string(names + s[i].st_name),
                               s[i].st_value, s[i].st_size});
    }
    return symbols;
}

/* Reads the table of an ELF file; no symbols if there is no such file or it was stripped.
 * Names stay mangled; those of thread-local variables begin with '*'. */
static std::vector<Symbol> read_table(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    const Elf64_Ehdr *const head = (const Elf64_Ehdr *)bytes.data();
    if (bytes.size() < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG)
        || head->e_shoff + (size_t)head->e_shnum * sizeof(Elf64_Shdr) > bytes.size())
        return {};
    const Elf64_Shdr *const sections = (const Elf64_Shdr *)(bytes.data() + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return useful((const Elf64_Sym *)(bytes.data() + sections[i].sh_offset),
                          sections[i].sh_size / sizeof(Elf64_Sym),
                          bytes.data() + sections[sections[i].sh_link].sh_offset);
    return {};
}

/* ---- the loaded files --------------------------------------------------------------- */

/* Notes one loaded file; called by dl_iterate_phdr. */
static int note_module(struct dl_phdr_info *info, size_t, void *list)
{
    Module m = {info->dlpi_name, info->dlpi_addr, UINTPTR_MAX, 0, 0, 0};
    if (m.path.empty()) {
        char path[PATH_MAX];
        const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
        m.path.assign(path, n > 0 ? n : 0);
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
        if (p->p_type == PT_TLS) {
            m.tls = (uintptr_t)info->dlpi_tls_data;
            m.tls_bytes = p->p_memsz;
        } else if (p->p_type == PT_LOAD) {
            m.low = std::min(m.low, m.base + p->p_vaddr);
            m.high = std::max(m.high, m.base + p->p_vaddr + p->p_memsz);
        }
    }
    ((std::vector<Module> *)list)->push_back(m);
    return 0;
}

static std::vector<Module> loaded(void)
{
    std::vector<Module> modules;
    dl_iterate_phdr(note_module, &modules);
    return modules;
}

/* The symbols of a loaded file, read once. */
static const std::vector<Symbol> &symbols_of(const Module &m)
{
    std::lock_guard<std::mutex> hold(lock);
    const auto found = tables.find(m.path);
    if (found != tables.end())
        return found->second;
    return tables[m.path] = read_table(m.path);
}

/* The loaded file that contains an address; false if none does. */
static bool find_module(uintptr_t address, Module *module)
{
    for (const Module &m : loaded())
        if (m.low <= address && address < m.high) {
            *module = m;
            return true;
        }
    return false;
}

/* ---- shared arrays ------------------------------------------------------------------ */

static uintptr_t shared_key(const std::vector<Module> &modules)
{
    uintptr_t key = (uintptr_t)&tile_self;
    for (const Module &m : modules)
        key = key * 31 + m.tls;
    return key;
}

static void forget_shared(TileWorker *w)
{
    for (TileArray *a : w->shared) {
        tile_drop_shadow(a);
        delete a;
    }
    w->shared.clear();
    w->statics.clear();
    w->dynamic = NULL;
}

/* shared: false for what g++ adds, which may be read before anyone writes to it. */
static void add_array(TileWorker *w, uintptr_t low, size_t bytes, const std::string &name,
                      bool shared = true)
{
    const int flags = shared ? 0 : TILE_NO_RACES;
    w->shared.push_back(
        new TileArray{low, low + bytes, name, flags, shared, false, NULL, NULL, bytes});
    if (name == "smem" && bytes == TILE_MAX_SHARED)
        w->dynamic = w->shared.back();
}

/* Adds the thread-local variables of one file. One that was stripped gives all in one piece. */
static void add_shared(TileWorker *w, const Module &m)
{
    const size_t before = w->shared.size();
    for (const Symbol &s : symbols_of(m))
        if (s.name[0] == '*')
            add_array(w, m.tls + s.value, s.size, short_name(s.name.c_str() + 1),
                      s.name.compare(1, 4, "_ZGV") != 0);
    if (w->shared.size() == before && strstr(m.path.c_str(), "/libc.so") == NULL)
        add_array(w, m.tls, m.tls_bytes, "memory of " + m.path);
}

bool tile_load_shared(TileWorker *w)
{
    const std::vector<Module> modules = loaded();
    const uintptr_t key = shared_key(modules);
    if (key == w->shared_key)
        return false;
    w->shared_key = key;
    forget_shared(w);
    for (const Module &m : modules) {
        w->statics.push_back({m.low, m.high});
        if (m.tls)
            add_shared(w, m);
    }
    std::sort(w->shared.begin(), w->shared.end(),
              [](const TileArray *a, const TileArray *b) { return a->low < b->low; });
    return true;
}

/* ---- names and lines ---------------------------------------------------------------- */

std::string tile_function_name(const void *pc)
{
    Module m;
    if (!find_module((uintptr_t)pc, &m))
        return "?";
    for (const Symbol &s : symbols_of(m))
        if (s.name[0] != '*' && (uintptr_t)pc - m.base - s.value < s.size)
            return short_name(s.name.c_str());
    return "?";
}

/* "softmax.cu:200" by way of addr2line, if there is one and the file was compiled with -g; or else
 * the name of the function. pc is a return address: the call is the byte before. Of the emulator's
 * own inline functions it is the place of the call that counts. */
std::string tile_source_line(const void *pc)
{
    Module m;
    char line[512] = "";
    if (!find_module((uintptr_t)pc, &m))
        return "?";
    const size_t call = (uintptr_t)pc - 1 - m.base;
    const std::string command = tile_format("addr2line -i -s -e '%s' 0x%zx 2>/dev/null",
                                            m.path.c_str(), call);
    FILE *const pipe = popen(command.c_str(), "r");
    if (pipe) {
        while (fgets(line, sizeof line, pipe) && !strncmp(line, "tile_", 5) && strstr(line, ".h:"))
            ;
        line[strcspn(line, " \n")] = '\0';
        pclose(pipe);
    }
    return line[0] && line[0] != '?' ? line : tile_function_name(pc);
}
