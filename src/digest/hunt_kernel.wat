;; The kernel of the hunt (hunt_stems.ts): finds where one of a few stems of four bytes stands, whatever their case, with
;; SIMD. Tests check that it gives the same results as plainHunt. `scripts/build-kernel` assembles it into
;; hunt_kernel_wasm.ts.
;;
;; Stems are in buckets, one bit each. For each of the first three bytes of a stem two tables, one indexed by the low
;; half of a byte and one by the high half, have the buckets with a stem that has such a byte there. A place is looked at
;; closely if a bucket's bit is set in all six. The tables are the first 96 bytes of the memory; then follow 256 bytes
;; that are 1 for the bytes before which no word starts, and the stems: mask, value and `inWord`, 12 bytes each.
(module
  (import "hunt" "memory" (memory 1))

  ;; Hunts from byte `from` up to `to`; 34 bytes after `to` and 2 before `from` are read, too. Writes the addresses of
  ;; what it finds to `out`, at most `most`. Returns how many.
  (func (export "hunt")
    (param $from i32) (param $to i32) (param $stems i32) (param $stems_end i32) (param $out i32) (param $most i32)
    (result i32)
    (local $found i32) (local $mask i32) (local $at i32)
        (local $low v128) (local $first v128) (local $second v128)
    (local $lo0 v128) (local $hi0 v128) (local $lo1 v128) (local $hi1 v128) (local $lo2 v128) (local $hi2 v128)
    (local.set $low (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $lo0 (v128.load (i32.const 0)))
    (local.set $hi0 (v128.load (i32.const 16)))
    (local.set $lo1 (v128.load (i32.const 32)))
    (local.set $hi1 (v128.load (i32.const 48)))
    (local.set $lo2 (v128.load (i32.const 64)))
    (local.set $hi2 (v128.load (i32.const 80)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        ;; Low halves first: they are the same for small letters and capitals, and seldom all set.
        (local.set $first
          (v128.and
              (v128.and
                (i8x16.swizzle (local.get $lo0) (v128.and (v128.load (local.get $from)) (local.get $low)))
                (i8x16.swizzle (local.get $lo1) (v128.and (v128.load offset=1 (local.get $from)) (local.get $low))))
              (i8x16.swizzle (local.get $lo2) (v128.and (v128.load offset=2 (local.get $from)) (local.get $low)))))
        (local.set $second
          (v128.and
              (v128.and
                (i8x16.swizzle (local.get $lo0) (v128.and (v128.load offset=16 (local.get $from)) (local.get $low)))
                (i8x16.swizzle (local.get $lo1) (v128.and (v128.load offset=17 (local.get $from)) (local.get $low))))
              (i8x16.swizzle (local.get $lo2) (v128.and (v128.load offset=18 (local.get $from)) (local.get $low)))))
        (if (v128.any_true (v128.or (local.get $first) (local.get $second)))
          (then
            (local.set $mask
              (i32.or
                (call $places (local.get $from) (local.get $first) (local.get $hi0) (local.get $hi1) (local.get $hi2))
                (i32.shl
                  (call $places (i32.add (local.get $from) (i32.const 16)) (local.get $second) (local.get $hi0)
                    (local.get $hi1) (local.get $hi2))
                  (i32.const 16))))
            (block $none
              (br_if $none (i32.eqz (local.get $mask)))
              (loop $bits
                (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $mask))))
                (if (i32.lt_u (local.get $at) (local.get $to))
                  (then
                    (if (call $stands (local.get $at) (local.get $stems) (local.get $stems_end))
                      (then
                        (i32.store (local.get $out) (local.get $at))
                        (local.set $out (i32.add (local.get $out) (i32.const 4)))
                        (local.set $found (i32.add (local.get $found) (i32.const 1)))
                        (br_if $done (i32.eq (local.get $found) (local.get $most)))))))
                (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
                (br_if $bits (local.get $mask))))))
        (local.set $from (i32.add (local.get $from) (i32.const 32)))
        (br $next)))
    (local.get $found))

  ;; The places among the 16 bytes at `from` at which the high halves allow a bucket of `low`, one bit each.
  (func $places (param $from i32) (param $low v128) (param $hi0 v128) (param $hi1 v128) (param $hi2 v128) (result i32)
    (i32.xor
      (i8x16.bitmask
        (i8x16.eq
          (v128.and
            (v128.and
              (local.get $low)
              (i8x16.swizzle (local.get $hi0) (call $high (v128.load (local.get $from)))))
            (v128.and
              (i8x16.swizzle (local.get $hi1) (call $high (v128.load offset=1 (local.get $from))))
              (i8x16.swizzle (local.get $hi2) (call $high (v128.load offset=2 (local.get $from))))))
          (v128.const i64x2 0 0)))
      (i32.const 0xffff)))

  ;; The high halves of bytes, of capitals those of their small letters.
  (func $high (param $bytes v128) (result v128)
    (v128.or
      (v128.and (i16x8.shr_u (local.get $bytes) (i32.const 4))
        (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
      (v128.const i8x16 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2)))

  ;; Whether a stem is at `at`. It has to start `inWord` bytes after the start of a word, if that is not negative: a word
  ;; does not start after a byte of a word, except that a capital starts one.
  (func $stands (param $at i32) (param $stem i32) (param $stems_end i32) (result i32)
    (local $word i32)
    (local.set $word (i32.or (i32.load (local.get $at)) (i32.const 0x20202020)))
    (loop $next
      (if (i32.eq
            (i32.and (local.get $word) (i32.load (local.get $stem)))
            (i32.load offset=4 (local.get $stem)))
        (then
          (if (i32.lt_s (i32.load offset=8 (local.get $stem)) (i32.const 0)) (then (return (i32.const 1))))
          (local.set $at (i32.sub (local.get $at) (i32.load offset=8 (local.get $stem))))
          (if (i32.eqz (i32.load8_u offset=96 (i32.load8_u (i32.sub (local.get $at) (i32.const 1)))))
            (then (return (i32.const 1))))
          ;; A capital lacks this bit.
          (return (i32.eqz (i32.and (i32.load8_u (local.get $at)) (i32.const 32))))))
      (local.set $stem (i32.add (local.get $stem) (i32.const 12)))
      (br_if $next (i32.lt_u (local.get $stem) (local.get $stems_end))))
    (i32.const 0)))
