# make install PREFIX=/usr/local DESTDIR= LIBDIR=$(PREFIX)/lib; uninstall takes the same.
# SPDX-License-Identifier: MIT

PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
CMAKEDIR   := $(LIBDIR)/cmake/pbs
PKGDIR     := $(LIBDIR)/pkgconfig
LICENSEDIR := $(PREFIX)/share/licenses/libpbs

HEADERS  := $(notdir $(wildcard include/pbs/*.h))
LICENSES := LICENSE THIRD-PARTY.md

# Paths may hold spaces, and so each stands in quotes: $(call to,FOLDER).
to = "$(DESTDIR)$(1)"
folders = $(call to,$(INCLUDEDIR)/pbs) $(call to,$(PKGDIR)) $(call to,$(CMAKEDIR)) $(call to,$(LICENSEDIR))

# The templates know these words; paths in the CMake package are found relative to it, so it may be moved.
fill_in = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|g' \
              -e 's|@VERSION@|$(VERSION)|g' -e 's|@MAJOR@|$(MAJOR)|g' -e 's|@MINOR@|$(MINOR)|g' -e 's|@ABI@|$(ABI)|g' \
              -e 's|@REAL_LIB@|$(notdir $(REAL_LIB))|g' -e 's|@LIBS_PRIVATE@|$(LIBS_PRIVATE)|g'

install: lib                                     ## headers, libraries, pkg-config and CMake packages
	install -d $(folders)
	install -m 644 $(HEADERS:%=include/pbs/%) $(call to,$(INCLUDEDIR)/pbs)
	install -m 644 $(STATIC_LIB) $(call to,$(LIBDIR))
	install -m 755 $(REAL_LIB) $(call to,$(LIBDIR))
	ln -sf $(notdir $(REAL_LIB)) $(call to,$(LIBDIR)/$(SONAME))
	ln -sf $(SONAME) $(call to,$(LIBDIR)/libpbs.so)
	install -m 644 $(LICENSES) $(call to,$(LICENSEDIR))
	$(fill_in) pkgconfig/pbs.pc.in > $(call to,$(PKGDIR)/pbs.pc)
	$(fill_in) cmake/pbsConfig.cmake.in > $(call to,$(CMAKEDIR)/pbsConfig.cmake)
	$(fill_in) cmake/pbsConfigVersion.cmake.in > $(call to,$(CMAKEDIR)/pbsConfigVersion.cmake)
	@$(if $(DESTDIR),,echo 'Installed. Where $(LIBDIR) is one of the folders that programs load from, run ldconfig as root.')

uninstall:                                       ## what install put there
	cd $(call to,$(INCLUDEDIR)/pbs) && rm -f $(HEADERS)
	cd $(call to,$(LIBDIR)) && rm -f libpbs.a libpbs.so $(SONAME) $(notdir $(REAL_LIB))
	rm -f $(call to,$(PKGDIR)/pbs.pc) $(call to,$(CMAKEDIR)/pbsConfig.cmake) $(call to,$(CMAKEDIR)/pbsConfigVersion.cmake)
	cd $(call to,$(LICENSEDIR)) && rm -f $(LICENSES)
	@rmdir --ignore-fail-on-non-empty $(call to,$(INCLUDEDIR)/pbs) $(call to,$(CMAKEDIR)) $(call to,$(LICENSEDIR)) 2>/dev/null || true

.PHONY: install uninstall
