#!/usr/bin/perl
# Compares a recorded layout table with the present one (abi_layout.pl writes them) and prints what would break a
# host that was compiled against the recorded one: abi_compare.pl RECORDED PRESENT. Exit status 1 if anything would.
#
# Allowed: new structs and enums; a struct that begins with `uint32_t struct_size` may grow, by members that start at
# or after its recorded size (in padding they would read an old host's garbage); a member called `reserved`, which is zero
# on both sides, may give its place, from its beginning on, to new members; an enum may gain constants with new values
# after its last one. Everything else must be as it was.
# SPDX-License-Identifier: MIT
use strict;
use warnings;

sub table {
    my ($path) = @_;
    my %table = (order => []);
    open(my $file, '<', $path) or die "$path: $!\n";
    while (<$file>) {
        next if /^#/ || /^\s*$/;
        my ($kind, $owner, @rest) = split ' ', $_, $_ =~ /^member/ ? 6 : 4;
        chomp @rest;
        if ($kind eq 'struct' || $kind eq 'enum') {
            $table{$owner} = {kind => $kind, size => $rest[0] // 0, names => [], is => {}};
            push @{$table{order}}, $owner;
        } else {
            my $name = shift @rest;
            push @{$table{$owner}{names}}, $name;
            $table{$owner}{is}{$name} = [@rest];
        }
    }
    return \%table;
}

my ($old, $new) = (table($ARGV[0]), table($ARGV[1]));
my $broken = 0;
sub broken { print "ABI: ", @_, "\n"; $broken = 1 }

# A reserved member may have shrunk, or gone, in favour of new members that lie in its place.
sub gives_place {
    my ($was, $is) = @_;
    my ($offset, $size, $type) = @{$was->{is}{reserved} // return 0};
    my ($now_offset, $now_size, $now_type) = @{$is->{is}{reserved} // [$offset + $size, 0, $type]};
    (my $element = $type) =~ s/\[.*//;
    (my $now_element = $now_type) =~ s/\[.*//;
    return $element eq $now_element && $now_offset >= $offset && $now_offset + $now_size == $offset + $size;
}

sub lies_in_place {
    my ($member, $was, $is) = @_;
    my ($from, $length) = @{$was->{is}{reserved} // return 0};
    my ($offset, $size) = @{$is->{is}{$member}};
    return $offset >= $from && $offset + $size <= $from + $length;
}

sub compare_struct {
    my ($name, $was, $is) = @_;
    my $first = $was->{names}[0] // '';
    my $grows = $first eq 'struct_size' && "@{$was->{is}{$first}}" eq '0 4 uint32_t';
    broken("struct $name: size was $was->{size}, is $is->{size}")
        if $is->{size} < $was->{size} || ($is->{size} > $was->{size} && !$grows);
    for my $member (grep { !exists $was->{is}{$_} } @{$is->{names}}) {
        my $offset = $is->{is}{$member}[0];
        broken("struct $name: new member $member at offset $offset, which is not after its recorded size $was->{size}")
            if $offset < $was->{size} && !(gives_place($was, $is) && lies_in_place($member, $was, $is));
    }
}

sub compare_enum {
    my ($name, $was, $is) = @_;
    my %taken = map { $was->{is}{$_}[0] => $_ } @{$was->{names}};
    my $left = @{$was->{names}};
    for my $constant (@{$is->{names}}) {
        if (exists $was->{is}{$constant}) { $left--; next }
        my $value = $is->{is}{$constant}[0];
        broken("enum $name: $constant was inserted before constants that were there") if $left > 0;
        broken("enum $name: new $constant has the value $value of $taken{$value}") if exists $taken{$value};
    }
}

for my $name (@{$old->{order}}) {
    my ($was, $is) = ($old->{$name}, $new->{$name});
    if (!$is) { broken("$was->{kind} $name is gone"); next }
    for my $member (@{$was->{names}}) {
        next if $member eq 'reserved' && $was->{kind} eq 'struct' && gives_place($was, $is);
        my ($before, $now) = ("@{$was->{is}{$member}}", "@{$is->{is}{$member} // ['gone']}");
        broken("$was->{kind} $name: $member was ($before), is ($now)") if $before ne $now;
    }
    $was->{kind} eq 'struct' ? compare_struct($name, $was, $is) : compare_enum($name, $was, $is);
}
exit $broken;
