# Load over opening of two concrete beams beside what was measured, from the tables that bench/concrete_beams
# --figures leaves: gnuplot -e "from='build/bench'; to='docs/pictures'" bench/plots/concrete_beams.gp
# SPDX-License-Identifier: MIT
set datafile separator ','
set terminal svg size 720,420 dynamic font 'sans-serif,13' background '#ffffff'
set key top right
set grid lc rgb '#dddddd'
set xlabel 'opening of the notch, mm'
set ylabel 'load, N'
set style fill solid 0.35 noborder
set yrange [0:*]

set output to.'/concrete_half_notched.svg'
set title 'Half-notched beam of concrete, 175 x 50 x 50 mm'
set xrange [0:0.15]
plot 'bench/plots/concrete_half_notched.csv' every ::1 using 1:2:3 with filledcurves lc rgb '#999999' \
        title 'measured, Gregoire et al. 2013', \
     from.'/concrete_half_notched_3.125.csv' every ::1 using 1:2 with lines lw 1.6 lc rgb '#0072b2' title 'h = 3.125 mm', \
     from.'/concrete_half_notched_2.5.csv' every ::1 using 1:2 with lines lw 1.6 lc rgb '#d55e00' title 'h = 2.5 mm'

set output to.'/concrete_offset_notch.svg'
set title 'Beam of concrete with the notch aside, 250 x 80 x 50 mm'
set xrange [0:0.12]
plot 'bench/plots/concrete_offset_notch.csv' every ::1 using 1:2:3 with filledcurves lc rgb '#999999' \
        title 'measured, Garcia-Alvarez et al. 2012', \
     from.'/concrete_offset_notch_5.csv' every ::1 using 1:2 with lines lw 1.6 lc rgb '#0072b2' title 'h = 5 mm', \
     from.'/concrete_offset_notch_2.5.csv' every ::1 using 1:2 with lines lw 1.6 lc rgb '#d55e00' title 'h = 2.5 mm'
