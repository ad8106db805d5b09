#!/usr/bin/env perl
# Reads the includes of src and says how its floors, rooms and modules depend on each other (docs/architecture.md).
#
#   scripts/rooms.pl picture   prints docs/pictures/rooms.svg: which room includes which
#   scripts/rooms.pl floors    fails where a file includes a higher floor, or another folder of its own floor
#   scripts/rooms.pl circles   fails where modules or rooms include each other in a circle that is not listed below
#
# A room is a folder of src; the files that lie directly in a floor's folder are a room too. A module is x.c with x.h. A header
# without a source, such as x_kernel.h, belongs to the module x of its folder, and a source without a header is a module alone.
# SPDX-License-Identifier: MIT
use strict;
use warnings;

# From the lowest floor to the highest.
my @FLOORS = (
    [qw(base)], [qw(broad_phase sparse)], [qw(geometry linear)], [qw(energy contact joints fracture)],
    [qw(minimize)], [qw(integrate)], [qw(world)],
);

# Circles that may be, by what the names of all of their members begin with, and why.
my %LISTED = (
);

# --- what includes what ---

my %floor_of;
for my $number (0 .. $#FLOORS) {
    $floor_of{$_} = $number + 1 for @{ $FLOORS[$number] };
}
$floor_of{pbs} = 0; # the public headers

my %includes; # file => names in its #include "..."; files without src/
for my $path (sort glob 'src/*/*.[ch] src/*/*/*.[ch]') {
    open my $file, '<', $path or die "$path: $!\n";
    my @names = map { /^\s*#\s*include\s+"([^"]+)"/ ? $1 : () } <$file>;
    $includes{ $path =~ s{^src/}{}r } = \@names;
}

sub room_of { return $_[0] =~ s{/[^/]*$}{}r }

sub module_of {
    my ($file) = @_;
    my $name = $file =~ s{\.[ch]$}{}r;
    return $name if $includes{"$name.c"};
    for (my $owner = $name; $owner =~ s{_[^_/]*$}{};) {
        return $owner if $includes{"$owner.c"} && $includes{"$owner.h"};
    }
    return $name;
}

# from => { to => 1 }, of rooms or of modules.
sub graph_of {
    my ($member_of) = @_;
    my %graph;
    for my $file (keys %includes) {
        my $from = $member_of->($file);
        $graph{$from} //= {};
        for my $name (grep { $includes{$_} } @{ $includes{$file} }) {
            my $to = $member_of->($name);
            $graph{$from}{$to} = 1 if $to ne $from;
        }
    }
    return \%graph;
}

# --- floors ---

sub check_floors {
    my $failures = 0;
    for my $file (sort keys %includes) {
        my ($own) = $file =~ m{^([^/]+)/};
        for my $name (grep { m{/} } @{ $includes{$file} }) {
            my ($theirs) = $name =~ m{^([^/]+)/};
            my ($high, $low) = ($floor_of{$theirs}, $floor_of{$own});
            next if defined $high && defined $low && ($theirs eq $own || $high < $low);
            printf "src/%s (floor %s) includes %s (floor %s)\n", $file, $low // 'unknown', $name, $high // 'unknown';
            $failures++;
        }
    }
    return $failures;
}

# --- circles ---

sub reached_from {
    my ($graph, $start) = @_;
    my (%reached, @open);
    @open = ($start);
    while (defined(my $at = pop @open)) {
        push @open, grep { !$reached{$_}++ } keys %{ $graph->{$at} };
    }
    return \%reached;
}

# Lists of names that all reach each other.
sub circles_of {
    my ($graph) = @_;
    my %reached = map { $_ => reached_from($graph, $_) } keys %$graph;
    my (%seen, @circles);
    for my $name (sort keys %$graph) {
        next if $seen{$name} || !$reached{$name}{$name};
        my @circle = sort grep { $reached{$name}{$_} && $reached{$_}{$name} } keys %$graph;
        $seen{$_} = 1 for @circle;
        push @circles, \@circle;
    }
    return @circles;
}

sub check_circles {
    my ($failures, %used) = (0);
    for my $circle (circles_of(graph_of(\&module_of)), circles_of(graph_of(\&room_of))) {
        my ($listed) = grep { my $prefix = $_; !grep { index($_, $prefix) != 0 } @$circle } sort keys %LISTED;
        if (defined $listed) {
            $used{$listed} = 1;
        } else {
            print "circle: @$circle\n";
            $failures++;
        }
    }
    for my $unused (grep { !$used{$_} } sort keys %LISTED) {
        print "$unused: no circle is left there; take it off the list in scripts/rooms.pl\n";
        $failures++;
    }
    return $failures;
}

# --- the picture ---

# Rooms from the highest floor to the lowest, and each before those that it includes, as far as circles let it.
sub rooms_in_order {
    my ($graph) = @_;
    my %reached = map { $_ => reached_from($graph, $_) } keys %$graph;
    my @ordered;
    for my $folder (reverse map { @$_ } @FLOORS) {
        my @left = sort grep { m{^$folder(/|$)} } keys %$graph;
        while (@left) {
            my ($next) = grep {
                my $room = $_;
                !grep { $reached{$_}{$room} && !$reached{$room}{$_} } @left
            } @left;
            push @ordered, $next;
            @left = grep { $_ ne $next } @left;
        }
    }
    return @ordered;
}

my ($CELL, $LEFT, $TOP) = (14, 176, 140);

sub text {
    my ($x, $y, $anchor, $words, $turned) = @_;
    my $turn = $turned ? qq( transform="rotate(-90 $x $y)") : '';
    return qq(<text x="$x" y="$y" text-anchor="$anchor"$turn>$words</text>\n);
}

sub floor_at { return $floor_of{ $_[0] =~ s{/.*}{}r } }

# A floor's rooms as a band behind its rows, and what they may include of lower floors.
sub bands {
    my (@rooms) = @_;
    my $out = '';
    for (my ($first, $end) = (0, 0); $first < @rooms; $first = $end) {
        $end++ while $end < @rooms && floor_at($rooms[$end]) == floor_at($rooms[$first]);
        my ($y, $height) = ($TOP + $first * $CELL, ($end - $first) * $CELL);
        my $colour = floor_at($rooms[$first]) % 2 ? '#eef3f8' : '#f8f8f4';
        $out .= sprintf qq(<rect x="0" y="%d" width="%d" height="%d" fill="%s"/>\n), $y, $LEFT + @rooms * $CELL, $height, $colour;
        $out .= sprintf qq(<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#8899aa"/>\n),
            $LEFT + $first * $CELL, $y, $height, $height;
        $out .= text(4, $y + 10, 'start', 'floor ' . floor_at($rooms[$first])) if $height >= $CELL;
    }
    return $out;
}

sub picture {
    my $graph = graph_of(\&room_of);
    my @rooms = rooms_in_order($graph);
    my ($width, $height) = ($LEFT + @rooms * $CELL + 4, $TOP + @rooms * $CELL + 44);
    my $out = qq(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height" )
        . qq(font-family="sans-serif" font-size="10" fill="#222222">\n)
        . qq(<!-- Made by scripts/rooms.pl (make rooms); not to be edited. -->\n)
        . qq(<rect width="$width" height="$height" fill="white"/>\n) . bands(@rooms);
    for my $i (0 .. $#rooms) {
        my ($x, $y) = ($LEFT + $i * $CELL, $TOP + $i * $CELL);
        $out .= text($LEFT - 4, $y + 10, 'end', $rooms[$i]) . text($x + 10, $TOP - 4, 'start', $rooms[$i], 1);
        $out .= sprintf qq(<rect x="%d" y="%d" width="%d" height="%d" fill="#8899aa"/>\n), $x + 3, $y + 3, $CELL - 6, $CELL - 6;
        $out .= qq(<path d="M$x ${TOP}V$y M$LEFT ${y}H$x" stroke="#dde3e8" fill="none"/>\n);
        for my $j (grep { $graph->{ $rooms[$i] }{ $rooms[$_] } } 0 .. $#rooms) {
            $out .= sprintf qq(<circle cx="%d" cy="%d" r="4" fill="%s"><title>%s includes %s</title></circle>\n),
                $LEFT + $j * $CELL + 7, $y + 7, ($j > $i ? '#1f5f8b' : '#c0392b'), $rooms[$i], $rooms[$j];
        }
    }
    my $below = $TOP + @rooms * $CELL + 16;
    $out .= text(4, $below, 'start', 'A dot: the room of the row includes the room of the column. Rows and columns are in the same '
            . 'order, so that dots right of the diagonal point down.');
    $out .= text(4, $below + 16, 'start', 'A red dot, left of the diagonal, points up: it is part of a circle.');
    return $out . "</svg>\n";
}

my $asked = $ARGV[0] // '';
if    ($asked eq 'picture') { print picture() }
elsif ($asked eq 'floors')  { exit(check_floors() ? 1 : 0) }
elsif ($asked eq 'circles') { exit(check_circles() ? 1 : 0) }
else                        { die "usage: scripts/rooms.pl picture | floors | circles\n" }
