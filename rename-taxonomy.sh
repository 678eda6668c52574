#!/bin/bash
# Renames the tables of the taxonomy everywhere, in the root of the repository:
# THINGS -> SUBJECTS, KIND_OF -> HYPERNYMS, kinds() -> with_hypernyms().
set -e
folders="checkin bench/selection tests/checkin"
files=$(git grep -lwE "THINGS|KIND_OF|FALLBACK_KIND_OF|kinds" -- $folders ':!tests/checkin/test_scale.py')
sed -i -E '
    s/\bTHINGS\b/SUBJECTS/g
    s/\bFALLBACK_KIND_OF\b/FALLBACK_HYPERNYMS/g
    s/\bKIND_OF\b/HYPERNYMS/g
    s/(^|[^.])\bkinds\(/\1with_hypernyms(/g
    s/^(from \S*(lexicon|taxonomy) import .*)\bkinds\b/\1with_hypernyms/
    s/^    kinds,$/    with_hypernyms,/
    s/^    "kinds",$/    "with_hypernyms",/
' $files
sed -i -E 's/\bthings\b/subjects/g; s/\bthing\b/subject/g' checkin/lexicon/taxonomy.py
.venv/bin/ruff check -q --select I,RUF022 --fix $files
.venv/bin/ruff format -q $files
