import type { WorkerId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

// Decides which worker does which work, when several workers share one database. The decisions are plain functions of a
// `LeaseSurvey`: all leases, and the heartbeats of all workers.

/**
 * The kinds of leases. `people`: one bucket of people with all their work. `chores`: one task that belongs to no
 * person.
 */
export const KINDS = ["people", "chores"] as const
export type LeaseKind = (typeof KINDS)[number]

/**
 * The value of the column `home` in all leases of a service. A cluster keeps rows with the same home on one shard, so
 * that one statement can read and change all leases.
 */
export const HOME = "leases"

/**
 * The right to do the work of one bucket or one chore. At most one worker has it. Each time a worker takes the lease,
 * the token is raised, and the store refuses a change of the lease that names an old token (a fencing token). A lease
 * that was never taken has token 0. Names are unique within a kind.
 */
export interface Lease {
  readonly kind: LeaseKind
  readonly name: string
  readonly owner: WorkerId | null
  readonly token: number
}

/** A worker's heartbeat. The worker counts as alive until `aliveUntil`, or longer if it stores a later beat. */
export interface Beat {
  readonly worker: WorkerId
  readonly aliveUntil: Timestamp
}

/** The stored leases, and the last beats of all workers. */
export interface LeaseSurvey {
  readonly leases: ReadonlyArray<Lease>
  readonly beats: ReadonlyArray<Beat>
}

/** The leases of one kind that a worker takes and gives up, as decided from a survey. */
export interface LeaseChanges {
  readonly take: ReadonlyArray<Lease>
  readonly giveUp: ReadonlyArray<Lease>
  /** True when `take` does not bring the worker up to its share. The worker then reads the leases again sooner. */
  readonly isShort: boolean
  /** True when the worker keeps more than its share, because the leases that it should give up are in use. */
  readonly hasSurplus: boolean
}

/**
 * How long a worker counts as alive after a beat, in milliseconds. A worker that crashed stores no more beats, and
 * after this time other workers take its leases.
 */
export const LIFE = 10 * SECOND

/** The time until which a worker counts as alive if its beat is stored at `now`. */
export const aliveUntil = (now: Timestamp): Timestamp => plus(now, LIFE)

/**
 * Whether the worker of this beat is alive. When `aliveUntil` is more than `2 * LIFE` in the future, the clock was set
 * back after the beat. A live worker would have stored a new beat since, so this worker counts as dead.
 */
export const isAlive = ({ aliveUntil: until }: Beat, now: Timestamp): boolean => now < until && until <= now + 2 * LIFE

/**
 * The leases with this kind and these names. The store has no row of a lease that was never taken, so this function
 * adds a free lease with token 0.
 */
export const complete = (
  kind: LeaseKind,
  names: ReadonlyArray<string>,
  stored: ReadonlyArray<Lease>
): ReadonlyArray<Lease> => {
  const known = new Map(stored.flatMap((lease) => (lease.kind === kind ? [[lease.name, lease]] : [])))
  return names.map((name) => known.get(name) ?? { kind, name, owner: null, token: 0 })
}

/** The names of the leases of one kind that a worker has and uses. */
export interface OwnLeases {
  /** The leases whose tokens the worker has. */
  readonly held: ReadonlySet<string>
  /** The leases whose work the worker is doing now. */
  readonly inUse: ReadonlySet<string>
}

/** All live workers, this worker included, sorted by id so that all workers compute the same order. */
export const crew = (worker: WorkerId, beats: ReadonlyArray<Beat>, now: Timestamp): ReadonlyArray<WorkerId> => {
  const living = beats.filter((beat) => isAlive(beat, now)).map((beat) => beat.worker)
  return [...new Set([...living, worker])].sort()
}

/**
 * Decides which leases of one kind `worker` takes and gives up. A worker's share is the number of leases divided by the
 * number of live workers: rounded down, the lower share; rounded up, the upper share.
 *
 * - A worker below the lower share takes free leases until it has the lower share. A worker at the lower share takes
 *   one more, if no live worker is below the lower share.
 * - A worker above the upper share gives up the surplus. A worker at the upper share gives up one lease when another
 *   worker is below the lower share and no lease is free.
 * - A worker never gives up a lease that is in use. Otherwise another worker would do the same work at the same time.
 * - Each worker begins at its own index of the list of free leases. So workers that look at the same time seldom try to
 *   take the same lease, unless few leases are free.
 * - A lease of a dead worker is free.
 *
 * When a stored lease names the worker as owner and the worker does not have the lease's token, the worker takes the
 * lease again with a new token. This happens when the worker's last beat had run out, or when the answer to an earlier
 * take was lost.
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
  // Leases whose tokens the worker does not have are given up first, because the worker does no work under these
  // leases.
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

/** The changes of one look, for the leases of all kinds. */
export interface LookPlan {
  readonly take: ReadonlyArray<Lease>
  readonly giveUp: ReadonlyArray<Lease>
  /** The leases that the worker holds and does not give up. */
  readonly kept: ReadonlyArray<Lease>
  readonly isShort: boolean
  /** True when the worker keeps more buckets than its share, because the buckets that it should give up are in use. */
  readonly hasSurplus: boolean
  /** All live workers, sorted. */
  readonly workers: ReadonlyArray<WorkerId>
}

/**
 * Plans a look: which leases of each kind the worker takes, gives up and keeps. `before` has the leases that the worker
 * held before the look, by `keyOf`. `names` has the names of all leases of each kind.
 */
export const planLook = (
  worker: WorkerId,
  { beats, leases }: LeaseSurvey,
  before: ReadonlyMap<string, Lease>,
  names: Readonly<Record<LeaseKind, ReadonlyArray<string>>>,
  isUsed: (key: string) => boolean,
  now: Timestamp
): LookPlan => {
  // The worker holds only the leases that it held before and whose tokens are unchanged. Another token means that the
  // lease was taken meanwhile: by another worker, or by an earlier look of this worker whose answer was lost.
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
