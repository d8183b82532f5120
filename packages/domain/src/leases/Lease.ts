import type { WorkerId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

// Which worker does which work, when several workers share one database. The decisions are plain functions of a
// `LeaseSurvey`: all leases, and the heartbeats of all workers.

/** What is leased: a bucket of people with all their work, or one task that belongs to no person. */
export const KINDS = ["people", "chores"] as const
export type LeaseKind = (typeof KINDS)[number]

/** Leases with the same home are read and changed on one shard of a cluster. All leases of a service have this home. */
export const HOME = "leases"

/**
 * The right to do the work of one bucket or one task. At most one worker has it. Each take raises the token, so a
 * change that names an old token is refused (a fencing token). A lease that was never taken has token 0. Names are
 * unique within a kind.
 */
export interface Lease {
  readonly kind: LeaseKind
  readonly name: string
  readonly owner: WorkerId | null
  readonly token: number
}

/** A worker's heartbeat: the worker counts as alive until `aliveUntil`, or until the `aliveUntil` of a later beat. */
export interface Beat {
  readonly worker: WorkerId
  readonly aliveUntil: Timestamp
}

/** Leases and all workers, as the store has them. */
export interface LeaseSurvey {
  readonly leases: ReadonlyArray<Lease>
  readonly beats: ReadonlyArray<Beat>
}

/** What a worker changes after a survey, of the leases of one kind. */
export interface LeaseChanges {
  readonly take: ReadonlyArray<Lease>
  readonly giveUp: ReadonlyArray<Lease>
  /** Even after these changes the worker has less than its share, so it surveys the leases again sooner. */
  readonly isShort: boolean
  /** The worker keeps more than its share, because the leases that it should give up are in use. */
  readonly hasSurplus: boolean
}

/**
 * How long a worker counts as alive after a beat, in milliseconds. After this time, other workers replace a crashed
 * worker.
 */
export const LIFE = 10 * SECOND

/** Until when a worker that beats now counts as alive. */
export const aliveUntil = (now: Timestamp): Timestamp => plus(now, LIFE)

/**
 * Whether the worker of this beat is alive. A beat whose `aliveUntil` is too far in the future was made before the
 * clock was set back; a living worker would have replaced this beat since.
 */
export const isAlive = ({ aliveUntil: until }: Beat, now: Timestamp): boolean => now < until && until <= now + 2 * LIFE

/**
 * The leases of a kind with these names. A lease that was never taken has no row in the store, so this function adds
 * it.
 */
export const complete = (
  kind: LeaseKind,
  names: ReadonlyArray<string>,
  stored: ReadonlyArray<Lease>
): ReadonlyArray<Lease> => {
  const known = new Map(stored.flatMap((lease) => (lease.kind === kind ? [[lease.name, lease]] : [])))
  return names.map((name) => known.get(name) ?? { kind, name, owner: null, token: 0 })
}

/** What a worker knows about its own leases of one kind, by name. */
export interface OwnLeases {
  /** The leases whose tokens the worker has. */
  readonly held: ReadonlySet<string>
  /** The leases whose work the worker is doing now. */
  readonly inUse: ReadonlySet<string>
}

/** All live workers, this one included, sorted so that all of them agree on the order. */
export const crew = (worker: WorkerId, beats: ReadonlyArray<Beat>, now: Timestamp): ReadonlyArray<WorkerId> => {
  const living = beats.filter((beat) => isAlive(beat, now)).map((beat) => beat.worker)
  return [...new Set([...living, worker])].sort()
}

/**
 * Decides which leases of one kind `worker` takes and gives up. A worker's share is the number of leases divided by the
 * number of live workers: rounded down, the lower share; rounded up, the upper share.
 *
 * - Below the lower share it takes free leases, and at the lower share one more, if no live worker is below that share.
 * - Above the upper share it gives up the surplus. At the upper share it gives one lease up when another worker is
 *   below the lower share and no lease is free.
 * - It never gives up a lease that is in use: another worker would do the same work at the same time.
 * - Each worker begins at its own place in the list of free leases, so that workers which look at the same time take
 *   different leases.
 * - A lease of a dead worker is free.
 *
 * The worker takes its own leases again, with new tokens, when it does not hold them: its last beat had run out, or the
 * answer to the take was lost.
 */
export const move = (
  worker: WorkerId,
  { beats, leases }: LeaseSurvey,
  { held, inUse }: OwnLeases,
  now: Timestamp
): LeaseChanges => {
  const workers = crew(worker, beats, now)
  const counts = new Map(workers.map((one) => [one, 0]))
  const free: Array<Lease> = []
  const own: Array<Lease> = []
  for (const lease of leases) {
    const count = lease.owner === null ? undefined : counts.get(lease.owner)
    if (lease.owner === null || count === undefined) free.push(lease)
    else counts.set(lease.owner, count + 1)
    if (lease.owner === worker) own.push(lease)
  }
  const lower = Math.floor(leases.length / workers.length)
  const upper = Math.ceil(leases.length / workers.length)
  const isSomebodyShort = [...counts.values()].some((count) => count < lower)

  const most = isSomebodyShort && free.length === 0 ? lower : upper
  // Leases whose tokens the worker does not have are given up first, because it does no work under them.
  const tooMany = Math.max(0, own.length - most)
  const giveUp = own
    .filter(({ name }) => !inUse.has(name))
    .sort((a, b) => Number(held.has(a.name)) - Number(held.has(b.name)))
    .slice(0, tooMany)
  const kept = own.filter((lease) => !giveUp.includes(lease))
  const wanted = kept.length < lower ? lower : isSomebodyShort ? kept.length : upper
  const start = Math.floor((free.length * workers.indexOf(worker)) / workers.length)
  const inOwnOrder = [...free.slice(start), ...free.slice(0, start)]
  const taken = inOwnOrder.slice(0, Math.min(Math.max(0, wanted - kept.length), kept.length < lower ? Infinity : 1))
  return {
    take: [...kept.filter(({ name }) => !held.has(name)), ...taken],
    giveUp,
    isShort: kept.length + taken.length < lower,
    hasSurplus: giveUp.length < tooMany
  }
}

/** The key of a lease in maps: names are unique only within a kind. */
export const keyOf = ({ kind, name }: Pick<Lease, "kind" | "name">): string => `${kind} ${name}`

/** What a worker does at a look, for the leases of all kinds. */
export interface LookPlan {
  readonly take: ReadonlyArray<Lease>
  readonly giveUp: ReadonlyArray<Lease>
  /** The leases that the worker holds and does not give up. */
  readonly kept: ReadonlyArray<Lease>
  readonly isShort: boolean
  /** Like `LeaseChanges.hasSurplus`, for the buckets of people. */
  readonly hasSurplus: boolean
  /** All live workers, sorted. */
  readonly workers: ReadonlyArray<WorkerId>
}

/**
 * Plans a look: what the worker takes, gives up and keeps, of each kind of lease. `before` are the leases that it held
 * until now, by `keyOf`, and `names` the names of all leases of a kind.
 */
export const planLook = (
  worker: WorkerId,
  { beats, leases }: LeaseSurvey,
  before: ReadonlyMap<string, Lease>,
  names: Readonly<Record<LeaseKind, ReadonlyArray<string>>>,
  isUsed: (key: string) => boolean,
  now: Timestamp
): LookPlan => {
  // The worker no longer holds a lease that another worker has taken, nor a lease with another token.
  const own = leases.filter((lease) => lease.owner === worker && before.get(keyOf(lease))?.token === lease.token)
  const changes = KINDS.map((kind) => {
    const held = new Set(own.flatMap((lease) => (lease.kind === kind ? [lease.name] : [])))
    const inUse = new Set(names[kind].filter((name) => isUsed(keyOf({ kind, name }))))
    return { kind, ...move(worker, { beats, leases: complete(kind, names[kind], leases) }, { held, inUse }, now) }
  })
  const giveUp = changes.flatMap((one) => one.giveUp)
  const isGivenUp = new Set(giveUp.map(keyOf))
  return {
    take: changes.flatMap((one) => one.take),
    giveUp,
    kept: own.filter((lease) => !isGivenUp.has(keyOf(lease))),
    isShort: changes.some((one) => one.isShort),
    hasSurplus: changes.some((one) => one.kind === "people" && one.hasSurplus),
    workers: crew(worker, beats, now)
  }
}
