# Packages that benches compare libpbs with and that examples plug into it, each used where Debian's package of it is
# installed (known by a header). bench/ROOM/NAME_*.cpp is a program against the package NAME; bench/peers/NAME.c or .cpp
# holds solvers that bench/linear opens (bench/peers/peer.h); examples/hosts/NAME.c is a host with that package.
# FOLDERS: where its headers lie; START: what starts a program of it, if anything.
# SPDX-License-Identifier: MIT

bullet_HEADER   := /usr/include/bullet/btBulletDynamicsCommon.h
bullet_FOLDERS  := /usr/include/bullet
bullet_LIBS     := -lBulletSoftBody -lBulletDynamics -lBulletCollision -lLinearMath -lstdc++
cholmod_HEADER  := /usr/include/suitesparse/cholmod.h
cholmod_FOLDERS := /usr/include/suitesparse
cholmod_LIBS    := -lcholmod
eigen_HEADER    := /usr/include/eigen3/Eigen/Sparse
eigen_FOLDERS   := /usr/include/eigen3
eigen_LIBS      := -lstdc++
hypre_HEADER    := /usr/include/hypre/HYPRE.h
hypre_FOLDERS    = /usr/include/hypre $(patsubst -I%,%,$(shell pkg-config --cflags-only-I ompi-c))
hypre_LIBS       = -lHYPRE $(shell pkg-config --libs ompi-c)
hypre_START     := mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 2
mumps_HEADER    := /usr/include/mumps_seq/mpi.h
mumps_FOLDERS   := /usr/include/mumps_seq
mumps_LIBS      := -ldmumps_seq

# build/obj/bench/bullet_cantilever.o -> bullet
package = $(firstword $(subst _, ,$(notdir $(basename $(1)))))
# Those of some sources whose package is there.
usable  = $(foreach source,$(1),$(if $(wildcard $($(call package,$(source))_HEADER)),$(source)))
# So that a package's warnings are left to its authors.
package_headers = $(addprefix -isystem ,$($(call package,$(1))_FOLDERS))
package_libraries = $($(call package,$(1))_LIBS)
