# The pictures of docs/integrators.md, from the tables that bench/integrators and
# bench/integrator_motion leave: gnuplot -e "from='build/bench'; to='docs/pictures'" bench/plots/integrators.gp
# SPDX-License-Identifier: MIT
set datafile separator ','
set datafile missing 'nan'
set terminal svg size 820,460 dynamic font 'sans-serif,13' background '#ffffff'
set key outside right top
set key autotitle columnhead
set grid lc rgb '#dddddd'

set output to.'/spectral_radius.svg'
set title 'Spectral radius: growth per step of an oscillation'
set xlabel 'step times frequency'
set logscale x
set yrange [0:1.15]
plot for [i=2:15] from.'/spectral_radius.csv' using 1:i with lines lw 1.6 dashtype 1+(i-2)/8

set output to.'/pendulum_energy.svg'
set title 'Energy of a pendulum (period 6.7 s, swing 1 rad) at steps of 0.1 s'
set xlabel 'seconds'
unset logscale x
set yrange [0:1.15]
plot for [i=2:15] from.'/pendulum_energy.csv' using 1:i with lines lw 1.6 dashtype 1+(i-2)/8

set output to.'/convergence.svg'
set title 'Error of the pendulum after 5 s'
set xlabel 'step, s'
set logscale xy
set format y '10^{%L}'
set yrange [*:*]
plot for [i=2:15] from.'/convergence.csv' using 1:i with linespoints pt 7 ps 0.4 lw 1.3 dashtype 1+(i-2)/8

unset logscale
set format y '%g'
set xlabel 'seconds'
do for [scene in 'soft-cube stiff-cube twisted-bar'] {
    set output to.'/'.scene.'_energy.svg'
    set title scene.': energy, J (ECI section 5.1)'
    set yrange [*:*]
    stats from.'/'.scene.'_energy.csv' using 2 every ::1::1 nooutput
    top = abs(STATS_max)
    set yrange [-2.5*top:1.5*top]
    plot for [i=2:11] from.'/'.scene.'_energy.csv' using 1:i with lines lw 1.5 dashtype 1+(i-2)/8
    set output to.'/'.scene.'_momentum.svg'
    set title scene.': angular momentum, kg m^2/s'
    stats from.'/'.scene.'_momentum.csv' using 2 nooutput
    top = (abs(STATS_max) > abs(STATS_min)) ? abs(STATS_max) : abs(STATS_min)
    set yrange [-1.6*top:1.6*top]
    plot for [i=2:11] from.'/'.scene.'_momentum.csv' using 1:i with lines lw 1.2 dashtype 1+(i-2)/8
}
