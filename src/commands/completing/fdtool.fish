# Completion of fdtool in fish. See: fdtool help completion
function __fdtool_fitting
  set -l words (commandline -opc)
  set -l raw (commandline -ct)
  set -l typed (string unescape -- "$raw"; or echo "$raw")
  set -q typed[1]; or set typed ''
  set -l lines (fdtool completion words-fish -- $words[2..-1] "$typed" 2>/dev/null)
  set -l also $lines[1]
  if string match -q '*command=*' -- $also
    set -l at (math 1 + (string replace -r '.*command=' '' -- $also))
    complete -C (string join ' ' -- (string escape -- $words[$at..-1]) "$raw")
    return
  end
  set -q lines[2]; and printf '%s\n' $lines[2..-1]
  set -l option (string match -r '^--[^=]*=' -- "$typed")
  set -q option[1]; or set option ''
  set -l path (string replace -r '^--[^=]*=' '' -- "$typed")
  switch "$also"
    case '*files*'
      for each in (__fish_complete_path "$path")
        echo $option$each
      end
    case '*directories*'
      for each in (__fish_complete_directories "$path" '')
        echo $option$each
      end
  end
end
complete -c fdtool -e
complete -c fdtool -f -k -a '(__fdtool_fitting)'
