;; The kernel of the cleaner (clean_text.ts), with SIMD: finds control characters, and copies text without the sequences
;; that coloured output has. Tests check that cleaning gives the same result without it. `scripts/build-kernel` assembles
;; it into clean_kernel_wasm.ts.
;;
;; It may read 16 bytes beyond `end`, and write 16 bytes beyond what it says it wrote.
(module
  (import "clean" "memory" (memory 1))

  ;; Returns the address of the first byte up to `end` that is 00..08, 0B..1F, 7F or C2; `end` if there is none.
  (func $first_special (param $at i32) (param $end i32) (result i32)
    (local $bytes v128) (local $mask i32)
    (block $found
      (loop $each_vector
        (br_if $found (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $bytes (v128.load (local.get $at)))
        (local.set $mask (i8x16.bitmask (call $is_special (local.get $bytes))))
        (if (i32.eqz (local.get $mask)) (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $each_vector)))
        (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))))
    (select (local.get $at) (local.get $end) (i32.lt_s (local.get $at) (local.get $end))))

  ;; 00..08, which are most when 9 is subtracted; 0B..1F, which are least when 0B is; 7F; C2.
  (func $is_special (param $bytes v128) (result v128)
    (v128.or
      (v128.or
        (i8x16.gt_u (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 9))) (i8x16.splat (i32.const 0xf6)))
        (i8x16.lt_u (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 0x0b))) (i8x16.splat (i32.const 0x15))))
      (v128.or
        (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x7f)))
        (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0xc2))))))

  ;; Returns the address of the first control character other than TAB and LF up to `end`, or `end`.
  (func (export "find") (param $at i32) (param $end i32) (result i32)
    (loop $each
      (local.set $at (call $first_special (local.get $at) (local.get $end)))
      (if (i32.lt_s (local.get $at) (local.get $end)) (then
        (if (call $is_plain_c2 (local.get $at) (local.get $end)) (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $each))))))
    (local.get $at))

  ;; Whether the byte is a C2 that begins no control, as far as the bytes up to `end` tell.
  (func $is_plain_c2 (param $at i32) (param $end i32) (result i32)
    (i32.and
      (i32.eq (i32.load8_u (local.get $at)) (i32.const 0xc2))
      (i32.or
        (i32.ge_s (i32.add (local.get $at) (i32.const 1)) (local.get $end))
        (i32.ne
          (i32.and (i32.load8_u offset=1 (local.get $at)) (i32.const 0xe0))
          (i32.const 0x80)))))

  ;; Copies text to `out` up to what it does not know, and returns where that is. It leaves out SGR (CSI … m), CSI K
  ;; and a CR before an LF. Writes to addresses 0 and 4 the end of what it wrote, and the chars that it left out. The 3
  ;; bytes before `out` are those before the text.
  (func (export "copy") (param $at i32) (param $end i32) (param $out i32) (result i32)
    (local $bytes v128) (local $count i32) (local $byte i32) (local $last i32) (local $left_out i32)
    (block $stop
      (loop $each
        (local.set $bytes (v128.load (local.get $at)))
        (v128.store (local.get $out) (local.get $bytes))
        (local.set $count (i32.ctz (i32.or
          (i8x16.bitmask (call $is_special (local.get $bytes)))
          (i32.const 0x10000))))
        (if (i32.gt_s (local.get $count) (i32.sub (local.get $end) (local.get $at)))
          (then (local.set $count (i32.sub (local.get $end) (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (local.get $count)))
        (local.set $out (i32.add (local.get $out) (local.get $count)))
        (br_if $stop (i32.ge_s (local.get $at) (local.get $end)))
        (br_if $each (i32.eq (local.get $count) (i32.const 16)))

        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.eq (local.get $byte) (i32.const 0xc2)) (then
          (br_if $stop (i32.ge_s (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
          (br_if $stop (i32.eqz (call $is_plain_c2 (local.get $at) (local.get $end))))
          (i32.store8 (local.get $out) (local.get $byte))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.const 1)))
          (br $each)))
        (if (i32.eq (local.get $byte) (i32.const 0x1b))
          (then (local.set $last (call $known_sequence (local.get $at) (local.get $end))))
          (else
            (br_if $stop (i32.ne (local.get $byte) (i32.const 0x0d)))
            (br_if $stop (i32.ge_s (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
            (br_if $stop (i32.ne (i32.load8_u offset=1 (local.get $at)) (i32.const 0x0a)))
            (local.set $last (i32.add (local.get $at) (i32.const 1)))))
        (br_if $stop (i32.eqz (local.get $last)))
        (br_if $stop (call $may_be_unfinished (local.get $out)))
        (local.set $left_out (i32.add
          (local.get $left_out)
          (i32.sub (local.get $last) (local.get $at))))
        (local.set $at (local.get $last))
        (br $each)))
    (i32.store offset=0 (i32.const 0) (local.get $out))
    (i32.store offset=4 (i32.const 0) (local.get $left_out))
    (local.get $at))

  ;; Returns the end of the sequence at `at` if it is SGR, or erases to the end of the row; 0 if not.
  (func $known_sequence (param $at i32) (param $end i32) (result i32)
    (local $next i32) (local $byte i32)
    (local.set $next (i32.add (local.get $at) (i32.const 2)))
    (if (i32.ge_s (local.get $next) (local.get $end)) (then (return (i32.const 0))))
    (if (i32.ne (i32.load8_u offset=1 (local.get $at)) (i32.const 0x5b)) (then (return (i32.const 0))))
    (loop $each
      (local.set $byte (i32.load8_u (local.get $next)))
      (local.set $next (i32.add (local.get $next) (i32.const 1)))
      (if (i32.eq (i32.and (local.get $byte) (i32.const 0xf0)) (i32.const 0x30)) (then
        (br_if $each (i32.lt_s (local.get $next) (local.get $end)))
        (return (i32.const 0)))))
    (if (i32.eq (local.get $byte) (i32.const 0x6d)) (then (return (local.get $next))))
    (if (i32.and
        (i32.eq (local.get $byte) (i32.const 0x4b))
        (i32.eq (i32.sub (local.get $next) (local.get $at)) (i32.const 3)))
      (then (return (local.get $next))))
    (i32.const 0))

  ;; Whether the bytes before `out` may be the first part of a char.
  (func $may_be_unfinished (param $out i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u (i32.sub (local.get $out) (i32.const 1))))
    (if (i32.lt_u (local.get $byte) (i32.const 0x80)) (then (return (i32.const 0))))
    (if (i32.ge_u (local.get $byte) (i32.const 0xc0)) (then (return (i32.const 1))))
    (local.set $byte (i32.load8_u (i32.sub (local.get $out) (i32.const 2))))
    (if (i32.lt_u (local.get $byte) (i32.const 0x80)) (then (return (i32.const 0))))
    (if (i32.ge_u (local.get $byte) (i32.const 0xc0))
      (then (return (i32.ge_u (local.get $byte) (i32.const 0xe0)))))
    (i32.ge_u (i32.load8_u (i32.sub (local.get $out) (i32.const 3))) (i32.const 0xf0)))
)
