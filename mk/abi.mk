# The binary interface: what is exported, and the record that abi-check compares with.
# SPDX-License-Identifier: MIT

abi-check: $(SHARED_LIB)                         ## compare libpbs.so and the headers with the recorded ABI
	scripts/abi.sh check $(REAL_LIB) include lib/abi

abi-record: lib/libpbs.map $(SHARED_LIB)         ## record the ABI anew, after a reviewed change
	scripts/abi.sh record $(REAL_LIB) include lib/abi

map:                                             ## lib/libpbs.map from the PBS_API functions in the headers
	scripts/exports.sh --map $(ABI) > lib/libpbs.map

.PHONY: abi-check abi-record map
