# make release VERSION=x.y.z CHECK=full: what is committed becomes a release, which is tagged here and not pushed. Its archive
# is packed and tried before the tag is made, so that nothing stands in the way of a second attempt.
# SPDX-License-Identifier: MIT

# The version is said once more, so that none is released by accident.
WANTED  := $(if $(filter command,$(origin VERSION)),$(VERSION))
ARCHIVE := $(BUILD)/release/libpbs-$(WANTED).tar.gz

release:                                         ## check, pack, try and tag what is committed; VERSION=x.y.z, CHECK=none: no checks
	@scripts/release.sh ready $(WANTED)
	+@$(if $(filter none,$(CHECK)),echo 'CHECK=none: nothing was checked',$(MAKE) --no-print-directory check)
	@scripts/release.sh pack $(WANTED) $(ARCHIVE)
	@scripts/release.sh try $(WANTED) $(ARCHIVE)
	@scripts/release.sh tag $(WANTED) $(ARCHIVE)

.PHONY: release
