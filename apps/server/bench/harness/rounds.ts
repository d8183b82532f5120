import type { Comparison, Measured, Median, Sample, Side } from "./Row.js"

export const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** Measures the sides of a comparison in turn, so that other work on the machine disturbs all sides alike. */
export const measure = async (
  { baseline, peers = {}, product, warmUpRounds = 1 }: Comparison,
  rounds: number
): Promise<{ readonly measured: Measured; readonly samples: Readonly<Record<string, ReadonlyArray<Sample>>> }> => {
  const sides: ReadonlyArray<readonly [string, Side]> = [
    ["product", product],
    ...(baseline === undefined ? [] : [["baseline", baseline] as const]),
    ...Object.entries(peers)
  ]
  const samples: Record<string, Array<Sample>> = Object.fromEntries(sides.map(([name]) => [name, []]))
  for (let round = 0; round < warmUpRounds; round++) for (const [, side] of sides) await side()
  for (let round = 0; round < rounds; round++) {
    // The order of the sides alternates from round to round. Otherwise each side would always run after the same other
    // side, and find the processor caches that this other side left.
    for (const [name, side] of round % 2 === 0 ? sides : sides.toReversed()) samples[name]?.push(await side())
  }
  return { measured: summarise(samples), samples }
}

const opsPerS = ({ operations, seconds }: Sample): number => operations / seconds

const summarise = (samples: Readonly<Record<string, ReadonlyArray<Sample>>>): Measured => {
  const { baseline, product = [], ...peers } = samples
  return {
    product: medianOf(product),
    baseline: baseline === undefined ? null : medianOf(baseline),
    peers: Object.fromEntries(Object.entries(peers).map(([name, list]) => [name, medianOf(list)])),
    ratio: {
      throughput: ratioOf(product, baseline, opsPerS),
      p50: ratioOf(product, baseline, (sample) => sample.p50Ms),
      p95: ratioOf(product, baseline, (sample) => sample.p95Ms ?? null),
      p99: ratioOf(product, baseline, (sample) => sample.p99Ms)
    },
    peerRatios: Object.fromEntries(
      Object.entries(peers).map(([name, list]) => [name, ratioOf(product, list, opsPerS) ?? Number.NaN])
    )
  }
}

const ratioOf = (
  product: ReadonlyArray<Sample>,
  other: ReadonlyArray<Sample> | undefined,
  read: (sample: Sample) => number | null
): number | null => {
  const ratios = product.flatMap((sample, round) => {
    const beside = other?.[round]
    const [mine, theirs] = [read(sample), beside === undefined ? null : read(beside)]
    return mine === null || theirs === null ? [] : [mine / theirs]
  })
  return ratios.length === 0 ? null : median(ratios)
}

const medianOf = (samples: ReadonlyArray<Sample>): Median => {
  const of = (read: (sample: Sample) => number | null): number | null => {
    const known = samples.map(read).filter((value) => value !== null)
    return known.length === 0 ? null : median(known)
  }
  const peaks = samples.flatMap(({ peakMB }) => (peakMB === null ? [] : [peakMB]))
  return {
    opsPerS: median(samples.map(opsPerS)),
    p50Ms: of((sample) => sample.p50Ms),
    p99Ms: of((sample) => sample.p99Ms),
    cpuMicrosPerOp: of((sample) => sample.cpuMicrosPerOp),
    clientCpuMicrosPerOp: of((sample) => sample.clientCpuMicrosPerOp ?? null),
    peakMB: peaks.length === 0 ? null : Math.max(...peaks)
  }
}
