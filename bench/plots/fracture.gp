# The pictures of docs/integrators.md of explicit and implicit steps of bonded bodies, from the tables that
# bench/fracture --figures leaves: gnuplot -e "from='build/bench'; to='docs/pictures'" bench/plots/fracture.gp
# SPDX-License-Identifier: MIT
set datafile separator ','
set terminal svg size 720,420 dynamic font 'sans-serif,13' background '#ffffff'
set key top left
set key autotitle columnhead
set grid lc rgb '#dddddd'
set logscale xy
set format x '10^{%L}'
set format y '%g'
set ylabel "seconds for a frame of 16 ms, one thread"

set output to.'/fracture_stiffness.svg'
set title 'A beam that drapes: four thousand particles, 1 m'
set xlabel "Young's modulus of bonds, Pa"
plot for [i=2:3] from.'/fracture_stiffness.csv' using 1:i with linespoints pt 7 ps 0.6 lw 1.6

set output to.'/fracture_size.svg'
set title 'A beam that drapes: 1e7 Pa, 1 m'
set xlabel 'particles'
plot for [i=2:3] from.'/fracture_size.csv' using 1:i with linespoints pt 7 ps 0.6 lw 1.6
