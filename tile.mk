# tile.mk -- for Makefiles of CUDA projects: include it, and x.tile becomes x.cu and x.h
#
#     include /usr/local/share/tilec/tile.mk
#     softmax.o: softmax.cu
#
# tilec runs again if the .tile, or a file that it uses, has changed. It leaves a .cu and a .h alone
# that come out as they are, so what is made from them stays; the .d tells when it ran.
TILEC ?= tilec
TILECFLAGS ?=

%.d: %.tile
	$(TILEC) $(TILECFLAGS) -MF $@ $< -o $*.cu && sed -i '1s|: | $@: |' $@
%.cu %.h: %.d ;

.PRECIOUS: %.cu %.h %.d
-include $(wildcard $(patsubst %.tile,%.d,$(wildcard *.tile)))
