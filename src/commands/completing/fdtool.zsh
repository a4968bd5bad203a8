#compdef fdtool
# Completion of fdtool in zsh. See: fdtool help completion
_fdtool() {
  local -a typed lines fits remarks shown
  local also line
  integer at width=0
  typed=("${(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || typed=()
  lines=("${(@f)$(fdtool completion words-zsh -- "$typed[@]" "${(Q)PREFIX}" 2>/dev/null)}")
  also=$lines[1]
  if [[ $also == *command=* ]]; then
    at=${also#*command=}
    shift $at words
    (( CURRENT -= at ))
    _normal
    return
  fi
  for line in "${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    fits+=("${line%%$'\t'*}")
    remarks+=("${line#*$'\t'}")
    (( $#fits[-1] > width )) && width=$#fits[-1]
  done
  for (( at = 1; at <= $#fits; at++ )); do
    if [[ $remarks[at] == $fits[at] ]]; then shown+=("$fits[at]")
    else shown+=("${(r:width:)fits[at]}  -- $remarks[at]"); fi
  done
  if (( $#fits )); then
    if [[ "$remarks" == "$fits" ]]; then compadd -V fdtool -- "$fits[@]"
    else compadd -V fdtool -l -d shown -- "$fits[@]"; fi
  fi
  if [[ $PREFIX == --*=* && $also == *(files|directories)* ]]; then compset -P '*='; fi
  case $also in
    *files*) _files ;;
    *directories*) _path_files -/ ;;
  esac
}
if [[ $funcstack[1] == _fdtool ]]; then _fdtool "$@"
elif (( $+functions[compdef] )); then compdef _fdtool fdtool
fi
