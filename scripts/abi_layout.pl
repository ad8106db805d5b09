#!/usr/bin/perl
# Prints the layout of every pbs_ struct and the values of every PBS_ constant that an object file's debug
# information describes, one line each, so that two libraries can be compared line by line:
#   struct NAME SIZE
#   member STRUCT NAME OFFSET SIZE TYPE
#   enum NAME                           (an unnamed one takes its first constant's name)
#   value ENUM CONSTANT VALUE
# Usage: abi_layout.pl OBJECT, compiled with -g -gdwarf-4 -fno-eliminate-unused-debug-types.
# SPDX-License-Identifier: MIT
use strict;
use warnings;

my (%entry, @order, @open);
open(my $dump, '-|', 'readelf', '--debug-dump=info', '--wide', $ARGV[0]) or die "readelf: $!";
my $current;
while (<$dump>) {
    if (/^ <(\w+)><(\w+)>: Abbrev Number: (\d+)(?: \((DW_TAG_\w+)\))?/) {
        my ($depth, $offset, $abbreviation, $tag) = (hex $1, $2, $3, $4);
        undef $current;
        next if $abbreviation == 0;
        $current = $entry{$offset} = {tag => $tag, children => []};
        push @order, $current;
        push @{$open[$depth - 1]{children}}, $current if $depth > 0;
        $open[$depth] = $current;
    } elsif ($current && /^ +<\w+> +DW_AT_(\w+) *: *(.*?)\s*$/) {
        my ($name, $value) = ($1, $2);
        # Newer readelf names the form first: "(strp) (offset: 0x2c): text", "(data1) 8".
        $value =~ s/^\(\w+\) //;
        $value =~ s/^\([^)]*offset: \w+\): //;
        $current->{$name} = $value;
    }
}
close $dump;

sub number {
    my ($text) = @_;
    $text =~ s/^\d+ byte block.*DW_OP_plus_uconst: (\d+)\)$/$1/;
    return $text =~ /^(-?)0x([0-9a-f]+)/ ? hex($2) * ($1 ? -1 : 1) : int((split ' ', $text)[0]);
}

sub type_of {
    my ($node) = @_;
    return undef unless defined $node->{type} && $node->{type} =~ /<0x(\w+)>/;
    return $entry{$1};
}

sub extents { return map { exists $_->{upper_bound} ? number($_->{upper_bound}) + 1 : 0 } @{$_[0]{children}} }

sub size_of {
    my ($node) = @_;
    return 0 unless $node;
    return number($node->{byte_size}) if exists $node->{byte_size};
    my $size = size_of(type_of($node));
    if ($node->{tag} eq 'DW_TAG_array_type') { $size *= $_ for extents($node) }
    return $size;
}

# Named types by their name; what has none is spelled out.
sub spelled {
    my ($node) = @_;
    return 'void' unless $node;
    my $tag = $node->{tag};
    return $node->{name} if exists $node->{name};
    return spelled(type_of($node)) . '*' if $tag eq 'DW_TAG_pointer_type';
    return 'const ' . spelled(type_of($node)) if $tag eq 'DW_TAG_const_type';
    return spelled(type_of($node)) . join('', map { "[$_]" } extents($node)) if $tag eq 'DW_TAG_array_type';
    if ($tag eq 'DW_TAG_subroutine_type') {
        return spelled(type_of($node)) . '(' . join(', ', map { spelled(type_of($_)) } @{$node->{children}}) . ')';
    }
    return $tag =~ /DW_TAG_(\w+)_type/ ? "unnamed $1" : $tag;
}

my %done;
sub print_struct {
    my ($name, $node) = @_;
    return if $name !~ /^pbs_/ || !exists $node->{byte_size} || $done{$name}++;
    printf "struct %s %d\n", $name, number($node->{byte_size});
    for my $member (grep { $_->{tag} eq 'DW_TAG_member' } @{$node->{children}}) {
        my $type = type_of($member);
        printf "member %s %s %d %d %s\n", $name, $member->{name} // 'unnamed',
            number($member->{data_member_location} // '0'), size_of($type), spelled($type);
    }
}

sub print_enum {
    my ($node) = @_;
    my @values = grep { $_->{name} =~ /^PBS_/ } @{$node->{children}};
    return unless @values;
    my $name = $node->{name} // $values[0]{name};
    return if $done{"enum $name"}++;
    print "enum $name\n";
    printf "value %s %s %d\n", $name, $_->{name}, number($_->{const_value}) for @values;
}

# Types as the headers declare them, in that order; a typedef names a struct that has no tag of its own.
for my $node (@order) {
    my $target = $node->{tag} eq 'DW_TAG_typedef' ? type_of($node) : undef;
    print_struct($node->{name}, $target) if $target && $target->{tag} =~ /^DW_TAG_(structure|union)_type$/;
    print_struct($node->{name}, $node) if $node->{tag} =~ /^DW_TAG_(structure|union)_type$/ && exists $node->{name};
    print_enum($node) if $node->{tag} eq 'DW_TAG_enumeration_type';
}
