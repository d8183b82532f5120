import { FastCheck } from "effect"
import { demandWhole } from "../engine/demand.js"
import * as Streams from "../engine/Streams.js"
import type { FaultKind } from "../Trace.js"
import { type Arbitrary, DEEDS } from "./deeds.js"
import {
  ACCOUNTS,
  beginning,
  crossing,
  IMPORTS,
  LIMITS,
  LISTENING,
  NEWER,
  pause,
  type Piece,
  PIECES,
  shortPause,
  STEERING,
  together,
  WAITING
} from "./pieces.js"
import type { Deed, Plan, PlanStep } from "./Plan.js"

/**
 * The features and faults of one run: a few of all features, and a few faults or none (swarm testing). Runs that each
 * leave out most features find more bugs than runs that use a little of every feature.
 */
export interface Swarm {
  readonly seed: number
  readonly scheduling: Plan["scheduling"]
  readonly workers: number
  readonly people: number
  readonly apps: number
  readonly hasSandbox: boolean
  /** The stories of the run, each with its weight. */
  readonly pieces: ReadonlyArray<readonly [weight: number, piece: Piece]>
  readonly deeds: ReadonlyArray<readonly [weight: number, deed: Deed["do"]]>
  /**
   * The number of steps after which the plan begins no further story. A plan may have more steps, because every story
   * that has begun is completed.
   */
  readonly steps: number
  /**
   * The weight of stories (`pieces/story.ts`), 0 to 10. Single steps, pauses, crossings and `together` have the weight
   * 10 minus this weight.
   */
  readonly stories: number
  readonly faults: Plan["faults"]
}

const FAULTS = {
  "port.fail": [0.002, 0.01, 0.05],
  "port.unknown": [0.002, 0.01, 0.05],
  "port.slow": [0.002, 0.01],
  crash: [0.0005, 0.002],
  "clock.jump": [0.0005, 0.002],
  "upload.duplicate": [0.1, 0.5],
  "upload.reorder": [0.1, 0.5]
} as const satisfies Partial<Record<FaultKind, ReadonlyArray<number>>>

/**
 * Faults that are drawn from a separate stream of random numbers, so that they do not change the other choices of a
 * plan. Only some of the runs with faults can have them (`OF_LATER_FAULTS`).
 */
const LATER_FAULTS = {
  "port.cut": [0.0005, 0.002],
  "process.pause": [0.0005, 0.002],
  "receiver.late": [0.1, 0.4],
  "clock.skew": [0.0005, 0.002],
  "disk.full": [0.0002, 0.001],
  "mail.bounce": [0.3, 0.7],
  "keys.rotate": [0.0005, 0.005]
} as const satisfies Partial<Record<FaultKind, ReadonlyArray<number>>>

type Steps = Arbitrary<ReadonlyArray<PlanStep>>

const PIECE_NAMES = Object.keys(PIECES) as ReadonlyArray<Piece>
const NEWER_NAMES = Object.keys(NEWER) as ReadonlyArray<Piece>
const ACCOUNT_NAMES = Object.keys(ACCOUNTS) as ReadonlyArray<Piece>
const STEERING_NAMES = Object.keys(STEERING) as ReadonlyArray<Piece>
const WAITING_NAMES = Object.keys(WAITING) as ReadonlyArray<Piece>
const LISTENER_NAMES = Object.keys(LISTENING) as ReadonlyArray<Piece>
const IMPORT_NAMES = Object.keys(IMPORTS) as ReadonlyArray<Piece>
const LIMIT_NAMES = Object.keys(LIMITS) as ReadonlyArray<Piece>
const STORIES: Readonly<Record<Piece, Steps>> = {
  ...PIECES,
  ...NEWER,
  ...ACCOUNTS,
  ...STEERING,
  ...WAITING,
  ...LISTENING,
  ...IMPORTS,
  ...LIMITS
}
/** The probability that a run gets a story from `NEWER`. */
const OFTEN = 0.25
/** The probability that a run gets a story of accounts. */
const OF_ACCOUNTS = 0.15
/**
 * The probability that a run has a story in which a user pauses, restricts or changes a connection, or deletes history.
 */
const OF_STEERING = 0.1
/** The probability that a run with faults may also have faults from `LATER_FAULTS`. */
const OF_LATER_FAULTS = 0.3
/** The probability that a run has a story in which rules wait before they fire. */
const OF_WAITING = 0.1
/** The probability that a run has a story in which developers listen to events. */
const OF_LISTENERS = 0.08
/** The probability that a run has a story in which people import files. */
const OF_IMPORTS = 0.08
/** The probability that a run has a story of `LIMITS`. */
const OF_LIMITS = 0.25
/** The weight of a story from a separate list, such as `NEWER`: about as much as two other stories together. */
const WEIGHT = 5
/** Steps that leave little to do for later steps, such as a revoked app. In most runs they are drawn rarely. */
const RARE: ReadonlySet<Deed["do"]> = new Set([
  "revoke app",
  "archive place",
  "remove phone",
  "remove endpoint",
  "jump",
  "calm",
  "disconnect",
  "revoke",
  "archive purpose",
  "fault",
  "crash",
  "decide app",
  "narrow app",
  "declare"
])
/** Stories that a run has at most once, because they make hundreds of deliveries or take weeks of virtual time. */
const ONCE: ReadonlySet<Piece> = new Set<Piece>(["outage", "lapse", "expiry", "renewed", "idle", "moved", "graceOver"])
/**
 * Stories that take weeks of virtual time. Runs with faults do not have these stories: with faults, such a run would
 * take minutes of real time.
 */
const LONG: ReadonlySet<Piece> = new Set(["lapse", "expiry", "renewed", "idle", "moved", "graceOver"])
/** Single steps that a run has only if the run also has a story of `STEERING`. */
const STEERING_DEEDS = [
  "pause",
  "resume",
  "pause all",
  "resume all",
  "end exact location",
  "steer",
  "erase"
] as const satisfies ReadonlyArray<Deed["do"]>
/** Single steps that a run has only if the run also has a story of listeners. */
const LISTENER_DEEDS = ["listen", "stop listening", "end listening session"] as const satisfies ReadonlyArray<
  Deed["do"]
>
/** Single steps that a run has only if the run also has a story of imports. */
const IMPORT_DEEDS = ["import", "undo import", "read imports"] as const satisfies ReadonlyArray<Deed["do"]>
/**
 * Steps that most runs do not draw as single steps. Only stories and the lists `STEERING_DEEDS`, `LISTENER_DEEDS` and
 * `IMPORT_DEEDS` bring these steps.
 */
const OF_STORIES: ReadonlySet<string> = new Set<Deed["do"]>([
  "sign in",
  "use cookie",
  "sign out",
  "end other sessions",
  "change password",
  "read own history",
  ...STEERING_DEEDS,
  ...LISTENER_DEEDS,
  ...IMPORT_DEEDS
])
const DEED_NAMES = Object.keys(DEEDS).filter((name) => !OF_STORIES.has(name)) as ReadonlyArray<Deed["do"]>

export const DEFAULT_STEPS = 60

/** The features and faults of the run with this seed. */
export const of = (seed: number, steps = DEFAULT_STEPS): Swarm => {
  demandWhole("steps", steps, 1)
  const random = Streams.make(seed, "swarm")
  const newer = Streams.make(seed, "stories")
  const added = newer.chance(OFTEN) ? [[WEIGHT, newer.pick(NEWER_NAMES)] as const] : []
  const isCalm = random.chance(0.5)
  const pieces = random
    .shuffle(PIECE_NAMES)
    .slice(0, random.int(2, 5))
    .filter((piece) => isCalm || !LONG.has(piece))
  const accounts = Streams.make(seed, "accounts")
  const ofAccounts = accounts.chance(OF_ACCOUNTS)
    ? [[WEIGHT, accounts.pick(ACCOUNT_NAMES.filter((piece) => isCalm || !LONG.has(piece)))] as const]
    : []
  const steering = Streams.make(seed, "steering")
  const isSteered = steering.chance(OF_STEERING)
  const ofSteering = isSteered
    ? [[WEIGHT, steering.pick(STEERING_NAMES.filter((piece) => isCalm || !LONG.has(piece)))] as const]
    : []
  const waiting = Streams.make(seed, "waiting")
  const ofWaiting = waiting.chance(OF_WAITING) ? [[WEIGHT, waiting.pick(WAITING_NAMES)] as const] : []
  const listening = Streams.make(seed, "listeners")
  const isListening = listening.chance(OF_LISTENERS)
  const ofListeners = isListening ? [[WEIGHT, listening.pick(LISTENER_NAMES)] as const] : []
  const importing = Streams.make(seed, "imports")
  const isImporting = importing.chance(OF_IMPORTS)
  const ofImports = isImporting ? [[WEIGHT, importing.pick(IMPORT_NAMES)] as const] : []
  const limits = Streams.make(seed, "limits")
  const ofLimits = limits.chance(OF_LIMITS) ? [[WEIGHT, limits.pick(LIMIT_NAMES)] as const] : []
  const isWild = random.chance(0.3)
  const deeds = random.shuffle(DEED_NAMES).slice(0, random.int(8, 20))
  const faults = Object.entries(FAULTS).flatMap(([kind, often]) =>
    !isCalm && random.chance(0.4) ? [[kind, random.pick<number>(often)] as const] : []
  )
  const later = Streams.make(seed, "later swarm")
  const laterFaults = Object.entries(!isCalm && later.chance(OF_LATER_FAULTS) ? LATER_FAULTS : {}).flatMap(
    ([kind, often]) => (later.chance(0.4) ? [[kind, later.pick<number>(often)] as const] : [])
  )
  return {
    seed,
    scheduling: random.chance(0.6) ? "random" : "fifo",
    workers: random.chance(0.3) ? 2 : 1,
    people: random.int(1, 2),
    apps: random.int(1, 2),
    hasSandbox: random.chance(0.25),
    pieces: [
      ...(pieces.length === 0 ? (["race"] as const) : pieces).map((piece) => [random.int(1, 4), piece] as const),
      ...added,
      ...ofAccounts,
      ...ofSteering,
      ...ofWaiting,
      ...ofListeners,
      ...ofImports,
      ...ofLimits
    ],
    deeds: [
      ...deeds.map((deed) => [RARE.has(deed) && !isWild ? 1 : random.int(3, 12), deed] as const),
      ...(isSteered ? STEERING_DEEDS.map((deed) => [steering.int(1, 4), deed] as const) : []),
      ...(isListening ? LISTENER_DEEDS.map((deed) => [listening.int(1, 4), deed] as const) : []),
      ...(isImporting ? IMPORT_DEEDS.map((deed) => [importing.int(1, 4), deed] as const) : [])
    ],
    steps: Math.max(1, random.int(Math.ceil(steps / 3), steps)),
    stories: random.int(2, 8),
    faults: Object.fromEntries([...faults, ...laterFaults])
  }
}

/** A generator of plans with the features and faults of `swarm`. */
export const plans = (swarm: Swarm): Arbitrary<Plan> => {
  const { apps, faults, hasSandbox, people, scheduling, seed, workers } = swarm
  const hasFaults = Object.keys(faults).length > 0
  const deed = FastCheck.oneof(...swarm.deeds.map(([weight, name]) => ({ weight, arbitrary: DEEDS[name] })))
  const alone = deed.map((step): ReadonlyArray<PlanStep> => [step])
  const part = FastCheck.oneof(
    ...swarm.pieces.map(([weight, piece]) => ({
      weight: weight * swarm.stories,
      arbitrary: STORIES[piece].map((steps): Part => ({ piece, steps }))
    })),
    ...[
      [4, alone] as const,
      [2, hasFaults ? shortPause : pause] as const,
      [2, crossing] as const,
      [1, together(deed)] as const
    ].map(([weight, arbitrary]) => ({
      weight: weight * (10 - swarm.stories),
      arbitrary: arbitrary.map((steps): Part => ({ piece: null, steps }))
    }))
  )
  // An infinite stream draws a part only when the plan needs the part. A list would draw all parts at once, and a draw
  // takes long.
  const body = FastCheck.infiniteStream(part)
  return FastCheck.tuple(beginning(people, apps + (hasSandbox ? 1 : 0)), body).map(([first, parts]) => ({
    seed,
    scheduling,
    workers,
    faults,
    people,
    apps,
    hasSandbox,
    steps: taken(first, parts, swarm.steps)
  }))
}

interface Part {
  /** The name of the story; null for a single step, a pause, a crossing or a step `together`. */
  readonly piece: Piece | null
  readonly steps: ReadonlyArray<PlanStep>
}

const taken = (first: ReadonlyArray<PlanStep>, parts: Iterable<Part>, atLeast: number): ReadonlyArray<PlanStep> => {
  const steps = [...first]
  const placed = new Set<Piece>()
  // Counts the draws that added no steps because the plan already had their story, which may come only once. The limit
  // keeps the loop short when most draws are of this kind.
  let vain = 0
  for (const { piece, steps: more } of parts) {
    if (piece !== null && ONCE.has(piece) && placed.has(piece)) vain++
    else steps.push(...more)
    if (piece !== null) placed.add(piece)
    if (steps.length >= atLeast || vain > atLeast) break
  }
  return steps
}

/**
 * The features and faults of a run that has every feature that does not take weeks of virtual time, and every fault at
 * its lowest probability.
 */
export const ofAll = (seed: number, steps = DEFAULT_STEPS): Swarm => ({
  seed,
  scheduling: "random",
  workers: 2,
  people: 2,
  apps: 1,
  hasSandbox: true,
  pieces: [
    ...PIECE_NAMES,
    ...NEWER_NAMES,
    ...ACCOUNT_NAMES,
    ...STEERING_NAMES,
    ...WAITING_NAMES,
    ...LISTENER_NAMES,
    ...IMPORT_NAMES,
    ...LIMIT_NAMES
  ]
    .filter((piece) => !LONG.has(piece))
    .map((piece) => [1, piece]),
  deeds: [...DEED_NAMES, ...STEERING_DEEDS, ...LISTENER_DEEDS, ...IMPORT_DEEDS].map((deed) => [
    RARE.has(deed) ? 1 : 6,
    deed
  ]),
  steps,
  stories: 5,
  faults: Object.fromEntries(Object.entries({ ...FAULTS, ...LATER_FAULTS }).map(([kind, [seldom]]) => [kind, seldom]))
})

const drawn = (swarm: Swarm): Plan => {
  // fast-check takes a seed of 32 bits. Because of this draw, seeds that differ only in higher bits also give different
  // plans.
  const seed = Streams.make(swarm.seed, "plan").int(0, 2 ** 32 - 1) | 0
  const [made] = FastCheck.sample(plans(swarm), { seed, numRuns: 1 })
  if (made === undefined) throw new Error(`Seed ${swarm.seed} gives no plan`)
  return made
}

/** The plan of a seed, with the features and faults that the seed selects. */
export const plan = (seed: number, steps?: number): Plan => drawn(of(seed, steps))

/** The plan of a seed with nearly every feature, and with every kind of fault (`ofAll`). */
export const planOfAll = (seed: number, steps = DEFAULT_STEPS): Plan => {
  demandWhole("steps", steps, 1)
  return drawn(ofAll(seed, steps))
}
