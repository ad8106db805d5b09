# From LAMMPS's dumps begin.txt and end.txt to block.csv: displacements of some particles, and sums over all.
#   awk -f table.awk begin.txt end.txt
# SPDX-License-Identifier: MIT
function chosen(i, list) { return index(" " list " ", " " i " ") }
FNR < 10 { next }
NR == FNR { for (k = 0; k < 3; k++) begin[$1, k] = $(2 + k); next }
{
    for (k = 0; k < 3; k++) {
        u[k] = $(2 + k) - begin[$1, k]
        sum[k] += u[k] < 0 ? -u[k] : u[k]
        squares[k] += u[k] * u[k]
    }
    id = $1 - 1
    x = id % 27; y = int(id / 27) % 27; z = int(id / 729)
    if (chosen(x, "0 1 2 3 5 8 13 18 23 26") && y <= z && chosen(y, "0 1 2 3 6 13") && chosen(z, "0 1 2 3 6 13")) {
        row[rows++] = sprintf("%d,%.17g,%.17g,%.17g", id, u[0], u[1], u[2])
    }
}
END {
    print "# Displacements (m) after 100 steps of block.in; particle = x + 27 (y + 27 z). First, over all particles, the sums of"
    print "# their absolute values (m) and of their squares (m^2)."
    print "particle,x,y,z"
    printf "sum,%.17g,%.17g,%.17g\n", sum[0], sum[1], sum[2]
    printf "squares,%.17g,%.17g,%.17g\n", squares[0], squares[1], squares[2]
    for (r = 0; r < rows; r++) print row[r]
}
