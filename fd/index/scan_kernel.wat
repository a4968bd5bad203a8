;; The kernel of the scan (scan_text.ts): counts LFs and char starts of strides of 256 bytes, feeds the lanes of the
;; block sum, with SIMD, and cuts pages. Tests check that it gives the same results as plainCounter in
;; count_strides.ts. `scripts/build-kernel` assembles it into scan_kernel_wasm.ts.
;;
;; In well-formed text every byte except continuations (80..BF) starts a char; without continuations this is true of
;; any bytes. So `count` counts continuations. The caller then checks whether the text is well-formed, for which the
;; runtime is faster than any code here, and calls `recount` if it is not. `recount` determines for each lead byte
;; (C2..F4), 16 bytes at once, how many of the bytes after it belong to it ("it owns them"):
;;
;;   pair      The next byte may follow this lead. Three tables, indexed by the lead's two halves and by the next
;;             byte's high half, have one bit for each kind of lead; the pair is valid if a bit is set in all three.
;;             As signed numbers the bits of 2-byte leads are at most 1, and those of 4-byte leads above 8:
;;               80 C2..CF: 80..BF                 10 F1..F3: 80..BF
;;               01 D0..DF: 80..BF                 20 F0: 90..BF
;;               02 E1..EC, EE, EF: 80..BF         40 F4: 80..8F
;;               04 E0: A0..BF
;;               08 ED: 80..9F
;;   third     The lead is E0..F4, has its pair, and the byte after that is a continuation (80..BF).
;;   fourth    The lead is F0..F4, has its third, and the byte after that is a continuation.
;;
;; A byte that no lead owns starts a char. Edges of a stride need correction: its last leads may own bytes after its
;; end, and leads before it may own some of its bytes. (The bytes after the last stride may be anything: what is counted
;; of them is subtracted again.)
(module
  (import "scan" "memory" (memory 1))

  ;; Counts `strides` (1 to 256) strides from byte `address` on and sums their blocks. The first is stride `in_block`
  ;; of its block; the lanes, the first 128 bytes of the memory, contain the state before it. `totals` contains the
  ;; number of chars before the first stride; after it, writes the number at the end of each stride, treating every
  ;; byte except continuations as the start of a char. Writes the sum of each block that ends to `sums`, the lead-in
  ;; of each block that starts to `lead_ins`, and the LFs of all strides, followed by those before each block that
  ;; starts, to `line_feeds`. Writes to `controls`, for each block that the strides are of, whether a control character
  ;; other than TAB and LF ends in them. Returns the number of continuations.
  (func (export "count")
    (param $address i32) (param $strides i32) (param $totals i32) (param $in_block i32) (param $sums i32) (param $lead_ins i32)
    (param $line_feeds i32) (param $controls i32)
    (result i32)
    (local $run i32) (local $continuations i32) (local $lfs i32) (local $lfs_before i32)
    (local.set $lfs_before (local.get $line_feeds))
    (loop $each_run
      (if (i32.eqz (local.get $in_block)) (then
        (call $seed_lanes)
        (i32.store (local.get $lead_ins) (call $lead_in (local.get $address)))
        (local.set $lead_ins (i32.add (local.get $lead_ins) (i32.const 4)))
        (local.set $lfs_before (i32.add (local.get $lfs_before) (i32.const 4)))
        (i32.store (local.get $lfs_before) (local.get $lfs))))
      (local.set $run (i32.sub (i32.const 128) (local.get $in_block)))
      (if (i32.lt_s (local.get $strides) (local.get $run)) (then (local.set $run (local.get $strides))))
      (call $count_run (local.get $address) (local.get $run) (local.get $totals) (local.get $controls))
      (local.set $controls (i32.add (local.get $controls) (i32.const 4)))
      (local.set $lfs (i32.add (local.get $lfs)))
      (local.set $continuations (i32.add (local.get $continuations)))
      (local.set $address (i32.add (local.get $address) (i32.shl (local.get $run) (i32.const 8))))
      (local.set $totals (i32.add (local.get $totals) (i32.shl (local.get $run) (i32.const 2))))
      (local.set $strides (i32.sub (local.get $strides) (local.get $run)))
      (local.set $in_block (i32.and (i32.add (local.get $in_block) (local.get $run)) (i32.const 127)))
      (if (i32.eqz (local.get $in_block)) (then
        (i32.store (local.get $sums) (call $finish_lanes (i32.const 32768)))
        (local.set $sums (i32.add (local.get $sums) (i32.const 4)))))
      (br_if $each_run (local.get $strides)))
    (i32.store (local.get $line_feeds) (local.get $lfs))
    (local.get $continuations))

  ;; seedLanes of block_sum.ts.
  (func $seed_lanes
    (local $lane i32) (local $seed i32)
    (loop $each_lane
      (local.set $seed (i32.add (local.get $seed) (i32.const 0x9e3779b1)))
      (i32.store (local.get $lane) (local.get $seed))
      (local.set $lane (i32.add (local.get $lane) (i32.const 4)))
      (br_if $each_lane (i32.ne (local.get $lane) (i32.const 128)))))

  ;; finishLanes of block_sum.ts.
  (func $finish_lanes (param $sum i32) (result i32)
    (local $lane i32)
    (loop $each_lane
      (local.set $sum (i32.mul
        (i32.rotl (i32.xor (local.get $sum) (i32.load (local.get $lane))) (i32.const 17))
        (i32.const 0xc2b2ae3d)))
      (local.set $lane (i32.add (local.get $lane) (i32.const 4)))
      (br_if $each_lane (i32.ne (local.get $lane) (i32.const 128))))
    (local.set $sum (i32.mul
      (i32.xor (local.get $sum) (i32.shr_u (local.get $sum) (i32.const 15)))
      (i32.const 0x85ebca77)))
    (i32.xor (local.get $sum) (i32.shr_u (local.get $sum) (i32.const 13))))

  ;; `count` for strides of one block; returns the number of continuations and of LFs. Handles up to 4 strides at a
  ;; time, and looks for continuations only if one of their bytes is not ASCII. An addition replaces the shift left,
  ;; because runtimes compile a shift to three machine instructions.
  ;;
  ;; Controls are looked for only where the least byte but LF, DEL or C2 says that there may be one.
  (func $count_run (param $address i32) (param $strides i32) (param $totals i32) (param $controls i32) (result i32 i32)
    (local $end i32) (local $some i32) (local $some_end i32) (local $stride_end i32)
    (local $bytes v128) (local $mixed v128) (local $lf v128) (local $line_feeds v128) (local $most v128) (local $least v128)
    (local $c0 v128) (local $continuations v128) (local $is_lf v128) (local $is_c2 v128) (local $c2 v128) (local $greatest v128)
    (local $few i32) (local $may_be i32) (local $found i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (local $of_stride i32) (local $in_all i32) (local $chars i32) (local $lfs i32)

    (local.set $lf (i8x16.splat (i32.const 10)))
    (local.set $c0 (i8x16.splat (i32.const 0xc0)))
    (local.set $c2 (i8x16.splat (i32.const 0xc2)))
    (local.set $chars (i32.load (local.get $totals)))
    (local.set $a (v128.load offset=0 (i32.const 0)))
    (local.set $b (v128.load offset=16 (i32.const 0)))
    (local.set $c (v128.load offset=32 (i32.const 0)))
    (local.set $d (v128.load offset=48 (i32.const 0)))
    (local.set $e (v128.load offset=64 (i32.const 0)))
    (local.set $f (v128.load offset=80 (i32.const 0)))
    (local.set $g (v128.load offset=96 (i32.const 0)))
    (local.set $h (v128.load offset=112 (i32.const 0)))
    (local.set $end (i32.add (local.get $address) (i32.shl (local.get $strides) (i32.const 8))))

    (loop $each_few
      (local.set $some (local.get $address))
      (local.set $few (local.get $address))
      (local.set $some_end (i32.add (local.get $address) (i32.const 1024)))
      (if (i32.gt_s (local.get $some_end) (local.get $end)) (then (local.set $some_end (local.get $end))))
      (local.set $line_feeds (v128.const i32x4 0 0 0 0))
      (local.set $most (v128.const i32x4 0 0 0 0))
      (local.set $least (v128.const i32x4 -1 -1 -1 -1))
      (local.set $greatest (v128.const i32x4 0 0 0 0))
      (local.set $may_be (i32.const 0))

      ;; Handles 64 bytes, twice, like four columns of feedLanes of block_sum.ts. A true comparison gives -1. (4
      ;; strides have 64 vectors, so a byte of the count is at most 64.)
      (loop $each_step
        (local.set $bytes (v128.load offset=16 (local.get $address)))
        (local.set $b (v128.xor (local.get $b) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $bytes (v128.load offset=32 (local.get $address)))
        (local.set $c (v128.xor (local.get $c) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $bytes (v128.load offset=48 (local.get $address)))
        (local.set $d (v128.xor (local.get $d) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $bytes (v128.load offset=0 (local.get $address)))
        (local.set $a (v128.xor (local.get $a) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $mixed (v128.xor
          (v128.xor (v128.xor (local.get $a) (local.get $b)) (local.get $c))
          (local.get $d)))
        (local.set $mixed (v128.xor (local.get $mixed) (i32x4.add (local.get $mixed) (local.get $mixed))))
        (local.set $a (local.get $b))
        (local.set $b (local.get $c))
        (local.set $c (local.get $d))
        (local.set $d (v128.xor (local.get $mixed) (i32x4.shr_u (local.get $mixed) (i32.const 3))))

        (local.set $bytes (v128.load offset=80 (local.get $address)))
        (local.set $f (v128.xor (local.get $f) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $bytes (v128.load offset=96 (local.get $address)))
        (local.set $g (v128.xor (local.get $g) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $bytes (v128.load offset=112 (local.get $address)))
        (local.set $h (v128.xor (local.get $h) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $bytes (v128.load offset=64 (local.get $address)))
        (local.set $e (v128.xor (local.get $e) (local.get $bytes)))
        (local.set $most (i8x16.max_u (local.get $most) (local.get $bytes)))
        (local.set $is_lf (i8x16.eq (local.get $bytes) (local.get $lf)))
        (local.set $line_feeds (i8x16.sub (local.get $line_feeds) (local.get $is_lf)))
        (local.set $least (i8x16.min_u (local.get $least) (v128.or (local.get $bytes) (local.get $is_lf))))
        (local.set $mixed (v128.xor
          (v128.xor (v128.xor (local.get $e) (local.get $f)) (local.get $g))
          (local.get $h)))
        (local.set $mixed (v128.xor (local.get $mixed) (i32x4.add (local.get $mixed) (local.get $mixed))))
        (local.set $e (local.get $f))
        (local.set $f (local.get $g))
        (local.set $g (local.get $h))
        (local.set $h (v128.xor (local.get $mixed) (i32x4.shr_u (local.get $mixed) (i32.const 3))))

        (local.set $address (i32.add (local.get $address) (i32.const 128)))
        (br_if $each_step (i32.ne (local.get $address) (local.get $some_end))))

      (local.set $lfs (i32.add (local.get $lfs) (call $add_bytes (local.get $line_feeds))))
      (if (v128.any_true (v128.and (local.get $most) (i8x16.splat (i32.const 0x80))))
        (then (local.set $is_c2 (v128.const i32x4 0 0 0 0)) (loop $each_stride
          (local.set $continuations (v128.const i32x4 0 0 0 0))
          (local.set $stride_end (i32.add (local.get $some) (i32.const 256)))
          (loop $each_part
            (local.set $bytes (v128.load offset=0 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=16 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=32 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=48 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=64 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=80 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=96 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $bytes (v128.load offset=112 (local.get $some)))
            (local.set $continuations (i8x16.sub
              (local.get $continuations)
              (i8x16.lt_s (local.get $bytes) (local.get $c0))))
            (local.set $is_c2 (v128.or (local.get $is_c2) (i8x16.eq (local.get $bytes) (local.get $c2))))
            (local.set $greatest (i8x16.max_s (local.get $greatest) (local.get $bytes)))
            (local.set $some (i32.add (local.get $some) (i32.const 128)))
            (br_if $each_part (i32.ne (local.get $some) (local.get $stride_end))))
          (local.set $of_stride (call $add_bytes (local.get $continuations)))
          (local.set $in_all (i32.add (local.get $in_all) (local.get $of_stride)))
          (local.set $chars (i32.add (local.get $chars) (i32.sub (i32.const 256) (local.get $of_stride))))
          (i32.store offset=4 (local.get $totals) (local.get $chars))
          (local.set $totals (i32.add (local.get $totals) (i32.const 4)))
          (br_if $each_stride (i32.ne (local.get $some) (local.get $some_end))))
          (local.set $may_be (i32.or
            (v128.any_true (local.get $is_c2))
            (i32.eq (i32.load8_u (i32.sub (local.get $few) (i32.const 1))) (i32.const 0xc2)))))
        (else (local.set $greatest (local.get $most)) (loop $each_stride
          (local.set $chars (i32.add (local.get $chars) (i32.const 256)))
          (i32.store offset=4 (local.get $totals) (local.get $chars))
          (local.set $totals (i32.add (local.get $totals) (i32.const 4)))
          (local.set $some (i32.add (local.get $some) (i32.const 256)))
          (br_if $each_stride (i32.ne (local.get $some) (local.get $some_end))))))
      (local.set $may_be (i32.or (local.get $may_be) (v128.any_true (v128.or
        (i8x16.lt_u (local.get $least) (i8x16.splat (i32.const 0x20)))
        (i8x16.eq (local.get $greatest) (i8x16.splat (i32.const 0x7f)))))))
      (if (i32.and (local.get $may_be) (i32.eqz (local.get $found)))
        (then (local.set $found (call $has_control (local.get $few) (local.get $some_end)))))
      (br_if $each_few (i32.ne (local.get $address) (local.get $end))))

    (i32.store (local.get $controls) (local.get $found))
    (v128.store offset=0 (i32.const 0) (local.get $a))
    (v128.store offset=16 (i32.const 0) (local.get $b))
    (v128.store offset=32 (i32.const 0) (local.get $c))
    (v128.store offset=48 (i32.const 0) (local.get $d))
    (v128.store offset=64 (i32.const 0) (local.get $e))
    (v128.store offset=80 (i32.const 0) (local.get $f))
    (v128.store offset=96 (i32.const 0) (local.get $g))
    (v128.store offset=112 (i32.const 0) (local.get $h))
    (local.get $in_all)
    (local.get $lfs))

  ;; Whether a control character other than TAB and LF ends in the bytes, whole vectors: 00..08, 0B..1F, 7F, or C2 80..9F.
  (func $has_control (param $address i32) (param $end i32) (result i32)
    (local $bytes v128) (local $found v128)
    (loop $each_vector
      (local.set $bytes (v128.load (local.get $address)))
      (local.set $found (v128.or
        (v128.or (local.get $found) (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x7f))))
        (v128.or
          (v128.and
            (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))
            (i8x16.gt_u
              (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 9)))
              (i8x16.splat (i32.const 1))))
          (v128.and
            (i8x16.lt_s (local.get $bytes) (i8x16.splat (i32.const 0xa0)))
            (i8x16.eq
              (v128.load (i32.sub (local.get $address) (i32.const 1)))
              (i8x16.splat (i32.const 0xc2)))))))
      (local.set $address (i32.add (local.get $address) (i32.const 16)))
      (br_if $each_vector (i32.ne (local.get $address) (local.get $end))))
    (v128.any_true (local.get $found)))

  ;; Counts strides that `count` has counted again, for any bytes. Reads the 16 bytes before `address` and the 3 after
  ;; the last stride; of the former, only the last 3 make a difference.
  (func (export "recount") (param $address i32) (param $strides i32) (param $totals i32)
    (local $end i32) (local $starts i32)
    ;; Bytes after the previous stride owned by its leads; -1 if unknown.
    (local $owned_after i32)
    (local.set $owned_after (i32.const -1))
    (local.set $end (i32.add (local.get $address) (i32.shl (local.get $strides) (i32.const 8))))
    (loop $each_stride
      (call $starts_in_any (local.get $address) (local.get $owned_after))
      (local.set $owned_after)
      (local.set $starts)
      (i32.store offset=4 (local.get $totals)
        (i32.add (i32.load offset=0 (local.get $totals)) (local.get $starts)))
      (local.set $totals (i32.add (local.get $totals) (i32.const 4)))
      (local.set $address (i32.add (local.get $address) (i32.const 256)))
      (br_if $each_stride (i32.ne (local.get $address) (local.get $end)))))

  ;; Returns how many chars start in the stride at `address`, and how many bytes after it its leads own.
  ;; `owned_before` is the number of its bytes owned by leads before it, or -1 if unknown.
  (func $starts_in_any (param $address i32) (param $owned_before i32) (result i32 i32)
    (local $end i32) (local $stop i32) (local $owned_after i32)
    (local $bytes v128) (local $pair v128) (local $no_pair v128) (local $third v128) (local $fourth v128)
    (local $starts v128) (local $low_half v128) (local $c0 v128)

    (local.set $low_half (i8x16.splat (i32.const 0x0f)))
    (local.set $c0 (i8x16.splat (i32.const 0xc0)))
    (local.set $end (i32.add (local.get $address) (i32.const 256)))
    (if (i32.lt_s (local.get $owned_before) (i32.const 0))
      ;; First look at the 16 bytes before the stride.
      (then
        (local.set $stop (local.get $address))
        (local.set $address (i32.sub (local.get $address) (i32.const 16))))
      (else (local.set $stop (local.get $end))))

    (loop $each_vector
      (local.set $bytes (v128.load (local.get $address)))
      (local.set $pair (v128.and
        (v128.and
          (i8x16.swizzle
            (v128.const i8x16 0 0 0 0 0 0 0 0 0 0 0 0 0x80 0x01 0x0e 0x70)
            (v128.and (i16x8.shr_u (local.get $bytes) (i32.const 4)) (local.get $low_half)))
          (i8x16.swizzle
            (v128.const i8x16 0x25 0x13 0x93 0x93 0xc3 0x83 0x83 0x83 0x83 0x83 0x83 0x83 0x83 0x89 0x83 0x83)
            (v128.and (local.get $bytes) (local.get $low_half))))
        (i8x16.swizzle
          (v128.const i8x16 0 0 0 0 0 0 0 0 0xdb 0xbb 0xb7 0xb7 0 0 0 0)
          (v128.and
            (i16x8.shr_u (v128.load offset=1 (local.get $address)) (i32.const 4))
            (local.get $low_half)))))
      (local.set $no_pair (i8x16.eq (local.get $pair) (v128.const i32x4 0 0 0 0)))
      (local.set $third (v128.and
        (i8x16.gt_s (local.get $pair) (i8x16.splat (i32.const 1)))
        (i8x16.lt_s (v128.load offset=2 (local.get $address)) (local.get $c0))))
      (local.set $fourth (v128.and
        (v128.and (local.get $third) (i8x16.gt_s (local.get $pair) (i8x16.splat (i32.const 8))))
        (i8x16.lt_s (v128.load offset=3 (local.get $address)) (local.get $c0))))
      ;; 1 for each byte, minus the bytes it owns. Over 16 vectors, a lane stays within -32 to 16.
      (local.set $starts (i8x16.add
        (i8x16.sub (local.get $starts) (local.get $no_pair))
        (i8x16.add (local.get $third) (local.get $fourth))))
      (local.set $address (i32.add (local.get $address) (i32.const 16)))
      (br_if $each_vector (i32.ne (local.get $address) (local.get $stop)))

      ;; Bytes owned after the last 3: everything the last one owns, the third and fourth of the one before it …
      (local.set $owned_after (i32.add
        (i32.add
          (i32.eqz (i32.and (i8x16.bitmask (local.get $no_pair)) (i32.const 0x8000)))
          (i32.popcnt (i32.and (i8x16.bitmask (local.get $third)) (i32.const 0xc000))))
        (i32.popcnt (i32.and (i8x16.bitmask (local.get $fourth)) (i32.const 0xe000)))))
      (if (i32.ne (local.get $stop) (local.get $end))
        (then
          (local.set $owned_before (local.get $owned_after))
          (local.set $starts (v128.const i32x4 0 0 0 0))
          (local.set $stop (local.get $end))
          (br $each_vector))))

    (i32.sub
      (i32.add (call $add_signed_bytes (local.get $starts)) (local.get $owned_after))
      (local.get $owned_before))
    (local.get $owned_after))

  ;; cutPages of cut_pages.ts. `page` has page size, pages ended, limit, start, last LF and the char after it, as
  ;; scan_kernel.ts writes them: positions are addresses, and chars count from the start of the first stride. `first`
  ;; is the first stride's address, `totals` the address of its total, `end` the end of the content in the strides,
  ;; and `lfs` their number of LFs. For each page in which a block starts (the first at `beyond`), writes three
  ;; numbers to `reported`: pages that ended before it in these strides, its start and its end. Returns the number of
  ;; those pages.
  (func (export "cut_pages")
    (param $page i32) (param $totals i32) (param $first i32) (param $strides i32) (param $end i32)
    (param $lfs i32) (param $beyond i32) (param $reported i32) (result i32)
    (local $reported_count i32)
    ;; Whether the page continues beyond the strides.
    (local $goes_on i32)
    (local $limit_char i32) (local $limit i32) (local $stride i32) (local $stride_of_limit i32) (local $total i32)
    (local $address i32) (local $known_char i32) (local $known_start i32) (local $start i32)
    ;; How chars start in the limit's stride.
    (local $every_byte_starts i32) (local $leads_start i32)
    (local.set $stride (i32.const -1))
    (block $no_more
      (loop $each_page
        (local.set $limit_char (i32.load offset=8 (local.get $page)))
        (local.set $goes_on (i32.ge_s (local.get $limit_char) (i32.load
          (i32.add (local.get $totals) (i32.shl (local.get $strides) (i32.const 2))))))
        (if (local.get $goes_on)
          (then (local.set $limit (local.get $end)))
          (else
            (local.set $stride_of_limit (call $stride_of_char
              (local.get $totals)
              (local.get $stride)
              (local.get $strides)
              (local.get $limit_char)))
            (local.set $total (i32.add (local.get $totals) (i32.shl (local.get $stride_of_limit) (i32.const 2))))
            (if (i32.ne (local.get $stride_of_limit) (local.get $stride)) (then
              (local.set $stride (local.get $stride_of_limit))
              (local.set $address (i32.add (local.get $first) (i32.shl (local.get $stride) (i32.const 8))))
              (local.set $known_char (i32.load (local.get $total)))
              (local.set $every_byte_starts (call $every_byte_starts (local.get $total)))
              (if (i32.eqz (local.get $every_byte_starts)) (then
                (local.set $known_start (i32.add (local.get $address) (call $lead_in (local.get $address))))
                (local.set $leads_start (call $only_leads_start (local.get $total) (local.get $address) (local.get $end)))))))
            (if (local.get $every_byte_starts)
              (then (local.set $limit (i32.add
                (local.get $address)
                (i32.sub (local.get $limit_char) (i32.load (local.get $total))))))
              (else (local.set $limit (call $skip_chars
                (local.get $known_start)
                (i32.add (local.get $address) (i32.const 256))
                (i32.sub (local.get $limit_char) (local.get $known_char))
                (local.get $leads_start)))))
            (local.set $known_char (local.get $limit_char))
            (local.set $known_start (local.get $limit))))

        (local.set $start (i32.load offset=12 (local.get $page)))
        (if (local.get $lfs) (then (call $note_last_line_feed
          (local.get $page)
          (local.get $totals)
          (local.get $first)
          (select (local.get $first) (local.get $start) (i32.lt_s (local.get $start) (local.get $first)))
          (local.get $limit)
          (local.get $end))))
        (br_if $no_more (local.get $goes_on))
        ;; endOfPage of page_rule.ts. A char starts at the limit, so the content continues there.
        (if (i32.ge_s (i32.load offset=16 (local.get $page)) (local.get $start)) (then
          (local.set $limit (i32.add (i32.load offset=16 (local.get $page)) (i32.const 1)))
          (local.set $limit_char (i32.load offset=20 (local.get $page)))))
        (i32.store offset=12 (local.get $page) (local.get $limit))
        (i32.store offset=8 (local.get $page)
          (i32.add (local.get $limit_char) (i32.load (local.get $page))))
        (if (i32.gt_s (local.get $limit) (local.get $beyond)) (then
          (i32.store offset=0 (local.get $reported) (i32.load offset=4 (local.get $page)))
          (i32.store offset=4 (local.get $reported) (local.get $start))
          (i32.store offset=8 (local.get $reported) (local.get $limit))
          (local.set $reported (i32.add (local.get $reported) (i32.const 12)))
          (local.set $reported_count (i32.add (local.get $reported_count) (i32.const 1)))
          ;; Advance to the first block that does not start before the limit.
          (local.set $beyond (i32.add (local.get $beyond) (i32.and
            (i32.add (i32.sub (local.get $limit) (local.get $beyond)) (i32.const 32767))
            (i32.const -32768))))))
        (i32.store offset=4 (local.get $page)
          (i32.add (i32.load offset=4 (local.get $page)) (i32.const 1)))
        (br $each_page)))
    (local.get $reported_count))

  ;; noteLastLineFeed of cut_pages.ts.
  (func $note_last_line_feed
    (param $page i32) (param $totals i32) (param $first i32) (param $from i32) (param $to i32) (param $end i32)
    (local $line_feed i32) (local $stride i32) (local $stride_start i32) (local $stride_end i32)
    (local.set $line_feed (call $last_line_feed (local.get $from) (local.get $to)))
    (if (i32.lt_s (local.get $line_feed) (i32.const 0)) (then (return)))
    (local.set $stride (i32.shr_u (i32.sub (local.get $line_feed) (local.get $first)) (i32.const 8)))
    (local.set $totals (i32.add (local.get $totals) (i32.shl (local.get $stride) (i32.const 2))))
    (local.set $stride_start (i32.add (local.get $first) (i32.shl (local.get $stride) (i32.const 8))))
    (local.set $stride_end (call $stride_end (local.get $stride_start) (local.get $end)))
    (i32.store offset=16 (local.get $page) (local.get $line_feed))
    (local.set $line_feed (i32.add (local.get $line_feed) (i32.const 1)))
    (i32.store offset=20 (local.get $page) (i32.sub
      (i32.load offset=4 (local.get $totals))
      (if (result i32) (call $every_byte_starts (local.get $totals))
        (then (i32.sub (local.get $stride_end) (local.get $line_feed)))
        (else (if (result i32) (call $only_leads_start (local.get $totals) (local.get $stride_start) (local.get $end))
          (then (call $count_leads (local.get $line_feed) (local.get $stride_end)))
          (else (call $count_char_starts (local.get $line_feed) (local.get $stride_end)))))))))

  ;; Returns the end of the stride at `address`, or of its content, which ends at `end`.
  (func $stride_end (param $address i32) (param $end i32) (result i32)
    (local.set $address (i32.add (local.get $address) (i32.const 256)))
    (select (local.get $address) (local.get $end) (i32.lt_s (local.get $address) (local.get $end))))

  ;; everyByteStarts of cut_pages.ts, for the stride whose total is at `total`.
  (func $every_byte_starts (param $total i32) (result i32)
    (i32.eq
      (i32.sub (i32.load offset=4 (local.get $total)) (i32.load (local.get $total)))
      (i32.const 256)))

  ;; Whether no continuation in the stride starts a char, so that the bytes alone show char starts: then its chars
  ;; equal its bytes that are not continuations. Its total is at `total`. Bytes beyond `end`, where the content ends,
  ;; are padding that totals exclude.
  (func $only_leads_start (param $total i32) (param $address i32) (param $end i32) (result i32)
    (i32.eq
      (i32.sub (i32.load offset=4 (local.get $total)) (i32.load (local.get $total)))
      (call $count_leads (local.get $address) (call $stride_end (local.get $address) (local.get $end)))))

  ;; Counts the bytes of [from, to) that are not continuations. Reads up to 15 bytes after them.
  (func $count_leads (param $from i32) (param $to i32) (result i32)
    (local $count i32) (local $left i32) (local $leads i32)
    (block $done
      (loop $each_vector
        (local.set $left (i32.sub (local.get $to) (local.get $from)))
        (br_if $done (i32.le_s (local.get $left) (i32.const 0)))
        (local.set $leads (call $leads (local.get $from)))
        (if (i32.lt_s (local.get $left) (i32.const 16)) (then
          (local.set $leads (i32.and
            (local.get $leads)
            (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))))
        (local.set $count (i32.add (local.get $count) (i32.popcnt (local.get $leads))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br $each_vector)))
    (local.get $count))

  ;; Returns a bit mask of the bytes, out of 16, that are not continuations; the lowest bit is the first byte.
  (func $leads (param $address i32) (result i32)
    (i8x16.bitmask (i8x16.ge_s (v128.load (local.get $address)) (i8x16.splat (i32.const 0xc0)))))

  ;; strideOfChar of cut_pages.ts.
  (func $stride_of_char (param $totals i32) (param $low i32) (param $strides i32) (param $char i32) (result i32)
    (local $middle i32)
    (local.set $middle (i32.shr_s (local.get $char) (i32.const 8)))
    (if (i32.lt_s (local.get $low) (local.get $middle)) (then (local.set $low (local.get $middle))))
    (local.set $middle (local.get $low))
    (local.set $strides (i32.sub (local.get $strides) (i32.const 1)))
    (block $done
      (loop $each_look
        (if (i32.gt_s
            (i32.load offset=4 (i32.add (local.get $totals) (i32.shl (local.get $middle) (i32.const 2))))
            (local.get $char))
          (then (local.set $strides (local.get $middle)))
          (else (local.set $low (i32.add (local.get $middle) (i32.const 1)))))
        (br_if $done (i32.ge_s (local.get $low) (local.get $strides)))
        (local.set $middle (i32.shr_u (i32.add (local.get $low) (local.get $strides)) (i32.const 1)))
        (br $each_look)))
    (local.get $low))

  ;; leadIn of utf8_chars.ts; at least 3 bytes must precede `at`.
  (func $lead_in (param $at i32) (result i32)
    (local $back i32) (local $owned i32)
    (local.set $back (i32.sub (local.get $at) (i32.const 1)))
    (loop $each_byte
      (if (i32.ge_s (i32.load8_s (local.get $back)) (i32.const -64)) (then
        (local.set $owned (i32.sub
          (call $char_end (local.get $back) (i32.add (local.get $at) (i32.const 3)))
          (local.get $at)))
        (return (select (local.get $owned) (i32.const 0) (i32.gt_s (local.get $owned) (i32.const 0))))))
      (local.set $back (i32.sub (local.get $back) (i32.const 1)))
      (br_if $each_byte (i32.ge_s (local.get $back) (i32.sub (local.get $at) (i32.const 3)))))
    (i32.const 0))

  ;; Returns the address of the last LF in bytes [from, to), or -1. Reads up to 15 bytes before `from`.
  (func $last_line_feed (param $from i32) (param $to i32) (result i32)
    (local $found i32)
    (loop $each_vector
      (if (i32.le_s (local.get $to) (local.get $from)) (then (return (i32.const -1))))
      (local.set $to (i32.sub (local.get $to) (i32.const 16)))
      (local.set $found (i8x16.bitmask
        (i8x16.eq (v128.load (local.get $to)) (i8x16.splat (i32.const 10)))))
      (if (i32.lt_s (local.get $to) (local.get $from))
        ;; Ignore bytes before `from`.
        (then (local.set $found (i32.and (local.get $found)
          (i32.shl (i32.const -1) (i32.sub (local.get $from) (local.get $to)))))))
      (br_if $each_vector (i32.eqz (local.get $found))))
    (i32.add (local.get $to) (i32.sub (i32.const 31) (i32.clz (local.get $found)))))

  ;; countCharStarts of utf8_chars.ts.
  (func $count_char_starts (param $from i32) (param $to i32) (result i32)
    (local $count i32)
    (block $done
      (loop $each_char
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $from (call $char_end (local.get $from) (local.get $to)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br $each_char)))
    (local.get $count))

  ;; skipChars of utf8_chars.ts. If only leads start chars, handles 16 bytes at once; then the target char must exist.
  (func $skip_chars (param $from i32) (param $to i32) (param $count i32) (param $leads_start i32) (result i32)
    (local $leads i32) (local $in_vector i32)
    (if (local.get $leads_start) (then
      (loop $each_vector
        (local.set $leads (call $leads (local.get $from)))
        (local.set $in_vector (i32.popcnt (local.get $leads)))
        (if (i32.ge_u (local.get $count) (local.get $in_vector)) (then
          (local.set $count (i32.sub (local.get $count) (local.get $in_vector)))
          (local.set $from (i32.add (local.get $from) (i32.const 16)))
          (br $each_vector))))
      (block $at_it
        (loop $each_lead
          (br_if $at_it (i32.eqz (local.get $count)))
          (local.set $leads (i32.and (local.get $leads) (i32.sub (local.get $leads) (i32.const 1))))
          (local.set $count (i32.sub (local.get $count) (i32.const 1)))
          (br $each_lead)))
      (return (i32.add (local.get $from) (i32.ctz (local.get $leads))))))
    (block $done
      (loop $each_char
        (br_if $done (i32.eqz (local.get $count)))
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $from (call $char_end (local.get $from) (local.get $to)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each_char)))
    (local.get $from))

  ;; charEnd of utf8_chars.ts.
  (func $char_end (param $at i32) (param $end i32) (result i32)
    (local $lead i32) (local $second i32)
    (local.set $lead (i32.load8_u (local.get $at)))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    ;; Below C2 or above F4.
    (if (i32.gt_u (i32.sub (local.get $lead) (i32.const 0xc2)) (i32.const 0x32)) (then (return (local.get $at))))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))
    (local.set $second (i32.load8_u (local.get $at)))
    (if (i32.lt_u (local.get $second) (select
        (i32.const 0xa0)
        (select (i32.const 0x90) (i32.const 0x80) (i32.eq (local.get $lead) (i32.const 0xf0)))
        (i32.eq (local.get $lead) (i32.const 0xe0))))
      (then (return (local.get $at))))
    (if (i32.gt_u (local.get $second) (select
        (i32.const 0x9f)
        (select (i32.const 0x8f) (i32.const 0xbf) (i32.eq (local.get $lead) (i32.const 0xf4)))
        (i32.eq (local.get $lead) (i32.const 0xed))))
      (then (return (local.get $at))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (if (i32.lt_u (local.get $lead) (i32.const 0xe0)) (then (return (local.get $at))))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))
    (if (i32.ge_s (i32.load8_s (local.get $at)) (i32.const -64)) (then (return (local.get $at))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (if (i32.lt_u (local.get $lead) (i32.const 0xf0)) (then (return (local.get $at))))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))
    (if (i32.ge_s (i32.load8_s (local.get $at)) (i32.const -64)) (then (return (local.get $at))))
    (i32.add (local.get $at) (i32.const 1)))

  ;; Returns the sum of the 16 bytes of a vector, each at most 127: adds them in pairs to 8 bits, then to 16 bits, and
  ;; a multiplication adds these four up in the highest 16 bits.
  (func $add_bytes (param $bytes v128) (result i32)
    (local $eight i64)
    (local.set $eight
      (i64.add (i64x2.extract_lane 0 (local.get $bytes)) (i64x2.extract_lane 1 (local.get $bytes))))
    (i32.wrap_i64 (i64.shr_u
      (i64.mul
        (i64.add
          (i64.and (local.get $eight) (i64.const 0x00ff00ff00ff00ff))
          (i64.and (i64.shr_u (local.get $eight) (i64.const 8)) (i64.const 0x00ff00ff00ff00ff)))
        (i64.const 0x0001000100010001))
      (i64.const 48))))

  ;; Returns the sum of the 16 signed bytes of a vector.
  (func $add_signed_bytes (param $bytes v128) (result i32)
    (local $words v128)
    (local.set $words (i32x4.extadd_pairwise_i16x8_s (i16x8.extadd_pairwise_i8x16_s (local.get $bytes))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $words)) (i32x4.extract_lane 1 (local.get $words)))
      (i32.add (i32x4.extract_lane 2 (local.get $words)) (i32x4.extract_lane 3 (local.get $words))))))
