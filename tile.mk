# tile.mk -- for Makefiles of CUDA projects: include it, and x.tile becomes x.cu and x.h
#
#     include /usr/local/share/tilec/tile.mk
#     softmax.o: softmax.cu
#
# A .cu is made again if its .tile, or a file that it uses, has changed.
TILEC ?= tilec
TILECFLAGS ?=

%.cu %.h %.d: %.tile
	$(TILEC) $(TILECFLAGS) -MD $< -o $*.cu

-include $(patsubst %.tile,%.d,$(wildcard *.tile))
