import type { Goal, Measured } from "./Row.js"

/** Makes goals of benchmarks. Each goal has a text and a check. */

const orUndefined = (value: number | null | undefined): number | undefined => value ?? undefined

const atLeast = (says: string, least: number, value: (measured: Measured) => number | null | undefined): Goal => ({
  says: `${says} ≥ ${least.toLocaleString("en")}`,
  value: (measured) => orUndefined(value(measured)),
  isReached: (found) => found >= least
})

const atMost = (says: string, most: number, value: (measured: Measured) => number | null | undefined): Goal => ({
  says: `${says} ≤ ${most.toLocaleString("en")}`,
  value: (measured) => orUndefined(value(measured)),
  isReached: (found) => found <= most
})

export const throughputRatio = (least: number): Goal =>
  atLeast("throughput ÷ baseline", least, ({ ratio }) => ratio.throughput)

export const p50Ratio = (most: number): Goal => atMost("p50 ÷ baseline", most, ({ ratio }) => ratio.p50)

export const p95Ratio = (most: number): Goal => atMost("p95 ÷ baseline", most, ({ ratio }) => ratio.p95)

export const p99Ratio = (most: number): Goal => atMost("p99 ÷ baseline", most, ({ ratio }) => ratio.p99)

/** A goal that compares the product with a peer. The comparison is measured only with `--peers`. */
export const peerRatio = (peer: string, least: number): Goal =>
  atLeast(`throughput ÷ ${peer}`, least, ({ peerRatios }) => peerRatios[peer])

/**
 * Limits the cost of optional work, such as traces. The peer is the product with that work switched on. The product
 * itself runs without it, so it is faster. The goal fails when the product reaches more than `most` times the
 * throughput of the peer: with 1.05, the optional work may cost about 5 %.
 */
export const peerCost = (peer: string, most: number): Goal =>
  atMost(`throughput ÷ ${peer}`, most, ({ peerRatios }) => peerRatios[peer])

export const opsPerS = (least: number): Goal => atLeast("operations a second", least, ({ product }) => product.opsPerS)

export const p50Ms = (most: number): Goal => atMost("p50 in ms", most, ({ product }) => product.p50Ms)

export const p99Ms = (most: number): Goal => atMost("p99 in ms", most, ({ product }) => product.p99Ms)

/**
 * A goal for slow operations such as a start: the largest allowed difference between product and baseline, in
 * milliseconds.
 */
export const p50MsOver = (most: number): Goal =>
  atMost("p50 in ms over baseline", most, ({ product, baseline }) =>
    product.p50Ms === null || baseline === null || baseline.p50Ms === null ? null : product.p50Ms - baseline.p50Ms
  )

export const peakMB = (program: string, most: number): Goal =>
  atMost(`peak MB of the ${program}`, most, ({ product }) => product.peakMB)
