# Runs the commands of a page of docs: run_doc.sh RELAYOPT SOURCES FOLDER PAGE.
set -e
rm -rf "$3" && mkdir -p "$3/bin"
ln -s "$1" "$3/bin/relayopt"
for part in test docs lit-tests; do ln -s "$(cd "$2" && pwd)/$part" "$3"; done
PATH="$3/bin:/usr/bin:/bin"
(cd "$3" && sh lit-tests/pages/Inputs/make_models.sh > models.log 2>&1) || { cat "$3/models.log"; exit 1; }
python3 "$2/lit-tests/pages/Inputs/run_page.py" "$2/docs/$4.md" "$3"
