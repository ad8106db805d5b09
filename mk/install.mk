# make install PREFIX=/usr/local DESTDIR= LIBDIR=$(PREFIX)/lib; uninstall takes the same.

PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
CMAKEDIR   := $(LIBDIR)/cmake/pbs
PKGDIR     := $(LIBDIR)/pkgconfig
LICENSEDIR := $(PREFIX)/share/licenses/libpbs

HEADERS := $(notdir $(wildcard include/pbs/*.h))

# The templates know four words; paths in the CMake package are found relative to it, so it may be moved.
fill_in = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|g' \
              -e 's|@VERSION@|$(VERSION)|g' -e 's|@MAJOR@|$(MAJOR)|g' -e 's|@MINOR@|$(MINOR)|g' \
              -e 's|@REAL_LIB@|$(notdir $(REAL_LIB))|g' -e 's|@LIBS_PRIVATE@|$(LIBS_PRIVATE)|g'

install: lib                                     ## headers, libraries, pkg-config and CMake packages
	install -d $(addprefix $(DESTDIR),$(INCLUDEDIR)/pbs $(PKGDIR) $(CMAKEDIR) $(LICENSEDIR))
	install -m 644 $(HEADERS:%=include/pbs/%) $(DESTDIR)$(INCLUDEDIR)/pbs
	install -m 644 $(STATIC_LIB) $(DESTDIR)$(LIBDIR)
	install -m 755 $(REAL_LIB) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(REAL_LIB)) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpbs.so
	install -m 644 LICENSE $(DESTDIR)$(LICENSEDIR)
	$(fill_in) pkgconfig/pbs.pc.in > $(DESTDIR)$(PKGDIR)/pbs.pc
	$(fill_in) cmake/pbsConfig.cmake.in > $(DESTDIR)$(CMAKEDIR)/pbsConfig.cmake
	$(fill_in) cmake/pbsConfigVersion.cmake.in > $(DESTDIR)$(CMAKEDIR)/pbsConfigVersion.cmake

uninstall:                                       ## what install put there
	rm -f $(HEADERS:%=$(DESTDIR)$(INCLUDEDIR)/pbs/%)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libpbs.a libpbs.so $(SONAME) $(notdir $(REAL_LIB)))
	rm -f $(DESTDIR)$(PKGDIR)/pbs.pc $(addprefix $(DESTDIR)$(CMAKEDIR)/,pbsConfig.cmake pbsConfigVersion.cmake)
	rm -f $(DESTDIR)$(LICENSEDIR)/LICENSE
	@rmdir --ignore-fail-on-non-empty $(addprefix $(DESTDIR),$(INCLUDEDIR)/pbs $(CMAKEDIR) $(LICENSEDIR)) 2>/dev/null || true

.PHONY: install uninstall
