import { Either, Option, type Tracer } from "effect"
import { webcrypto } from "node:crypto"
import type { Parse } from "../settings/Setting.js"

/** Decides which traces are kept, by the settings OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */
export interface Sampler {
  /** The fraction of traces, from 0 to 1, that this process keeps when it decides about a trace itself. */
  readonly ratio: number
  /** True: when the caller of this service began the trace, the service keeps the trace only if the caller keeps it. */
  readonly followsParent: boolean
}

const NAMES = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const
export type SamplerName = (typeof NAMES)[number]

export const parseName: Parse<SamplerName> = (text) => {
  const found = NAMES.find((name) => name === text.toLowerCase())
  return found === undefined ? Either.left(`one of ${NAMES.join(", ")}`) : Either.right(found)
}

export const parseRatio: Parse<number> = (text) => {
  const ratio = Number(text)
  return /^\d*\.?\d+$/.test(text) && ratio <= 1 ? Either.right(ratio) : Either.left("a number from 0 to 1")
}

export const make = (name: SamplerName, ratio: Option.Option<number>): Sampler => ({
  ratio: name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : Option.getOrElse(ratio, () => 1),
  followsParent: name.startsWith("parentbased_")
})

/** Whether a span with this parent is recorded. The answer is the same for all spans of a trace. */
export const isKept = (sampler: Sampler, parent: Option.Option<Tracer.AnySpan>): boolean => {
  if (Option.isNone(parent)) return sampler.ratio === 1 || (sampler.ratio > 0 && share() < sampler.ratio)
  if (parent.value._tag === "Span" || sampler.followsParent) return parent.value.sampled
  return shareOf(parent.value.traceId) < sampler.ratio
}

/** A number from 0 (inclusive) to 1. Every process computes the same number for the same trace. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(-8), 16) / 2 ** 32

const dice = new Uint32Array(1_024)
let next = dice.length

const share = (): number => {
  if (next >= dice.length) {
    webcrypto.getRandomValues(dice)
    next = 0
  }
  return (dice[next++] ?? 0) / 2 ** 32
}
