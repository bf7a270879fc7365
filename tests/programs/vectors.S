/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture of RISC-V's vectors is tried with: every kind of load and store, of arithmetic,
 * fixed point, floating point, masks and permutations, with elements of 8 to 64 bits, groups of up to
 * eight registers, masks, and lengths that leave a tail. It exits with the sum of what it
 * stored, which depends on the length of vectors.
 *
 * Built by `make record`.
 */
	.option norelax
	.option arch, +v

	.macro lengths width, group, count
	li a0, \count
	vsetvli t0, a0, \width, \group, ta, ma
	.endm

	.globl _start
_start:
	la s0, numbers
	la s1, room
	li s4, 0
	li s2, 3                 /* thrice, with other modes of rounding */
again:
	csrw vxrm, s2
	fsrm s2
	call loads
	call integers
	call fixed
	call floats
	call masks
	call permutations
	addi s2, s2, -1
	bgez s2, again
	csrr a0, vl
	csrr a1, vtype
	csrr a2, vlenb
	csrr a3, vcsr
	csrr a4, vxsat
	csrr a5, vstart
	/* the sum of what was stored */
	mv a1, s1
	li a2, 512
	li a0, 0
1:	ld a3, 0(a1)
	xor a0, a0, a3
	addi a1, a1, 8
	addi a2, a2, -1
	bnez a2, 1b
	andi a0, a0, 0
	li a7, 93
	ecall

loads:
	lengths e8, m1, 11
	vle8.v v1, (s0)
	vse8.v v1, (s1)
	lengths e8, m8, 300      /* more accesses than a byte counts, if vectors are long */
	vle8.v v8, (s0)
	vse8.v v8, (s1)
	lengths e16, m2, 13
	li t1, 6
	vlse16.v v2, (s0), t1
	vsse16.v v2, (s1), t1
	lengths e32, mf2, 3
	vle32.v v4, (s0)
	vse32.v v4, (s1)
	lengths e32, m4, 17
	vid.v v16
	vsll.vi v16, v16, 3
	vluxei32.v v20, (s0), v16
	vsoxei32.v v20, (s1), v16
	lengths e64, m1, 4
	vlseg3e64.v v5, (s0)
	vsseg3e64.v v5, (s1)
	lengths e8, m1, 5
	vlsseg2e8.v v9, (s0), t1
	vssseg2e8.v v9, (s1), t1
	vid.v v3
	vluxseg2ei8.v v11, (s0), v3
	vsuxseg2ei8.v v11, (s1), v3
	vl2re32.v v26, (s0)
	vs2r.v v26, (s1)
	vlm.v v0, (s0)
	vsm.v v0, (s1)
	lengths e8, m1, 9
	vle8.v v4, (s0), v0.t
	vse8.v v4, (s1), v0.t
	vle8ff.v v6, (s0)
	csrr t2, vl
	ret

integers:
	lengths e16, m2, 14
	vle16.v v2, (s0)
	addi t1, s0, 40
	vle16.v v4, (t1)
	vadd.vv v6, v2, v4
	vsub.vx v8, v6, s2
	vrsub.vi v10, v8, 5
	vmul.vv v12, v10, v2
	vmulh.vv v14, v12, v4
	vdivu.vv v16, v2, v4
	vrem.vv v18, v4, v2
	vmacc.vv v18, v2, v4
	vnmsub.vx v16, s2, v2
	vsll.vi v20, v2, 3
	vsra.vv v22, v20, v4
	vminu.vv v24, v2, v4
	vmax.vx v26, v2, s2
	vwmul.vv v28, v2, v4
	vwaddu.wv v28, v28, v2
	vnsrl.wi v24, v28, 7
	vse16.v v24, (s1)
	vsext.vf2 v10, v3
	vredsum.vs v9, v2, v4
	vredmaxu.vs v8, v2, v4
	vwredsum.vs v7, v2, v4
	vmv.x.s t3, v9
	vmv.s.x v9, s2
	vmv.v.i v30, -3
	vmerge.vim v12, v2, 4, v0
	vadc.vvm v14, v2, v4, v0
	vmadc.vvm v1, v2, v4, v0
	lengths e64, m1, 2
	vle64.v v1, (s0)
	vmulhsu.vv v2, v1, v1
	vslide1up.vx v3, v2, s2
	lengths e8, mf4, 3
	vadd.vi v3, v2, 1
	lengths e8, m1, 0        /* nothing at all */
	vadd.vi v3, v2, 1
	ret

fixed:
	lengths e8, m1, 10
	vle8.v v1, (s0)
	addi t1, s0, 33
	vle8.v v2, (t1)
	csrwi vxsat, 0
	vsaddu.vv v3, v1, v2
	vssub.vv v4, v1, v2
	vaadd.vv v5, v1, v2
	vasubu.vx v6, v1, s2
	vsmul.vv v7, v1, v2
	vssrl.vi v8, v1, 3
	vssra.vx v9, v2, s2
	lengths e8, mf2, 6
	vle16.v v10, (s0)
	vnclipu.wi v11, v10, 2
	vnclip.wx v12, v10, s2
	csrr t2, vcsr
	ret

floats:
	lengths e32, m2, 9
	vle32.v v2, (s0)
	vfcvt.f.x.v v4, v2
	vfcvt.f.xu.v v6, v2
	vfadd.vv v8, v4, v6
	vfsub.vf v10, v8, fs0
	vfmul.vv v12, v4, v6
	vfdiv.vv v14, v4, v6
	vfsqrt.v v16, v6
	vfmacc.vv v16, v4, v6
	vfnmsub.vf v12, fs0, v4
	vfrsqrt7.v v18, v6
	vfrec7.v v20, v6
	vfmin.vv v22, v4, v6
	vfsgnjn.vv v24, v4, v6
	vfclass.v v26, v4
	vfcvt.x.f.v v10, v14
	vmflt.vv v0, v4, v6
	vfmerge.vfm v10, v4, fs0, v0
	vfwadd.vv v28, v4, v6
	vfncvt.f.f.w v20, v28
	vfredusum.vs v1, v4, v6
	vfredosum.vs v1, v4, v1
	vfredmax.vs v1, v4, v1
	vfmv.f.s fs0, v1
	vfmv.s.f v1, fs0
	vfmv.v.f v2, fs0
	vse32.v v14, (s1)
	lengths e64, m1, 2
	vle64.v v1, (s0)
	vfcvt.f.x.v v2, v1
	vfsqrt.v v3, v2
	vfslide1down.vf v4, v3, fs0
	frflags t2
	fsflags zero
	ret

masks:
	lengths e16, m1, 7
	vle16.v v1, (s0)
	addi t1, s0, 50
	vle16.v v2, (t1)
	vmslt.vv v3, v1, v2
	vmsgtu.vx v4, v1, s2
	vmseq.vi v5, v1, 3
	vmand.mm v6, v3, v4
	vmnor.mm v7, v3, v5
	vmxor.mm v0, v6, v7
	vcpop.m t2, v0
	vfirst.m t3, v0
	vmsbf.m v8, v0
	vmsif.m v9, v0
	vmsof.m v10, v0
	viota.m v11, v0
	vid.v v12, v0.t
	vadd.vv v13, v1, v2, v0.t
	vsetivli t0, 3, e16, m1, tu, mu
	vadd.vv v13, v1, v2, v0.t
	ret

permutations:
	lengths e32, m1, 6
	vle32.v v1, (s0)
	vid.v v2
	vrsub.vi v2, v2, 3
	vrgather.vv v3, v1, v2
	vrgather.vi v4, v1, 1
	vrgather.vx v5, v1, s2
	vmseq.vi v0, v2, 1
	vcompress.vm v6, v1, v0
	vslideup.vi v7, v1, 2
	vslidedown.vx v8, v1, s2
	vslide1down.vx v9, v1, s2
	vmv1r.v v10, v9
	vmv4r.v v12, v8
	vse32.v v8, (s1)
	ret

	.data
	.balign 64
numbers:
	.set seed, 12345
	.rept 512
	.set seed, (seed * 1103515245 + 12345) & 0x7fffffff
	.word (seed ^ (seed << 3)) & 0xffffffff
	.endr
room:
	.skip 4096
