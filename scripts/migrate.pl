#!/usr/bin/perl
# Changes a host's source to the names of this version. It reads what a compiler says of the source and this version's
# headers, and the table of CHANGELOG.md, "Names that changed", and edits the files that the compiler names:
#   make -k 2>&1 | perl scripts/migrate.pl CHANGELOG.md
# to be repeated until it changes nothing. gcc and clang in C and C++ are understood. It prints what it cannot change;
# the exit status is 1 where there is such a thing.
#
# Members are told apart by the struct that the compiler names. Where a member has become a struct (`x.failure` is
# `x.failure.kind`), compilers only say that a line is wrong: all uses of that name there are taken for it. Members that
# went to a struct behind a pointer get a variable of that struct, where they are set by name (`d.method`) and *d is
# filled before by pbs_..._init(&d, ...).
use strict;
use warnings;

my ($table) = @ARGV;
my (%member, %name, %nested, %advice);
open(my $rows, '<', $table) or die "$table: $!\n";
while (<$rows>) {
    $advice{$1} = $2 if /^\| `(\w+)\(.*?`(?: and .*)? \| (.*) \|$/;
    next unless /^\| `([\w.]+)` \| `([\w.]+)` \|/;
    my ($was, $is) = ($1, $2);
    if (my ($struct, $name) = $was =~ /^(\w+)\.(\w+)$/) {
        $member{$struct}{$name} = $is;
        $nested{$name} = $struct if $is =~ /^\Q$was\E\.\w+$/;
    } else {
        $name{$was} = $is;
    }
}

# The structs that are behind a pointer of another one, and the calls that fill them.
my %behind = (pbs_expert_desc => {of => 'pbs_world_desc', by => 'expert'});

my (%places, %names, %wrong, $left);
sub by_hand { print "by hand: @_\n"; $left = 1 }

while (<STDIN>) {
    s/‘|’/'/g;
    next unless /^(.+?):(\d+):(\d+): (?:fatal )?(?:error|warning): (.*)/;
    my ($file, $line, $column, $says) = ($1, $2, $3, $4);
    next unless -w $file;
    if ($says =~ /^'(?:const )?(?:struct )?(\w+)'.* has no (?:non-static data )?member named '(\w+)'/ ||
        $says =~ /^(?:no member named|field designator) '(?<m>\w+)'.*'(?:const )?(?:struct )?(?<s>\w+)'(?: \(aka.*\))?$/) {
        my ($struct, $member) = defined $+{m} ? ($+{s}, $+{m}) : ($1, $2);
        $places{$file}{"$line $column $member"} = $struct if $member{$struct}{$member};
    } elsif ($says =~ /^(?:implicit declaration of function|use of undeclared identifier|call to undeclared function|unknown type name) '(\w+)'/ ||
        $says =~ /^'(\w+)' (?:undeclared|was not declared in this scope)/) {
        $names{$file}{$1} = 1 if $name{$1};
        by_hand("$file:$line: $1 is $advice{$1}") if $advice{$1};
    } else {
        $wrong{$file}{$line} = 1;
    }
}

# Where a column of a line is in a text; compilers count a tab as one column, or up to the next multiple of 8.
sub place {
    my ($starts, $text, $line, $column, $member) = @_;
    my $start = $starts->[$line];
    my ($shown, $at) = (1, $start);
    while ($shown < $column && substr($text, $at, 1) ne "\n") {
        $shown = substr($text, $at, 1) eq "\t" ? 8 * int(($shown + 7) / 8) + 1 : $shown + 1;
        $at++;
    }
    for my $from ($at, $start + $column - 1) {
        pos($text) = $from;
        return $-[1] if $text =~ /\G(?:\.|->)?\s*(\Q$member\E)\b/;
    }
    return undef;
}

# d.method becomes d_expert.method, and d_expert is made where d is filled. False where that cannot be done.
sub go_behind {
    my ($text, $at, $member, $new, $variables) = @_;
    my ($struct, $name) = $new =~ /^(\w+)\.(\w+)$/;
    my $pointer = $behind{$struct} or return 0;
    substr($$text, 0, $at) =~ /(\w+)\.\s*$/ or return 0;
    my ($variable, $start) = ($1, $-[1]);
    substr($$text, 0, $start) =~ /\b$pointer->{of}_init\(&$variable\b/ or return 0;
    substr($$text, $start, $at + length($member) - $start) = "${variable}_$pointer->{by}.$name";
    $variables->{$variable} = $struct;
    return 1;
}

sub declare {
    my ($text, $variable, $struct) = @_;
    my $pointer = $behind{$struct};
    my $own = "${variable}_$pointer->{by}";
    return if $$text =~ /\b$struct $own;/;
    $$text =~ s/^([ \t]*)([^\n]*\b$pointer->{of}_init\(&$variable\b[^;]*;[^\n]*\n)/$1$2$1${struct} $own;\n$1${struct}_init(&$own, sizeof $own);\n$1$variable.$pointer->{by} = &$own;\n/m;
}

for my $file (sort keys %{{%places, %names, %wrong}}) {
    open(my $in, '<', $file) or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    close $in;
    my ($before, @starts, %variables) = ($text, undef);
    my $offset = 0;
    for (split /(?<=\n)/, $text) { push @starts, $offset; $offset += length }
    # From the end, so that places before stay where they are.
    my @edits = sort { $b->[0] <=> $a->[0] || $b->[1] <=> $a->[1] }
        map { [split ' '] } keys %{$places{$file} // {}};
    my %done;
    for my $edit (@edits) {
        my ($line, $column, $member) = @$edit;
        my $struct = $places{$file}{"@$edit"};
        my $new = $member{$struct}{$member};
        my $at = place(\@starts, $text, $line, $column, $member);
        if (!defined $at) { by_hand("$file:$line: $struct.$member is $new") }
        elsif ($done{$at}++) { }
        elsif ($new =~ /^\Q$struct\E\.(.+)/) { substr($text, $at, length $member) = $1 }
        elsif (!go_behind(\$text, $at, $member, $new, \%variables)) { by_hand("$file:$line: $struct.$member is $new") }
    }
    my @lines = split /(?<=\n)/, $text;
    for my $line (sort { $a <=> $b } keys %{$wrong{$file} // {}}) {
        for my $member (keys %nested) {
            my ($new) = $member{$nested{$member}}{$member} =~ /^\w+\.(.+)/;
            $lines[$line - 1] =~ s/(\.|->)\Q$member\E\b(?!\s*\.)/$1$new/g;
        }
    }
    $text = join '', @lines;
    declare(\$text, $_, $variables{$_}) for sort keys %variables;
    for my $was (keys %{$names{$file} // {}}) { $text =~ s/\b\Q$was\E\b/$name{$was}/g }
    next if $text eq $before;
    open(my $out, '>', $file) or die "$file: $!\n";
    print $out $text;
    close $out;
    print "changed: $file\n";
}
exit($left ? 1 : 0);
