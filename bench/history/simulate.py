#!/usr/bin/env python3
"""How often the rule of docs/history.md cries wolf, and how often it sees a step. Needs NumPy.

A series of 60 layers whose spreads differ by a log-normal factor, 30 nights, 40 times over; a night counts as a false
alarm when any of its layers is beyond its limit.
"""
import numpy

DEVIATIONS, FEW, EXCESS, FLOOR, LEAST = 6, 4, 4, 0.1, 7
LAYERS, NIGHTS, REPEATS = 60, 30, 40


def values(random, noise, spread):
    if noise == "log-normal":
        return numpy.exp(random.normal(0, 1, (NIGHTS, LAYERS)) * spread)
    draws = random.standard_t(4, (NIGHTS, LAYERS)) if noise == "t4" else random.normal(0, 1, (NIGHTS, LAYERS))
    return numpy.maximum(0, 1 + draws * spread)


def limits(earlier):
    usual = numpy.median(earlier, 0)
    own = 1.4826 * numpy.median(abs(earlier - usual), 0) / numpy.maximum(usual, 1e-9)
    exponent = DEVIATIONS * (1 + FEW / len(earlier)) * numpy.maximum(own, numpy.median(own))
    second = numpy.sort(earlier, 0)[-2]
    return numpy.maximum.reduce([usual * numpy.exp(exponent), usual * (1 + FLOOR), usual + EXCESS * (second - usual)])


def main():
    random = numpy.random.default_rng(2)
    print(f"{'noise':>10} {'deviation':>9} {'nights with a false step':>24} {'step':>5} {'layers that see it':>18}")
    for noise in ("normal", "t4", "log-normal"):
        for deviation, step in ((0.02, 1.3), (0.1, 2.5), (0.3, 8)):
            nights = false = seen = 0
            for _ in range(REPEATS):
                series = values(random, noise, deviation * numpy.exp(random.normal(0, 0.7, LAYERS)))
                for night in range(LEAST, NIGHTS):
                    limit = limits(series[:night])
                    nights += 1
                    false += (series[night] > limit).any()
                    seen += (series[night] * step > limit).mean()
            print(f"{noise:>10} {deviation:>9.0%} {false / nights:>24.2%} {step:>5} {seen / nights:>18.0%}")


main()
