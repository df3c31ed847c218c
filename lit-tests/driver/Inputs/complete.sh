# Completes the last word of a command line: complete.sh SCRIPT TOOL WORD...
script=$1
tool=$2
shift 2
relayopt() { "$tool" "$@"; }
source "$script"
COMP_WORDS=(relayopt "$@")
COMP_CWORD=$#
compopt() { :; }
_relayopt
printf '%s\n' "${COMPREPLY[@]}"
