# What step control saves where a plate breaks, by its size, from lines of bench/fracture_steps that a comma cuts:
# gnuplot -e "from='build/bench'; to='docs/pictures'" bench/plots/fracture_steps.gp
# SPDX-License-Identifier: MIT
set datafile separator ','
set terminal svg size 720,420 dynamic font 'sans-serif,13' background '#ffffff'
set key bottom left
set grid lc rgb '#dddddd'
set logscale x
set xrange [1400:17000]
set yrange [0:*]
set xtics (1728, 4096, 13824)
set xlabel 'particles'
set ylabel 'processor time of equal steps over that of controlled ones'
set title 'A plate falls on a ball and breaks: at equal damage'
set object 1 rectangle from graph 0, first 3 to graph 1, first 6 fillcolor rgb '#eeeeee' fillstyle solid noborder behind
set label 1 'ATS: 3 to 6' at graph 0.02, first 5.6

set output to.'/fracture_steps.svg'
gains = from.'/fracture_steps.csv'
plot gains every 4::0 using 3:14 with linespoints pt 7 ps 0.6 lw 1.6 title 'tolerance 1e-4 of the spacing', \
     gains every 4::1 using 3:14 with linespoints pt 7 ps 0.6 lw 1.6 title '1e-3', \
     gains every 4::2 using 3:14 with linespoints pt 7 ps 0.6 lw 1.6 title '1e-2', \
     gains every 4::3 using 3:14 with linespoints pt 7 ps 0.6 lw 1.6 title '1e-3, no limit while bonds break'
