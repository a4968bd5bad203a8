# Completion of fdtool in bash. See: fdtool help completion
_fdtool() {
  local words=() starts=() rest=$COMP_LINE count=0 typed= prefix= also= i at piece line
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if [[ $i -gt 0 && -n $piece && $rest != [[:space:]]* ]]; then
      prefix=${words[count - 1]}
    else
      rest=${rest#"${rest%%[![:space:]]*}"} prefix= starts[count]=$i count=$((count + 1))
    fi
    if ((i == COMP_CWORD)); then
      at=$((COMP_POINT - ${#COMP_LINE} + ${#rest}))
      if ((at > 0)); then piece=${piece:0:at}; else piece=; fi
    fi
    rest=${rest#"$piece"}
    words[count - 1]=$prefix$piece
  done
  typed=${words[count - 1]}
  case $piece in :|=) prefix=$typed ;; esac
  while IFS= read -r line; do
    if [[ -z $also ]]; then also=$line; continue; fi
    if [[ $typed != [\"\']* && $line == *[!A-Za-z0-9:=_./,+@%-]* ]]; then printf -v line %q "$line"; fi
    COMPREPLY[${#COMPREPLY[@]}]=${line#"$prefix"}
  done < <(fdtool completion words-bash -- "${words[@]:1}" 2>/dev/null)
  case $also in
    *command=*)
      at=${also#*command=}
      if declare -F _comp_command_offset >/dev/null; then _comp_command_offset "${starts[at]}"
      elif declare -F _command_offset >/dev/null; then _command_offset "${starts[at]}"
      elif ((at == count - 1)); then
        while IFS= read -r line; do COMPREPLY[${#COMPREPLY[@]}]=$line; done < <(compgen -c -- "$typed")
      fi ;;
    *files*)
      if [[ -z $typed && ${#COMPREPLY[@]} -gt 0 ]]; then
        while IFS= read -r line; do
          [[ -d $line ]] && line=$line/
          printf -v line %q "$line"
          COMPREPLY[${#COMPREPLY[@]}]=$line
        done < <(compgen -f)
      fi ;;
    *directories*) compopt +o default -o plusdirs -o filenames 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
}
complete -o default -o nosort -F _fdtool fdtool 2>/dev/null || complete -o default -F _fdtool fdtool
