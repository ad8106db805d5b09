#!/usr/bin/env perl
# Compares the structs that saved worlds contain with the lists by which they are written (src/world/interface/fields.h): each
# member is in tests/world/snapshots/saved_fields.txt or, with the reason, in not_saved.txt beside it. So nobody adds a member and
# forgets to save it. Prints what is in neither, and lines of not_saved.txt that are about no member.
# SPDX-License-Identifier: MIT
use strict;
use warnings;

my $folder = 'tests/world/snapshots';
my (%members, %listed, %reason);

# --- the structs of all headers, and of sources that have lists ---

sub split_members {
    my ($text) = @_;
    my %type;
    $text =~ s{//[^\n]*|/\*.*?\*/}{}gs;
    $text =~ s{\bconst\b|\bvolatile\b}{}g;
    for my $line (split /;/, $text) {
        $line =~ s/\s+/ /g;
        if ($line =~ /\(\s*\*\s*(\w+)\s*\)/) {
            $type{$1} = 'function';
        } elsif ($line =~ /^ ?((?:struct |enum )?\w+) (.+)$/) {
            my ($name, $declared) = ($1, $2);
            $type{$1} = $name while $declared =~ /(?:^|,)\s*\**\s*(\w+)/g;
        }
    }
    return \%type;
}

for my $path (glob 'include/pbs/*.h src/*/*.h src/*/*/*.h src/world/*/*.c') {
    open my $file, '<', $path or die "$path: $!\n";
    my $text = do { local $/; <$file> };
    while ($text =~ /^(typedef )?struct (\w+) \{\n(.*?)^\}/gms) {
        $members{ $1 ? $2 : "struct $2" } = split_members($3);
    }
}

# --- what is listed ---

sub read_lines {
    my ($name) = @_;
    open my $file, '<', "$folder/$name" or die "$folder/$name: $!\n";
    return map { chomp; $_ } <$file>;
}

my $owner = '';
for (read_lines('saved_fields.txt')) {
    if (/^    (\S+) /) {
        (my $whole = $1) =~ s/\[\d+\]//g;
        $listed{$owner}{$whole} = 1;
    } elsif (/^(?!version)(\S.*)$/) {
        $owner = $1;
    }
}
for (read_lines('not_saved.txt')) {
    $reason{$1} = 0 if /^    (\S.*)/;
}

# --- the comparison ---

my $missing = 0;

sub report { print "$_[0]\n"; $missing++; }

sub compare { # a struct, and the names of its listed members
    my ($struct, $names) = @_;
    for my $member (sort keys %{ $members{$struct} // {} }) {
        next if $names->{$member} or $member =~ /^(struct_size|reserved)$/;
        my %inner = map { /^\Q$member\E\.(.*)/ ? ($1 => 1) : () } keys %$names;
        if (%inner) {
            compare($members{$struct}{$member}, \%inner);
        } elsif (exists $reason{"$struct.$member"}) {
            $reason{"$struct.$member"} = 1;
        } else {
            report("$struct.$member is neither saved nor in $folder/not_saved.txt");
        }
    }
}

for my $struct (sort keys %listed) {
    $members{$struct} or report("no definition of $struct was found");
    compare($struct, $listed{$struct});
}
report("$folder/not_saved.txt: $_ is saved, or no member") for grep { !$reason{$_} } sort keys %reason;
exit($missing > 0);
