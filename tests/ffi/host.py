# A host in Python, through ctypes alone: what the author of a binding does, from the headers in include/pbs.
#   python3 host.py LIBRARY LAYOUT CASE
# SPDX-License-Identifier: MIT
import ctypes as c
import math
import sys

SIZE, U32, I32, U64, DOUBLE, POINTER = c.c_size_t, c.c_uint32, c.c_int32, c.c_uint64, c.c_double, c.c_void_p
DOUBLES, INDICES, INTEGERS, FLOATS = c.POINTER(DOUBLE), c.POINTER(U32), c.POINTER(I32), c.POINTER(c.c_float)
CUSTOM_FN = c.CFUNCTYPE(I32, POINTER, SIZE, DOUBLES, I32, DOUBLES, DOUBLES, DOUBLES)
FORCE_FN = c.CFUNCTYPE(I32, POINTER, DOUBLE, DOUBLES, DOUBLES, DOUBLES)
JACOBIAN_FN = c.CFUNCTYPE(I32, POINTER, DOUBLE, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
LOG_FN = c.CFUNCTYPE(None, POINTER, I32, c.c_char_p)


def struct(name, *members):
    return type(name, (c.Structure,), {"_fields_": [(member, kind) for kind, names in members for member in names.split()]})


Body = struct("pbs_body", (U64, "id"))
Collider = struct("pbs_collider", (U64, "id"))
Allocator = struct("pbs_allocator", (POINTER, "allocate release user"))
Log = struct("pbs_log", (LOG_FN, "write"), (POINTER, "user"))
Tasks = struct("pbs_tasks", (POINTER, "parallel_for user"))
ExpertDesc = struct(
    "pbs_expert_desc", (U32, "struct_size"),
    (I32, "method line_search project_hessian initial_guess alignment preconditioner preconditioner_order assembly"),
    (U32, "linear_limit"), (DOUBLE, "forcing step_length_limit"),
    (I32, "allow_unconverged barrier velocity_rule adaptive_stiffness"))
WorldDesc = struct(
    "pbs_world_desc", (U32, "struct_size"), (I32, "threads"), (DOUBLE * 3, "gravity"), (Allocator, "allocator"),
    (Log, "log"), (Tasks, "tasks"), (I32, "contact body_contact"), (DOUBLE, "contact_distance contact_stiffness slip_velocity"),
    (U32, "friction_iterations newton_limit divisions"), (I32, "processor_independent"),
    (DOUBLE, "tolerance relative_tolerance velocity_tolerance"), (U32, "fracture_passes fracture_limit"), (c.POINTER(ExpertDesc), "expert"),
    (U32, "impact_steps call_limit"))
SolidDesc = struct(
    "pbs_solid_desc", (U32, "struct_size"), (I32, "material"), (SIZE, "vertex_count"), (DOUBLES, "positions"),
    (SIZE, "tet_count"), (INDICES, "tets"), (DOUBLE, "density young poisson damping drag"),
    (DOUBLES, "tet_density tet_young tet_poisson initial_positions initial_velocities"),
    (DOUBLE, "yield_stress hardening plastic_viscosity plastic_limit"))
ShellDesc = struct(
    "pbs_shell_desc", (U32, "struct_size"), (I32, "flat_rest"), (SIZE, "vertex_count"), (DOUBLES, "positions"),
    (SIZE, "triangle_count"), (INDICES, "triangles"),
    (DOUBLE, "thickness density young poisson bending_young damping drag"),
    (DOUBLES, "initial_positions initial_velocities rest_angles"), (SIZE, "clamped_edge_count"),
    (INDICES, "clamped_edges"), (DOUBLES, "clamped_directions"), (I32, "bending"), (U32, "reserved"),
    (DOUBLE, "yield_curvature stretch_limit"))
CustomDesc = struct(
    "pbs_custom_desc", (U32, "struct_size width"), (SIZE, "vertex_count"), (DOUBLES, "positions velocities masses"),
    (SIZE, "stencil_count"), (INDICES, "stencils"), (CUSTOM_FN, "evaluate"), (POINTER, "user"),
    (I32, "concurrent no_gravity"), (U64, "tag"), (DOUBLE, "damping"), (I32, "is_linear reserved"))
SpringsDesc = struct(
    "pbs_springs_desc", (U32, "struct_size"), (I32, "no_gravity"), (SIZE, "vertex_count"),
    (DOUBLES, "positions velocities masses"), (SIZE, "spring_count"), (INDICES, "springs"),
    (DOUBLE, "stiffness damping drag"), (DOUBLES, "spring_stiffness rest_lengths"))
BondedDesc = struct(
    "pbs_bonded_desc", (U32, "struct_size"), (I32, "no_gravity"), (SIZE, "particle_count"),
    (DOUBLES, "positions velocities angular_velocities radii masses"), (SIZE, "bond_count"), (INDICES, "bonds"),
    (DOUBLE, "density bond_radius young shear_modulus shear_factor drag"),
    (DOUBLES, "bond_radii bond_young bond_shear_moduli"), (I32, "shear reserved"), (SIZE, "vertex_count"),
    (DOUBLES, "vertices"), (SIZE, "tet_count"), (INDICES, "tets"), (DOUBLE, "macro_young macro_poisson"),
    (DOUBLE, "tensile_strength shear_strength"), (DOUBLES, "bond_tensile_strengths bond_shear_strengths"),
    (DOUBLE, "contact_scale"), (DOUBLES, "contact_radii"),
    (DOUBLE, "fracture_energy"), (DOUBLES, "bond_fracture_energies"), (DOUBLE, "weibull_modulus"), (U64, "seed"),
    (DOUBLE, "damping"))
PeridynamicDesc = struct(
    "pbs_peridynamic_desc", (U32, "struct_size"),
    (I32, "no_gravity dimension whole_volumes no_calibration no_surface_correction"), (SIZE, "particle_count"),
    (DOUBLES, "positions velocities volumes box"), (SIZE, "vertex_count"), (DOUBLES, "vertices"), (SIZE, "tet_count"),
    (INDICES, "tets"), (DOUBLE, "spacing horizon section density young"),
    (DOUBLES, "particle_densities particle_young"), (DOUBLE, "fracture_energy critical_stretch"),
    (DOUBLES, "particle_fracture_energies"), (DOUBLE, "weibull_modulus"), (U64, "seed"),
    (DOUBLE, "damping drag contact_scale"), (DOUBLES, "contact_radii"),
    (DOUBLE, "tensile_strength softening_knee softening_initial"))
BondLoad = struct(
    "pbs_bond_load", (DOUBLE, "normal shear torsion bending normal_stress shear_stress stretch"))
BrokenBond = struct(
    "pbs_broken_bond", (Body, "body"), (U32, "bond reserved"), (DOUBLE, "time normal_stress shear_stress energy stretch"))
Fragment = struct(
    "pbs_fragment", (U32, "parent reserved"), (SIZE, "particle_count"), (DOUBLE, "mass"),
    (DOUBLE * 3, "center velocity angular_velocity"), (DOUBLE * 9, "inertia"))
FractureSurface = struct(
    "pbs_fracture_surface", (U32, "struct_size reserved"), (SIZE, "vertex_count triangle_count"),
    (INDICES, "triangles origins particles"), (POINTER, "cracked"))
AffineDesc = struct(
    "pbs_affine_desc", (U32, "struct_size"), (I32, "no_gravity"), (SIZE, "vertex_count"), (DOUBLES, "positions"),
    (SIZE, "triangle_count"), (INDICES, "triangles"), (SIZE, "tet_count"), (INDICES, "tets"),
    (DOUBLE, "density stiffness damping drag"), (DOUBLE * 3, "position"), (DOUBLE * 4, "orientation"),
    (DOUBLE * 3, "velocity angular_velocity"))
ContactDesc = struct(
    "pbs_contact_desc", (U32, "struct_size"), (I32, "touches_itself"), (DOUBLE, "friction offset"),
    (U32, "group mask surface_material reserved"), (DOUBLE, "rolling_friction spinning_friction penalty_stiffness"))
ColliderDesc = struct(
    "pbs_collider_desc", (U32, "struct_size"), (I32, "shape"), (DOUBLE * 3, "size"), (I32, "hollow"), (U32, "surface_material"),
    (DOUBLE * 3, "position"), (DOUBLE * 4, "orientation"), (DOUBLE, "friction"), (SIZE, "vertex_count"), (DOUBLES, "vertices"),
    (SIZE, "triangle_count"), (INDICES, "triangles"), (SIZE, "edge_count"), (INDICES, "edges"), (U32, "group mask"),
    (I32, "collision grid_interpolation"), (DOUBLE, "penalty_stiffness"), (DOUBLE * 3, "grid_origin"), (DOUBLE, "grid_cell"),
    (U32 * 3, "grid_counts"), (U32, "reserved"), (FLOATS, "grid_samples"))
EnergyControl = struct(
    "pbs_energy_control", (I32, "alpha_choice by_island"), (DOUBLE, "alpha alpha_min alpha_max fraction ground decay_time"),
    (U32 * 8, "reserved"))
StepControl = struct(
    "pbs_step_control", (I32, "kind rule"), (DOUBLE, "tolerance initial min max exponent safety growth fracture_step"),
    (U32, "fracture_quiet_steps"), (U32 * 9, "reserved"))
IntegratorDesc = struct(
    "pbs_integrator_desc", (U32, "struct_size"), (I32, "scheme"), (Allocator, "allocator"), (DOUBLE * 4, "parameters"),
    (I32, "start linearized"), (EnergyControl, "energy_control"), (StepControl, "step_control"))
SystemDesc = struct(
    "pbs_system_desc", (U32, "struct_size"), (I32, "unknown"), (SIZE, "size"),
    (DOUBLES, "mass damping stiffness positions velocities"), (DOUBLE, "time"), (FORCE_FN, "force"), (JACOBIAN_FN, "jacobian"),
    (POINTER, "user"), (Allocator, "allocator"), (DOUBLE, "tolerance relative_tolerance"), (U32, "newton_limit divisions"))
ContactSide = struct(
    "pbs_contact_side", (Body, "body"), (Collider, "collider"), (U32, "vertex_count"), (U32 * 3, "vertices"), (DOUBLE * 3, "weights point"))
Contact = struct(
    "pbs_contact", (ContactSide, "first second"), (DOUBLE * 3, "normal"), (DOUBLE, "gap normal_force"), (DOUBLE * 3, "force friction"))
ContactForce = struct(
    "pbs_contact_force", (U32, "struct_size reserved"), (DOUBLE * 3, "force friction torque impulse angular_impulse"))
RayDesc = struct(
    "pbs_ray_desc", (U32, "struct_size"), (I32, "reserved"), (DOUBLE * 3, "origin direction"), (DOUBLE, "distance"), (U32, "group mask"))
ClosestDesc = struct(
    "pbs_closest_desc", (U32, "struct_size"), (I32, "reserved"), (DOUBLE * 3, "point"), (DOUBLE, "distance"), (U32, "group mask"))
SurfacePoint = struct(
    "pbs_surface_point", (U32, "struct_size triangle"), (Body, "body"), (Collider, "collider"), (U32 * 3, "vertices"), (U32, "inside"),
    (DOUBLE * 3, "weights point normal"), (DOUBLE, "distance"))
Point = struct(
    "pbs_point", (U32, "struct_size"), (I32, "kind"), (Body, "body"), (U32, "index reserved"), (DOUBLE * 4, "weights"), (DOUBLE * 3, "place"))
Motion = struct(
    "pbs_motion", (U32, "struct_size reserved"), (DOUBLE, "mass"),
    (DOUBLE * 3, "center velocity angular_velocity momentum angular_momentum"), (DOUBLE * 9, "inertia"))
CastDesc = struct(
    "pbs_cast_desc", (U32, "struct_size"), (I32, "reserved"), (DOUBLE, "radius half_length"), (DOUBLE * 3, "origin"),
    (DOUBLE * 4, "orientation"), (DOUBLE * 3, "direction"), (DOUBLE, "distance"), (U32, "group mask"))
ContactEvent = struct("pbs_contact_event", (Body * 2, "bodies"), (Collider * 2, "colliders"), (I32, "kind"), (U32, "reserved"))
DebugDesc = struct("pbs_debug_desc", (U32, "struct_size flags"), (DOUBLE, "length"))
DebugPoint = struct("pbs_debug_point", (c.c_float * 3, "position"), (c.c_uint8 * 4, "rgba"))
PressureDesc = struct(
    "pbs_pressure_desc", (U32, "struct_size"), (I32, "kind"), (DOUBLE, "pressure outside exponent volume"))
WindDesc = struct(
    "pbs_wind_desc", (U32, "struct_size"), (I32, "sides"), (DOUBLE * 3, "velocity"),
    (DOUBLE, "density normal_coefficient tangential_coefficient"))
RegionDesc = struct(
    "pbs_region_desc", (U32, "struct_size"), (I32, "shape"), (DOUBLE * 3, "size position"), (DOUBLE * 4, "orientation"),
    (U32, "group mask"))
RegionRow = struct("pbs_region_row", (Body, "body"), (Collider, "collider"), (U32, "triangle reserved"))
Sensor = struct("pbs_sensor", (U64, "id"))
SensorEvent = struct("pbs_sensor_event", (Sensor, "sensor"), (Body, "body"), (I32, "kind"), (U32, "reserved"))
Joint = struct("pbs_joint", (U64, "id"))
JointDesc = struct(
    "pbs_joint_desc", (U32, "struct_size"), (I32, "kind"), (Point, "a b"), (DOUBLE * 3, "axis"),
    (DOUBLE, "lower upper motor_velocity motor_force spring_stiffness spring_damping spring_target break_force break_torque"),
    (I32, "touching reserved"), (DOUBLE, "tolerance break_tension break_shear break_bending break_torsion swing_limit twist_lower twist_upper"))
WeldDesc = struct(
    "pbs_weld_desc", (U32, "struct_size reserved"), (SIZE, "body_count"), (POINTER, "bodies"),
    (DOUBLE, "distance least_area tensile_strength shear_strength weibull_modulus"), (U64, "seed"), (DOUBLE, "inset tolerance"))
JointState = struct(
    "pbs_joint_state", (U32, "struct_size"), (I32, "broken"), (DOUBLE, "coordinate velocity gap"),
    (DOUBLE * 3, "force torque"))
BrokenJoint = struct("pbs_broken_joint", (Joint, "joint"), (DOUBLE, "time force torque"))
EmbeddingDesc = struct(
    "pbs_embedding_desc", (U32, "struct_size"), (I32, "reserved"), (Body, "body"), (Allocator, "allocator"), (SIZE, "point_count"),
    (DOUBLES, "positions"), (FLOATS, "positions_f32"), (SIZE, "position_stride"), (FLOATS, "normals_f32"), (SIZE, "normal_stride triangle_count"),
    (INDICES, "triangles"))
OverlapDesc = struct(
    "pbs_overlap_desc", (U32, "struct_size"), (I32, "solid"), (DOUBLE, "distance"), (Body, "body"), (SIZE, "vertex_count"),
    (DOUBLES, "positions"), (SIZE, "triangle_count"), (INDICES, "triangles"), (DOUBLE * 3, "position"), (DOUBLE * 4, "orientation"),
    (POINTER, "contact"))
Overlap = struct(
    "pbs_overlap", (Body * 2, "bodies"), (Collider * 2, "colliders"), (U32 * 2, "vertex_counts"), (U32 * 6, "vertices"),
    (I32, "kind"), (U32, "reserved"), (DOUBLE, "gap"), (DOUBLE * 3, "normal"))
SeparateDesc = struct(
    "pbs_separate_desc", (U32, "struct_size iteration_limit"), (DOUBLE, "distance move_limit"))
Separation = struct(
    "pbs_separation", (U32, "struct_size iterations"), (SIZE, "moved_count"), (DOUBLE, "longest_move"), (Overlap, "overlap"))
GridDesc = struct(
    "pbs_grid_desc", (U32, "struct_size"), (I32, "interpolation"), (SIZE, "vertex_count"), (DOUBLES, "vertices"),
    (SIZE, "triangle_count"), (INDICES, "triangles"), (DOUBLE, "cell"), (U32, "resolution"), (I32, "threads"),
    (Allocator, "allocator"), (Log, "log"), (Tasks, "tasks"))
Grid = struct(
    "pbs_grid", (U32, "struct_size"), (U32 * 3, "counts"), (DOUBLE * 3, "origin"), (DOUBLE, "cell"),
    (SIZE, "sample_count inside_count sign_count open_count thin_count"), (I32, "is_closed is_inverted"))
Mesh = struct(
    "pbs_mesh", (U32, "struct_size reserved"), (SIZE, "vertex_count"), (DOUBLES, "positions"), (SIZE, "triangle_count"),
    (INDICES, "triangles"), (SIZE, "tet_count"), (INDICES, "tets"), (SIZE, "edge_count"), (INDICES, "edges"), (Allocator, "allocator"))
Energy = struct(
    "pbs_energy", (U32, "struct_size reserved"), (DOUBLE, "kinetic elastic gravity contact host dissipated total external"))
StepStats = struct(
    "pbs_step_stats", (DOUBLE, "length dissipated stable_step"), (U32, "divisions parts explicit_steps unseen_impacts"),
    (DOUBLE, "impact_stress impact_strength"), (U32 * 4, "reserved"))
NewtonStats = struct(
    "pbs_newton_stats", (U32, "stages iterations evaluations gradient_directions shortened_steps roundoff_accepts"),
    (DOUBLE, "gradient_norm tolerance velocity_tolerance reference_force"), (U32 * 8, "reserved"))
LinearStats = struct(
    "pbs_linear_stats", (U32, "solves iterations indefinite_solves switched_solves shifted_factors coarse_unknowns"),
    (DOUBLE, "largest_shift"), (I32, "preconditioner reason"), (DOUBLE, "predicted_iterations block_jacobi_work factor_work two_level_work"),
    (U32, "host_solves host_fallbacks"), (U32 * 8, "reserved"))
ContactStats = struct(
    "pbs_contact_stats", (U32, "active searches sweeps constrained_inside"), (U64, "candidates"),
    (DOUBLE, "least_gap deepest_penetration distance stiffness least_stiffness slip_velocity"), (U32 * 8, "reserved"))
EnergyControlStats = struct(
    "pbs_energy_control_stats", (DOUBLE, "alpha_low alpha_high target reached work"), (U32 * 8, "reserved"))
StepControlStats = struct(
    "pbs_step_control_stats", (U32, "accepted rejected above_tolerance fracture_limited"),
    (DOUBLE, "shortest longest error next fracture_step"), (U32 * 8, "reserved"))
TimeStats = struct(
    "pbs_time_stats", (DOUBLE, "total prepare guess hessian factor solve search finish contact_search contact_sweep contact"),
    (U32 * 8, "reserved"))
TotalStats = struct("pbs_total_stats", (U64, "steps failed_steps newton_iterations linear_iterations"), (U32 * 4, "reserved"))
MemoryStats = struct("pbs_memory_stats", (U64, "allocator_calls bytes_in_use"), (U32 * 4, "reserved"))
SceneStats = struct(
    "pbs_scene_stats", (U64, "nodes elements blocks"), (DOUBLE, "affine_strain"), (Body, "affine_strain_body"),
    (U32, "bodies_without_contact"), (U32 * 9, "reserved"))
FailureStats = struct(
    "pbs_failure_stats", (I32, "kind"), (U32, "vertex"), (Body, "body"), (DOUBLE, "residual"),
    (Body * 2, "pair_bodies"), (Collider * 2, "pair_colliders"), (U32 * 2, "pair_vertex_counts"), (U32 * 6, "pair_vertices"),
    (DOUBLE, "pair_gap pair_stiffness pair_force"), (Joint, "joint"), (DOUBLE, "joint_gap"),
    (U32 * 4, "reserved"))
Stats = struct(
    "pbs_stats", (U32, "struct_size"), (I32, "status"), (StepStats, "step"), (NewtonStats, "newton"), (LinearStats, "linear"),
    (ContactStats, "contact"), (EnergyControlStats, "energy_control"), (StepControlStats, "step_control"), (TimeStats, "time"),
    (TotalStats, "total"), (MemoryStats, "memory"), (SceneStats, "scene"), (FailureStats, "failure"))
DenseStats = struct(
    "pbs_dense_stats", (U32, "struct_size"), (I32, "status"),
    (U32, "stages divisions substeps newton_iterations force_evaluations jacobian_evaluations roundoff_accepts reserved"),
    (DOUBLE, "residual tolerance step"), (StepControlStats, "step_control"), (TotalStats, "total"), (MemoryStats, "memory"))
Matrix = struct(
    "pbs_matrix", (U32, "struct_size"), (I32, "form triangle node_count row_count entry_count"),
    (INTEGERS, "row_start column"), (DOUBLES, "values positions"))
MATRIX_FN = c.CFUNCTYPE(I32, POINTER, c.POINTER(Matrix))
SOLVE_FN = c.CFUNCTYPE(I32, POINTER, DOUBLES, DOUBLES, DOUBLE)
LinearSolver = struct(
    "pbs_linear_solver", (U32, "struct_size"), (I32, "form triangle reserved"), (POINTER, "user"),
    (MATRIX_FN, "analyze factor"), (SOLVE_FN, "solve"))
STRUCTS = [Body, Collider, Allocator, Log, Tasks, ExpertDesc, WorldDesc, SolidDesc, ShellDesc, SpringsDesc, AffineDesc, BondedDesc, PeridynamicDesc, BondLoad, BrokenBond, Fragment, FractureSurface,
           CustomDesc, ContactDesc, ColliderDesc, ContactSide, Contact, ContactForce, RayDesc, ClosestDesc, SurfacePoint, Point, CastDesc, ContactEvent, DebugDesc, DebugPoint, PressureDesc, WindDesc, RegionDesc, RegionRow, Sensor, SensorEvent, Motion, Joint, JointDesc, JointState, BrokenJoint, WeldDesc, EmbeddingDesc, OverlapDesc, Overlap, SeparateDesc, Separation, GridDesc, Grid, Mesh, EnergyControl, StepControl, IntegratorDesc, Energy, StepStats, NewtonStats, LinearStats, ContactStats,
           EnergyControlStats, StepControlStats, TimeStats, TotalStats, MemoryStats, SceneStats, FailureStats, Stats, SystemDesc, DenseStats, Matrix, LinearSolver]

ERROR_ARGUMENT, ERROR_HANDLE, ERROR_MESH, ERROR_HOST = -1, -3, -4, -8
CHANNEL_POSITION, CHANNEL_CONTACT_FORCE, CHANNEL_STRESS, CHANNEL_SPRING_STRAIN, CHANNEL_LAST = 0, 3, 7, 10, 16


def load(path):
    pbs = c.CDLL(path)
    pbs.pbs_last_error.restype = pbs.pbs_status_name.restype = c.c_char_p
    pbs.pbs_world_time.restype = DOUBLE
    pbs.pbs_body_vertex_count.restype = SIZE
    pbs.pbs_body_positions.restype = DOUBLES
    pbs.pbs_body_is_valid.restype = c.c_bool
    pbs.pbs_system_positions.restype = DOUBLES
    pbs.pbs_system_step.argtypes = [POINTER, POINTER, DOUBLE]
    pbs.pbs_system_positions.argtypes = pbs.pbs_system_destroy.argtypes = pbs.pbs_integrator_destroy.argtypes = [POINTER]
    pbs.pbs_world_set_linear_solver.argtypes = [POINTER, POINTER]
    pbs.pbs_world_step.argtypes = [POINTER, DOUBLE]
    pbs.pbs_world_time.argtypes = pbs.pbs_world_destroy.argtypes = [POINTER]
    for name in ("vertex_count", "positions", "is_valid", "destroy"):
        getattr(pbs, "pbs_body_" + name).argtypes = [POINTER, Body]
    pbs.pbs_body_contact_force.argtypes = [POINTER, Body, POINTER, POINTER]
    pbs.pbs_embedding_update.argtypes = [POINTER, POINTER]
    pbs.pbs_embedding_destroy.argtypes = [POINTER]
    pbs.pbs_embedding_read_f32.argtypes = [POINTER, I32, DOUBLE, SIZE, SIZE, c.POINTER(c.c_float), SIZE]
    pbs.pbs_world_locate.argtypes = [POINTER, Body, DOUBLES, SIZE, POINTER, SIZE, DOUBLES]
    pbs.pbs_body_channel.argtypes = [POINTER, Body, I32, POINTER, POINTER, POINTER]
    pbs.pbs_body_read_f32.argtypes = [POINTER, Body, I32, c.POINTER(c.c_float), SIZE, SIZE]
    pbs.pbs_body_read_f64.argtypes = [POINTER, Body, I32, c.POINTER(DOUBLE), SIZE, SIZE]
    pbs.pbs_body_element_stress.argtypes = [POINTER, Body, DOUBLES, SIZE]
    pbs.pbs_body_solid_settings.argtypes = [POINTER, Body, POINTER]
    pbs.pbs_body_forces.argtypes = [POINTER, Body, I32, DOUBLES, SIZE]
    pbs.pbs_body_wrench.argtypes = [POINTER, Body, I32, DOUBLES, DOUBLES]
    pbs.pbs_body_pinned_axes.argtypes = [POINTER, Body, INDICES, SIZE]
    pbs.pbs_body_targets.argtypes = [POINTER, Body, DOUBLES, SIZE]
    return pbs


def check(pbs, status):
    if status < 0:
        raise RuntimeError(f"{pbs.pbs_status_name(status).decode()}: {pbs.pbs_last_error().decode()}")


def make(pbs, kind, **members):
    desc = kind()
    check(pbs, getattr(pbs, kind.__name__ + "_init")(c.byref(desc), SIZE(c.sizeof(desc))))
    for name, value in members.items():
        setattr(desc, name, value)
    return desc


def read_channel(pbs, world, body, channel, number=DOUBLE):
    """The rows of any channel, packed, as a wrapper would read them that knows none by name."""
    item, width, count = I32(), SIZE(), SIZE()
    check(pbs, pbs.pbs_body_channel(world, body, channel, c.byref(item), c.byref(width), c.byref(count)))
    rows = (number * (width.value * count.value))()
    read = pbs.pbs_body_read_f64 if number is DOUBLE else pbs.pbs_body_read_f32
    check(pbs, read(world, body, channel, rows, width.value * c.sizeof(number), count))
    return [list(rows[i:i + width.value]) for i in range(0, len(rows), width.value)]


def make_world(pbs, **members):
    world = POINTER()
    desc = make(pbs, WorldDesc, gravity=(0, -9.81, 0), **members)
    check(pbs, pbs.pbs_world_create(c.byref(desc), c.byref(world)))
    return world


def sizes(pbs, layout):
    """Every struct is what lib/abi/layout.txt says, so that the two rot together or not at all."""
    told = {"struct": {}, "member": {}}
    for words in (line.split() for line in open(layout)):
        if words[0] == "struct":
            told["struct"][words[1]] = int(words[2])
        elif words[0] == "member":
            told["member"].setdefault(words[1], []).append((words[2], int(words[3]), int(words[4])))
    assert set(told["struct"]) == {kind.__name__ for kind in STRUCTS}, told["struct"].keys()
    for kind in STRUCTS:
        mine = [(name, getattr(kind, name).offset, getattr(kind, name).size) for name, _ in kind._fields_]
        assert c.sizeof(kind) == told["struct"][kind.__name__], kind.__name__
        assert mine == told["member"][kind.__name__], kind.__name__
    for kind in (ExpertDesc, WorldDesc, SolidDesc, ShellDesc, SpringsDesc, AffineDesc, BondedDesc, PeridynamicDesc, CustomDesc,
                 ContactDesc, ColliderDesc, RayDesc, ClosestDesc, EmbeddingDesc, GridDesc, SystemDesc, LinearSolver):
        assert make(pbs, kind).struct_size == c.sizeof(kind)
    energy = Energy(struct_size=c.sizeof(Energy))
    world = make_world(pbs)
    check(pbs, pbs.pbs_world_energy(world, c.byref(energy)))
    pbs.pbs_world_destroy(world)


def first(pbs):
    """The README's first program: no mesh and no description but the world's."""
    world, ground, cube, block = make_world(pbs), Collider(), Body(), Body()
    vector = DOUBLE * 3
    check(pbs, pbs.pbs_collider_create_ground(world, DOUBLE(0), c.byref(ground)))
    check(pbs, pbs.pbs_body_create_box(world, vector(1, 1, 1), vector(0, 1.5, 0), DOUBLE(1000), DOUBLE(1e5), c.byref(cube)))
    check(pbs, pbs.pbs_body_create_box(world, vector(.4, .3, .4), vector(0.1, 3, 0), DOUBLE(500), DOUBLE(0), c.byref(block)))
    place = vector()
    for _ in range(96):
        check(pbs, pbs.pbs_world_step(world, 1 / 24))
    check(pbs, pbs.pbs_body_pose(world, block, place, None))
    assert pbs.pbs_body_positions(world, cube)[1] > 0
    # It has come to rest on the cube, which is pressed in under it and by its own weight.
    assert 1.0 < place[1] < 1.16, list(place)
    joint, mesh = Joint(), make(pbs, Mesh)
    check(pbs, pbs.pbs_joint_create_weld(world, cube, block, vector(0.1, 1, 0), c.byref(joint)))
    check(pbs, pbs.pbs_mesh_box(None, vector(1, 2, 3), (U32 * 3)(1, 1, 1), c.byref(mesh)))
    assert mesh.vertex_count == 8 and mesh.triangle_count == 12 and mesh.positions[21:24] == [0.5, 1.0, 1.5]
    pbs.pbs_mesh_free(c.byref(mesh))
    assert mesh.vertex_count == 0 and not mesh.positions
    pbs.pbs_world_destroy(world)


def drop(pbs):
    """A tetrahedron falls freely, lands and comes to rest; floats are read with a stride of eight."""
    messages = []
    write = LOG_FN(lambda user, level, text: messages.append(text.decode()))
    world = make_world(pbs, log=Log(write, None))
    ground, body = Collider(), Body()
    check(pbs, pbs.pbs_collider_create(world, c.byref(make(pbs, ColliderDesc)), c.byref(ground)))
    x = (DOUBLE * 12)(0, 1, 0, 1, 1, 0, 0, 1, -1, 0, 2, 0)
    desc = make(pbs, SolidDesc, vertex_count=4, positions=x, tet_count=1, tets=(U32 * 4)(0, 1, 2, 3), drag=1.0)
    check(pbs, pbs.pbs_body_create_solid(world, c.byref(desc), c.byref(body)))
    assert pbs.pbs_body_vertex_count(world, body) == 4
    settings, gravity = IntegratorDesc(struct_size=c.sizeof(IntegratorDesc)), (DOUBLE * 3)()
    check(pbs, pbs.pbs_world_integrator_settings(world, c.byref(settings)))
    check(pbs, pbs.pbs_world_gravity(world, gravity))
    assert settings.scheme == 0 and list(gravity) == [0, -9.81, 0] and pbs.pbs_world_threads(world) == 1

    made = SolidDesc(struct_size=c.sizeof(SolidDesc))
    check(pbs, pbs.pbs_body_solid_settings(world, body, c.byref(made)))
    assert made.drag == 1 and made.tets[3] == 3 and made.initial_positions[10] == 2
    h = 1 / 60
    check(pbs, pbs.pbs_world_step(world, h))
    # Implicit Euler with drag: v = -g h / (1 + h).
    fallen = h * 9.81 * h / (1 + h)
    assert abs(pbs.pbs_body_positions(world, body)[10] - (2 - fallen)) < 1e-9
    for _ in range(600):
        check(pbs, pbs.pbs_world_step(world, h))
    assert abs(pbs.pbs_world_time(world) - 601 * h) < 1e-9

    vertices = (c.c_float * 32)(*[-77.0] * 32)
    check(pbs, pbs.pbs_body_read_f32(world, body, CHANNEL_POSITION, vertices, 32, 4))
    exact = pbs.pbs_body_positions(world, body)
    for i in range(4):
        assert all(vertices[8 * i + k] == c.c_float(exact[3 * i + k]).value for k in range(3))
        assert all(vertices[8 * i + k] == -77 for k in range(3, 8))
        assert exact[3 * i + 1] >= -1e-12
    # The mean of the vertices is a point of a mesh that the body carries, and found again in space.
    mean = (DOUBLE * 3)(*[sum(x[k::3]) / 4 for k in range(3)])
    mesh = POINTER()
    desc = make(pbs, EmbeddingDesc, body=body, point_count=1, positions=mean)
    check(pbs, pbs.pbs_embedding_create(world, c.byref(desc), c.byref(mesh)))
    check(pbs, pbs.pbs_embedding_update(mesh, world))
    check(pbs, pbs.pbs_embedding_read_f32(mesh, CHANNEL_POSITION, 1.0, 0, 1, vertices, 12))
    place = (DOUBLE * 3)(*[sum(exact[k:12:3]) / 4 for k in range(3)])
    assert all(abs(vertices[k] - place[k]) < 1e-6 for k in range(3))
    pbs.pbs_embedding_destroy(mesh)
    point = Point()
    check(pbs, pbs.pbs_world_locate(world, body, place, 1, c.byref(point), c.sizeof(Point), None))
    assert point.body.id == body.id and all(abs(weight - 0.25) < 1e-12 for weight in point.weights)
    forces = (c.c_float * 12)()
    check(pbs, pbs.pbs_body_read_f32(world, body, CHANNEL_CONTACT_FORCE, forces, 12, 4))
    assert [sum(read_channel(pbs, world, body, CHANNEL_CONTACT_FORCE, c.c_float), [])] == [list(forces)]
    stress = (DOUBLE * 9)()
    check(pbs, pbs.pbs_body_element_stress(world, body, stress, 1))
    assert any(stress) and read_channel(pbs, world, body, CHANNEL_STRESS) == [list(stress)]
    rounded = [c.c_float(number).value for number in stress]
    assert read_channel(pbs, world, body, CHANNEL_STRESS, c.c_float) == [rounded]
    for channel in CHANNEL_SPRING_STRAIN, CHANNEL_LAST + 1:
        assert pbs.pbs_body_channel(world, body, channel, None, None, None) == ERROR_ARGUMENT
    weight = 1000 / 6 * 9.81
    assert abs(sum(forces[1::3]) - weight) < 1e-3 * weight, list(forces)
    count = SIZE(0)
    check(pbs, pbs.pbs_world_contacts(world, None, SIZE(c.sizeof(Contact)), c.byref(count)))
    assert count.value == 3
    contacts = (Contact * 3)()
    check(pbs, pbs.pbs_world_contacts(world, contacts, SIZE(c.sizeof(Contact)), c.byref(count)))
    assert {one.first.vertices[0] for one in contacts} == {0, 1, 2}
    assert all(one.first.body.id == body.id and one.second.collider.id == ground.id for one in contacts)
    load = ContactForce(struct_size=c.sizeof(ContactForce))
    check(pbs, pbs.pbs_body_contact_force(world, body, None, c.byref(load)))
    assert abs(load.force[1] - sum(one.normal_force for one in contacts)) < 1e-9
    assert abs(load.impulse[1] - load.force[1] * h) < 1e-9
    hit = SurfacePoint(struct_size=c.sizeof(SurfacePoint))
    ray = make(pbs, RayDesc, origin=(0.2, 5, -0.2))
    check(pbs, pbs.pbs_world_ray(world, c.byref(ray), c.byref(hit)))
    assert hit.body.id == body.id and 4 < hit.distance < 5 and hit.normal[1] > 0
    check(pbs, pbs.pbs_world_closest(world, c.byref(make(pbs, ClosestDesc, point=(7, 3, 0))), c.byref(hit)))
    assert hit.collider.id == ground.id and abs(hit.distance - 3) < 1e-12
    assert any("solver" in text for text in messages)
    pbs.pbs_world_destroy(world)


def energy(pbs):
    """A spring k (l - 1)^2 / 2 written in Python swings between 1.5 and 0.5; an answer below 0 stops the step."""
    state = {"answer": 0}

    def evaluate(user, stencil, x, project, value, gradient, hessian):
        d = [x[3 + k] - x[k] for k in range(3)]
        length = math.sqrt(sum(a * a for a in d))
        n, pull = [a / length for a in d], 100 * (length - 1)
        if value:
            value[0] = 50 * (length - 1) ** 2
        for k in range(3 if gradient else 0):
            gradient[k], gradient[3 + k] = -pull * n[k], pull * n[k]
        for at in range(36 if hessian else 0):
            i, j = at // 6, at % 6
            block = 100 * n[i % 3] * n[j % 3] + pull / length * ((i % 3 == j % 3) - n[i % 3] * n[j % 3])
            hessian[at] = block if i // 3 == j // 3 else -block
        return state["answer"]

    world, body = make_world(pbs), Body()
    callback = CUSTOM_FN(evaluate)
    desc = make(pbs, CustomDesc, vertex_count=2, positions=(DOUBLE * 6)(0, 0, 0, 1.5, 0, 0), masses=(DOUBLE * 2)(1, 1),
                stencil_count=1, stencils=(U32 * 2)(0, 1), evaluate=callback, no_gravity=1, tag=5)
    check(pbs, pbs.pbs_body_create_custom(world, c.byref(desc), c.byref(body)))
    lengths = []
    for _ in range(100):
        check(pbs, pbs.pbs_world_step(world, 0.002))
        x = pbs.pbs_body_positions(world, body)
        lengths.append(x[3] - x[0])
    # Half a period of two unit masses on 100 N/m is pi / sqrt(200) = 0.222 s; implicit Euler damps a little.
    assert 0.5 < min(lengths) < 0.65 and lengths[-1] < 0.7, lengths
    state["answer"] = -1
    assert pbs.pbs_world_step(world, 0.002) == ERROR_HOST and pbs.pbs_last_error()
    pbs.pbs_world_destroy(world)


def system(pbs):
    """A pendulum in two coordinates, hung on a stiff spring whose force is written in Python, by the second-order theta method."""
    def force(user, time, x, v, out):
        r = math.hypot(x[0], x[1])
        pull = 1e4 * (r - 1) / r
        out[0], out[1] = 1 - pull * x[0], -pull * x[1]
        return 0

    integrator, pendulum, callback = POINTER(), POINTER(), FORCE_FN(force)
    desc = IntegratorDesc()
    check(pbs, pbs.pbs_integrator_desc_init(c.byref(desc), SIZE(c.sizeof(desc)), 6))
    check(pbs, pbs.pbs_integrator_create(c.byref(desc), c.byref(integrator)))
    desc = make(pbs, SystemDesc, size=2, positions=(DOUBLE * 2)(0, 1), force=callback)
    check(pbs, pbs.pbs_system_create(c.byref(desc), c.byref(pendulum)))
    for _ in range(200):
        check(pbs, pbs.pbs_system_step(pendulum, integrator, 0.01))
        x = pbs.pbs_system_positions(pendulum)
        assert abs(math.hypot(x[0], x[1]) - 1) < 1e-3
    # A quarter of the period 4 K(1/2) = 7.416 takes it to the lowest point, which it has just passed.
    assert abs(math.atan2(x[1], x[0])) < 0.3, (x[0], x[1])
    stats = DenseStats(struct_size=c.sizeof(DenseStats))
    check(pbs, pbs.pbs_system_stats(pendulum, c.byref(stats)))
    assert stats.total.steps == 200 and stats.residual <= stats.tolerance
    settings = SystemDesc(struct_size=c.sizeof(SystemDesc))
    check(pbs, pbs.pbs_system_settings(pendulum, c.byref(settings)))
    assert settings.size == 2 and settings.positions[:2] == x[:2] and settings.newton_limit == desc.newton_limit
    pbs.pbs_integrator_destroy(integrator)
    pbs.pbs_system_destroy(pendulum)


def solver(pbs):
    """A linear solver written in Python, Gaussian elimination without pivots, serves a stretched tetrahedron."""
    upper, seen = [], []

    def factor(user, matrix):
        m, upper[:] = matrix[0], []
        assert m.row_count == 12 and m.row_start[12] == m.entry_count == 144
        rows = [[m.values[12 * i + m.column[j]] for j in range(12)] for i in range(12)]
        for i in range(12):
            if rows[i][i] <= 0:
                return 1
            for k in range(i + 1, 12):
                share = rows[k][i] / rows[i][i]
                rows[k] = [a - share * b for a, b in zip(rows[k][:], rows[i])]
                rows[k][i] = share
        upper.extend(rows)
        return 0

    def solve(user, b, x, tolerance):
        y = b[:12]
        for i in range(12):
            y[i] -= sum(upper[i][k] * y[k] for k in range(i))
        for i in reversed(range(12)):
            y[i] = (y[i] - sum(upper[i][k] * y[k] for k in range(i + 1, 12))) / upper[i][i]
        for i in range(12):
            x[i] = y[i]
        seen.append(tolerance)
        return 0

    ends = []
    table = make(pbs, LinearSolver, factor=MATRIX_FN(factor), solve=SOLVE_FN(solve))
    for used in (None, c.byref(table)):
        world, body = make_world(pbs, relative_tolerance=1e-9, velocity_tolerance=0), Body()
        check(pbs, pbs.pbs_world_set_linear_solver(world, used))
        x = (DOUBLE * 12)(0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, 0)
        desc = make(pbs, SolidDesc, vertex_count=4, positions=x, tet_count=1, tets=(U32 * 4)(0, 1, 2, 3), young=1e5)
        check(pbs, pbs.pbs_body_create_solid(world, c.byref(desc), c.byref(body)))
        check(pbs, pbs.pbs_body_pin(world, body, (U32 * 1)(3), SIZE(1), U32(7)))
        axes, force = (U32 * 4)(), (DOUBLE * 3)()
        check(pbs, pbs.pbs_body_pinned_axes(world, body, axes, 4))
        check(pbs, pbs.pbs_body_wrench(world, body, 1, force, None))
        assert list(axes) == [0, 0, 0, 7] and list(force) == [0, 0, 0]
        for _ in range(20):
            check(pbs, pbs.pbs_world_step(world, 1 / 60))
        ends.append(pbs.pbs_body_positions(world, body)[:12])
        stats = Stats(struct_size=c.sizeof(Stats))
        check(pbs, pbs.pbs_world_stats(world, c.byref(stats)))
        assert stats.linear.host_solves >= stats.linear.solves > 0 if used else stats.linear.host_solves == 0
        pbs.pbs_world_destroy(world)
    assert seen and max(abs(a - b) for a, b in zip(*ends)) < 1e-7, ends
    table.solve = SOLVE_FN()
    world = make_world(pbs)
    assert pbs.pbs_world_set_linear_solver(world, c.byref(table)) == ERROR_ARGUMENT
    pbs.pbs_world_destroy(world)


def grid(pbs):
    """A tetrahedron becomes distances: the grid is asked for first, then its samples."""
    x = (DOUBLE * 12)(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    desc = make(pbs, GridDesc, vertex_count=4, vertices=x, triangle_count=4,
                triangles=(U32 * 12)(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3), resolution=10)
    out = Grid(struct_size=c.sizeof(Grid))
    check(pbs, pbs.pbs_grid_from_mesh(c.byref(desc), None, SIZE(0), c.byref(out)))
    assert list(out.counts) == [19] * 3 and abs(out.cell - 0.1) < 1e-15 and out.inside_count == 0
    samples = (c.c_float * out.sample_count)()
    check(pbs, pbs.pbs_grid_from_mesh(c.byref(desc), samples, SIZE(out.sample_count), c.byref(out)))
    # At (0.2, 0.2, 0.2) the nearest faces are the three of the axes; of the corner (-0.4, -0.4, -0.4) it is the corner.
    assert abs(samples[6 + 19 * (6 + 19 * 6)] + 0.2) < 1e-6 and out.is_closed == 1
    assert abs(samples[0] - 0.4 * math.sqrt(3)) < 0.05


def errors(pbs):
    """Refusals are statuses with a sentence, null is null, and nothing crashes."""
    world, body = make_world(pbs), Body()
    desc = make(pbs, SolidDesc, vertex_count=4, positions=(DOUBLE * 12)(), tet_count=1, tets=(U32 * 4)(0, 1, 2, 9))
    assert pbs.pbs_body_create_solid(world, c.byref(desc), c.byref(body)) == ERROR_MESH
    assert b"tetrahedron 0: vertex index 9" in pbs.pbs_last_error()
    assert pbs.pbs_world_step(world, math.nan) == ERROR_ARGUMENT
    assert pbs.pbs_world_step(None, 0.1) == ERROR_ARGUMENT
    assert not pbs.pbs_body_positions(world, body) and not pbs.pbs_body_is_valid(world, body)
    assert pbs.pbs_body_destroy(world, Body(12345)) == ERROR_HANDLE
    pbs.pbs_world_destroy(world)
    pbs.pbs_world_destroy(None)


library = load(sys.argv[1])
{"sizes": lambda: sizes(library, sys.argv[2]), "first": lambda: first(library), "drop": lambda: drop(library),
 "energy": lambda: energy(library), "system": lambda: system(library), "grid": lambda: grid(library),
 "solver": lambda: solver(library), "errors": lambda: errors(library)}[sys.argv[3]]()
