#!/usr/bin/env bash
# What comments and pages cite is there: pages, their numbered sections, papers by key and by names and year, anchors of
# links, and files that pages name without their folder.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

pages="README.md CONTRIBUTING.md $(echo docs/*.md docs/*/*.md bench/README.md)"

sources() { find "$@" \( -name '*.[ch]' -o -name '*.cpp' \) -print0; }

comments() { # folders: each file's comments in one line, with code between them as " # "
    local source
    sources "$@" | while read -r -d '' source; do
        sed -nE 's,^.*(///?<?|^ \*)( |$)(.*)$,\3,p; t; s/.*/#/p' "$source" | tr '\n' ' '
        echo
    done
}
comments src include bench examples fuzz tests >"$scratch/comments"
comments src include >"$scratch/library"

# Paragraphs of the pages on theory, each in one line; without fences and tables.
paragraphs() { # pages
    awk 'FNR == 1 || /^[[:space:]]*$/ || /^\|/ { printf "\n" } { printf "%s ", $0 }' "$@"
}

# --- pages and sections ---

cited_pages_exist() {
    local page found
    found=$(grep -ohE '[A-Za-z0-9_./-]+\.md\b' "$scratch/comments" | sort -u |
        while read -r page; do [ -e "$page" ] || [ "${page##*/}" = MANIFEST.md ] || echo "$page"; done)
    echo "$found"
    [ -z "$found" ]
}
check "pages that comments cite are in the tree" cited_pages_exist

# "docs/PAGE.md section 1.2" means a heading "## 1.2 ..." of that page; "sections 2 and 3", "sections 2 to 4" mean two.
sections() { # lines "PAGE NUMBER" of what is read
    grep -oE '[A-Za-z0-9_./-]+\.md,? +sections? +[0-9]+(\.[0-9]+)*((,| and| to|, and) [0-9]+(\.[0-9]+)*)*' |
        sed -E 's/,? +sections? +/ /; s/(, and|,| and| to) / /g' |
        awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort -u
}
sections_are_in_their_pages() { # file with lines "PAGE NUMBER", least count
    local page section found
    [ "$(wc -l <"$1")" -gt "$2" ] || { echo "found no citations"; return 1; }
    found=$(while read -r page section; do
        grep -qE "^#+ ${section//./\\.}\.? " "$page" || echo "$page section $section"
    done <"$1")
    echo "$found"
    [ -z "$found" ]
}
sections <"$scratch/comments" >"$scratch/sections"
check "sections that comments cite are in their pages" sections_are_in_their_pages "$scratch/sections" 10

# Pages on theory name each other without the folder.
paragraphs docs/theory/*.md | sections | sed -E 's,^(docs/theory/)?,docs/theory/,' >"$scratch/page_sections"
check "sections that pages cite are in their pages" sections_are_in_their_pages "$scratch/page_sections" 5

slugs() { # page: of its headings
    grep -E '^#+ ' "$1" | sed -E 's/^#+ //' | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}
anchors_exist() {
    local page link target found
    found=$(for page in $pages; do
        paragraphs "$page" | grep -oE '\]\([^)]*#[^)]+\)' | sed -E 's/^\]\(|\)$//g' | grep -vE '^https?:' |
            while read -r link; do
                target=${link%%#*}
                target=${target:+$(dirname "$page")/$target}
                slugs "${target:-$page}" | grep -qxF "${link#*#}" || echo "$page: $link"
            done
    done)
    echo "$found"
    [ -z "$found" ]
}
check "anchors of links are headings" anchors_exist

refuse "no comment speaks of a specification that is not here" \
    grep -rnE "[Tt]he spec('s|ification)?\b|(^|[^a-z_])specs/" --include='*.[ch]' --include='*.cpp' src include bench examples fuzz tests

# --- papers ---

# Entries of the bibliography, each in one line.
awk '/^\* / { printf "\n" } { printf "%s ", $0 }' docs/theory/bibliography.md | tr -s ' ' | grep '^\* ' >"$scratch/entries"

# Before "section 3", "eq. 14", "figure 11" and the like stands a key; those of the five papers stand alone as well.
keys() {
    { cat "$scratch/comments"; paragraphs docs/*.md docs/theory/*.md; } |
        grep -oE "\b[A-Z]+(-[A-Z]+)*('s)?,? (printed )?(sections?|eqs?\.|equations?|figures?|tables?|appendix|algorithm|theorem) [0-9A-Z]" |
        grep -oE "^[A-Z]+(-[A-Z]+)*" | sort -u
}
keys_are_known() {
    local key found
    [ "$(keys | wc -l)" -ge 5 ] || { echo "found no keys"; return 1; }
    found=$(keys | while read -r key; do grep -qF "* **$key**" "$scratch/entries" || echo "$key"; done)
    echo "$found"
    [ -z "$found" ]
}
check "keys of papers are in the bibliography" keys_are_known

# "Smith, de Goes, Kim 2018", "Hart (1996)", "Li et al. 2021": the last name, or that before "et al.", and the year are
# in one entry.
papers() { # lines "NAME YEAR" of what is read
    grep -oE "\b[A-Z][A-Za-z-]*[a-z](,? et al\.)?,? \(?(18|19|20)[0-9]{2}\b" |
        sed -E 's/,? et al\.//; s/[,(]//g' | grep -vE '^(In|Of|Since|January|February|March|April|May|June|July) ' | sort -u
}
papers_are_known() { # file to read
    local name year found
    papers <"$1" >"$scratch/papers"
    [ "$(wc -l <"$scratch/papers")" -gt 10 ] || { echo "found no papers"; return 1; }
    found=$(while read -r name year; do
        grep -iF -- "$name" "$scratch/entries" | grep -q "$year" || echo "$name $year"
    done <"$scratch/papers")
    echo "$found"
    [ -z "$found" ]
}
check "papers that the library's comments cite are in the bibliography" papers_are_known "$scratch/library"
paragraphs $(ls docs/theory/*.md | grep -v bibliography) >"$scratch/theory"
check "papers that pages cite are in the bibliography" papers_are_known "$scratch/theory"

# Titles of three words or more in quotation marks.
titles_are_known() {
    local title found
    grep -ohE '"[A-Z][^"# ]*( [^"# ]+){2,}"' "$scratch/library" | tr -d '"' | sort -u >"$scratch/titles"
    [ "$(wc -l <"$scratch/titles")" -gt 10 ] || { echo "found no titles"; return 1; }
    found=$(while read -r title; do grep -qiF -- "$title" "$scratch/entries" || echo "$title"; done <"$scratch/titles")
    echo "$found"
    [ -z "$found" ]
}
check "titles that the library's comments cite are in the bibliography" titles_are_known

# --- files ---

# `name.c` in a page, without a folder, is some file of that name.
named_files_exist() {
    local name found
    find src include bench examples fuzz tests -name '*.[ch]' | sed 's,.*/,,' | sort -u >"$scratch/files"
    found=$(grep -ohE '`[a-z0-9_]+\.[ch]`' $pages | tr -d '`' | sort -u | grep -vE '^host\.c$' | comm -23 - "$scratch/files")
    echo "$found"
    [ -z "$found" ]
}
check "files that pages name without a folder exist" named_files_exist
finish
