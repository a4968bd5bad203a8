;; The kernel of the scan (scan_text.ts): counts LFs and char starts of strides of 256 bytes, and feeds the lanes
;; of the block sum, with SIMD. What it must give is count_strides.ts and feedLanes in block_sum.ts; the tests hold
;; it to them. `deno task build-kernel` assembles it into scan_kernel_wasm.ts.
;;
;; Whether a byte starts a char (the contract's section 2) is decided without a branch. With p the byte before b:
;;
;;   second    b may follow the lead p. Three tables, looked up by p's two halves and by b's high half, hold one bit
;;             for each kind of lead; a bit that stands in all three says yes. The kinds, and what may follow:
;;               01 C2..CF: 80..BF                 10 F1..F3: 80..BF
;;               02 D0..DF: 80..BF                 20 E0: A0..BF
;;               04 E1..EC, EE, EF: 80..BF         40 ED: 80..9F
;;               08 F4: 80..8F                     80 F0: 90..BF
;;   third     b is a continuation (80..BF) after a second whose lead was E0..F4
;;   fourth    b is a continuation after a third whose lead was F0..F4
;;
;; All but seconds, thirds and fourths start a char. A lead is never a continuation, so nothing before the last
;; 3 bytes matters.
(module
  (import "scan" "memory" (memory 2))

  ;; Counts `strides` strides from byte `address` on into the numbers (lineFeedCount << 16 | charStartCount) from
  ;; byte `counts` on, and feeds them to the lanes, the first 64 bytes of the memory. The 17 bytes before `address`
  ;; are read; only the last 3 of them matter, and must be the content's.
  (func (export "count") (param $address i32) (param $strides i32) (param $counts i32)
    (local $end i32) (local $stride_end i32) (local $starts i32)
    (local $v0 v128) (local $v1 v128) (local $v2 v128) (local $v3 v128)
    (local $lane0 v128) (local $lane1 v128) (local $lane2 v128) (local $lane3 v128)
    (local $mix v128) (local $lf v128) (local $line_feeds v128) (local $any v128)

    (local.set $mix (v128.const i32x4 0x85ebca77 0x85ebca77 0x85ebca77 0x85ebca77))
    (local.set $lf (i8x16.splat (i32.const 10)))
    (local.set $lane0 (v128.load offset=0 (i32.const 0)))
    (local.set $lane1 (v128.load offset=16 (i32.const 0)))
    (local.set $lane2 (v128.load offset=32 (i32.const 0)))
    (local.set $lane3 (v128.load offset=48 (i32.const 0)))
    (local.set $end (i32.add (local.get $address) (i32.shl (local.get $strides) (i32.const 8))))

    (loop $each_stride
      (local.set $stride_end (i32.add (local.get $address) (i32.const 256)))
      (local.set $line_feeds (v128.const i32x4 0 0 0 0))
      (local.set $any (v128.const i32x4 0 0 0 0))

      (loop $each_step
        (local.set $v0 (v128.load offset=0 (local.get $address)))
        (local.set $v1 (v128.load offset=16 (local.get $address)))
        (local.set $v2 (v128.load offset=32 (local.get $address)))
        (local.set $v3 (v128.load offset=48 (local.get $address)))

        ;; lane = rotl(lane xor word, 13) * mix
        (local.set $lane0 (v128.xor (local.get $lane0) (local.get $v0)))
        (local.set $lane1 (v128.xor (local.get $lane1) (local.get $v1)))
        (local.set $lane2 (v128.xor (local.get $lane2) (local.get $v2)))
        (local.set $lane3 (v128.xor (local.get $lane3) (local.get $v3)))
        (local.set $lane0 (i32x4.mul (local.get $mix) (v128.or
          (i32x4.shl (local.get $lane0) (i32.const 13)) (i32x4.shr_u (local.get $lane0) (i32.const 19)))))
        (local.set $lane1 (i32x4.mul (local.get $mix) (v128.or
          (i32x4.shl (local.get $lane1) (i32.const 13)) (i32x4.shr_u (local.get $lane1) (i32.const 19)))))
        (local.set $lane2 (i32x4.mul (local.get $mix) (v128.or
          (i32x4.shl (local.get $lane2) (i32.const 13)) (i32x4.shr_u (local.get $lane2) (i32.const 19)))))
        (local.set $lane3 (i32x4.mul (local.get $mix) (v128.or
          (i32x4.shl (local.get $lane3) (i32.const 13)) (i32x4.shr_u (local.get $lane3) (i32.const 19)))))

        ;; Equal bytes compare to -1. A stride has 16 vectors, so a byte of the sum holds at most 16.
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (i8x16.add
          (i8x16.add (i8x16.eq (local.get $v0) (local.get $lf)) (i8x16.eq (local.get $v1) (local.get $lf)))
          (i8x16.add (i8x16.eq (local.get $v2) (local.get $lf)) (i8x16.eq (local.get $v3) (local.get $lf))))))
        (local.set $any (v128.or (local.get $any) (v128.or
          (v128.or (local.get $v0) (local.get $v1)) (v128.or (local.get $v2) (local.get $v3)))))

        (local.set $address (i32.add (local.get $address) (i32.const 64)))
        (br_if $each_step (i32.ne (local.get $address) (local.get $stride_end))))

      (if (i8x16.bitmask (local.get $any))
        (then (local.set $starts (call $char_starts (i32.sub (local.get $address) (i32.const 256)))))
        (else (local.set $starts (i32.const 256))))
      (i32.store (local.get $counts) (i32.or
        (i32.shl (call $add_bytes (local.get $line_feeds)) (i32.const 16)) (local.get $starts)))
      (local.set $counts (i32.add (local.get $counts) (i32.const 4)))
      (br_if $each_stride (i32.ne (local.get $address) (local.get $end))))

    (v128.store offset=0 (i32.const 0) (local.get $lane0))
    (v128.store offset=16 (i32.const 0) (local.get $lane1))
    (v128.store offset=32 (i32.const 0) (local.get $lane2))
    (v128.store offset=48 (i32.const 0) (local.get $lane3)))

  ;; How many chars start in the 256 bytes from `address` on. Begins one vector earlier to know what was begun.
  (func $char_starts (param $address i32) (result i32)
    (local $end i32) (local $vector_before i32)
    (local $byte v128) (local $before v128) (local $no_second v128) (local $continuation v128)
    (local $wants_two v128) (local $wants_one v128) (local $wants_two_before v128) (local $wants_one_before v128)
    (local $starts v128)
    (local $low_half v128) (local $high_of_lead v128) (local $low_of_lead v128) (local $high_of_second v128)

    (local.set $low_half (i8x16.splat (i32.const 0x0f)))
    (local.set $high_of_lead
      (v128.const i8x16 0 0 0 0 0 0 0 0 0 0 0 0 0x01 0x02 0x64 0x98))
    (local.set $low_of_lead
      (v128.const i8x16 0xa2 0x16 0x17 0x17 0x0f 0x07 0x07 0x07 0x07 0x07 0x07 0x07 0x07 0x43 0x07 0x07))
    (local.set $high_of_second
      (v128.const i8x16 0 0 0 0 0 0 0 0 0x5f 0xd7 0xb7 0xb7 0 0 0 0))
    (local.set $end (i32.add (local.get $address) (i32.const 256)))
    (local.set $vector_before (i32.sub (local.get $address) (i32.const 16)))
    (local.set $address (local.get $vector_before))

    (loop $each_vector
      (local.set $byte (v128.load (local.get $address)))
      (local.set $before (v128.load (i32.sub (local.get $address) (i32.const 1))))
      (local.set $no_second (i8x16.eq (v128.const i32x4 0 0 0 0) (v128.and
        (v128.and
          (i8x16.swizzle (local.get $high_of_lead)
            (v128.and (i16x8.shr_u (local.get $before) (i32.const 4)) (local.get $low_half)))
          (i8x16.swizzle (local.get $low_of_lead)
            (v128.and (local.get $before) (local.get $low_half))))
        (i8x16.swizzle (local.get $high_of_second)
          (v128.and (i16x8.shr_u (local.get $byte) (i32.const 4)) (local.get $low_half))))))
      ;; As signed numbers 80..BF are below C0, and the leads E0..F4 above DF; ASCII is too, but has no second.
      (local.set $continuation (i8x16.lt_s (local.get $byte) (i8x16.splat (i32.const 0xc0))))
      (local.set $wants_two_before (local.get $wants_two))
      (local.set $wants_two (v128.andnot
        (i8x16.gt_s (local.get $before) (i8x16.splat (i32.const 0xef))) (local.get $no_second)))
      (local.set $wants_one_before (local.get $wants_one))
      ;; The shuffles put each byte's predecessor in its place.
      (local.set $wants_one (v128.or
        (v128.andnot (i8x16.gt_s (local.get $before) (i8x16.splat (i32.const 0xdf))) (local.get $no_second))
        (v128.and (local.get $continuation)
          (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
            (local.get $wants_two_before) (local.get $wants_two)))))
      (local.set $starts (i8x16.sub (local.get $starts) (v128.andnot (local.get $no_second)
        (v128.and (local.get $continuation)
          (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
            (local.get $wants_one_before) (local.get $wants_one))))))
      (if (i32.eq (local.get $address) (local.get $vector_before))
        (then (local.set $starts (v128.const i32x4 0 0 0 0))))
      (local.set $address (i32.add (local.get $address) (i32.const 16)))
      (br_if $each_vector (i32.ne (local.get $address) (local.get $end))))
    (call $add_bytes (local.get $starts)))

  ;; The sum of the 16 bytes of a vector.
  (func $add_bytes (param $bytes v128) (result i32)
    (local $words v128)
    (local.set $words (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bytes))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $words)) (i32x4.extract_lane 1 (local.get $words)))
      (i32.add (i32x4.extract_lane 2 (local.get $words)) (i32x4.extract_lane 3 (local.get $words))))))
