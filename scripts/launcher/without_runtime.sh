# Run by sh with fdtool's own words when the runtime lacks the memory or descriptors to start (launch.c): what the
# command would have printed matters more than keeping it.
not() {
  # Without a subshell, sh would save the stream at a number from 10 on, and be left without it.
  (echo "fdtool: too little memory or too few files for fdtool (ulimit -v, -d, -s, -n, or the control group's limit)$1") >&2
}
shell() {
  not "; the command's output is not kept"
  exec "${FDTOOL_SHELL:-bash}" "$@"
}
case ${1-} in
-[!-]* | +* | --login | --norc | --noprofile | --posix)
  case " $* " in
  *' -c '* | *' -'[!-]*'c '*) shell "$@" ;;
  esac
  ;;
esac
while :; do
  case ${1-} in
  --store | --root | --format | --color) shift 2 || break ;;
  --*) shift ;;
  *) break ;;
  esac
done
case ${1-} in
shell)
  shift
  shell "$@"
  ;;
capture)
  not '; nothing is stored'
  exec cat
  ;;
run | run-command)
  line=
  shift
  while :; do
    case ${1-} in
    --)
      shift
      break
      ;;
    --shell) line=1 ;;
    --cwd) cd -- "${2-}" || exit 125 && shift ;;
    --cwd=*) cd -- "${1#*=}" || exit 125 ;;
    --background | --bg | --detach | --until* | --pty)
      not "; run $1 needs it"
      exit 125
      ;;
    --*=* | --always | --durable | --tee | --split | --fresh | --no-*) ;;
    --*) shift ;;
    *) break ;;
    esac
    shift || break
  done
  not "; the command's output is not kept"
  [ -z "$line" ] || exec /bin/sh -c "$*"
  exec "$@"
  ;;
esac
not ''
exit 1
