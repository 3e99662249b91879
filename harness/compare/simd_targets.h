// Which Highway targets the kernels are built for. Included before any Highway header.
// Chooses instruction sets and nothing else; which of them runs is decided when the program runs.
#pragma once

#include <hwy/detect_compiler_arch.h>

#ifdef HIGHWAY_HWY_DETECT_TARGETS_H_
#error \
    "include compare/simd_targets.h before Highway: the choice of targets below would come too late"
#endif

// Scalable vectors have no size at compile time and cannot be array members; NEON stands in on such
// machines.
#if HWY_ARCH_RVV
#error "parity's comparison kernels need fixed-size vectors; build for x86-64 or AArch64"
#endif
#if HWY_ARCH_ARM
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
