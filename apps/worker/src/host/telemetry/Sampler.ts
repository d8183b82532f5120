import { Either, Option, type Tracer } from "effect"
import { webcrypto } from "node:crypto"
import type { Parse } from "../Setting.js"

/** Which traces are kept, as OTEL_TRACES_SAMPLER and its argument say. */
export interface Sampler {
  /** Of traces that begin here: a share from 0 to 1. */
  readonly ratio: number
  /** A trace that came with the caller is kept when the caller keeps it. */
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
export type Name = (typeof NAMES)[number]

export const parseName: Parse<Name> = (text) => {
  const found = NAMES.find((name) => name === text.toLowerCase())
  return found === undefined ? Either.left(`one of ${NAMES.join(", ")}`) : Either.right(found)
}

export const parseRatio: Parse<number> = (text) => {
  const ratio = Number(text)
  return /^\d*\.?\d+$/.test(text) && ratio <= 1 ? Either.right(ratio) : Either.left("a number from 0 to 1")
}

export const make = (name: Name, ratio: Option.Option<number>): Sampler => ({
  ratio: name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : Option.getOrElse(ratio, () => 1),
  followsParent: name.startsWith("parentbased_")
})

/** Whether a span is recorded that has this parent. A trace is kept as a whole or not at all. */
export const isKept = (sampler: Sampler, parent: Option.Option<Tracer.AnySpan>): boolean => {
  if (Option.isNone(parent)) return sampler.ratio === 1 || (sampler.ratio > 0 && share() < sampler.ratio)
  if (parent.value._tag === "Span" || sampler.followsParent) return parent.value.sampled
  return shareOf(parent.value.traceId) < sampler.ratio
}

/** From 0 (inclusive) to 1, the same for everybody who sees the trace. */
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
