import { Effect } from "effect"
import type { Ended, PhoneVisit, Reading } from "../Operations.js"
import type { Stage } from "./Stage.js"

interface Owner {
  readonly userId: string
  readonly deviceId: string
  readonly actor: string
}

/** What a phone measures: now, unless it says otherwise, and to within 10 m. */
export interface Measured {
  readonly lat: number
  readonly lon: number
  readonly accuracyM?: number | null | undefined
  readonly capturedAt?: number | undefined
}

export interface Flush {
  /** In any order. */
  readonly shuffle?: boolean | undefined
  /** Everything so many times over. */
  readonly duplicate?: number | undefined
}

type Uploaded = Ended<"upload"> | undefined

/** Sends what it measures, at once or when it is online again, and again when it was not told that it arrived. */
export class Phone {
  readonly deviceId: string
  private readonly owner: Owner
  private readonly world: Stage
  private isOnline = true
  private backlog: Array<Reading> = []
  private visits: Array<PhoneVisit> = []

  constructor(world: Stage, owner: Owner) {
    this.world = world
    this.owner = owner
    this.deviceId = owner.deviceId
  }

  /** Undefined when nothing was sent: it is offline, or an upload is held up on the way. */
  fix({ accuracyM = 10, capturedAt, lat, lon }: Measured): Effect.Effect<Uploaded> {
    return Effect.flatMap(this.world.now, (now) => {
      this.backlog.push({ capturedAt: capturedAt ?? now, lat, lon, accuracyM })
      return this.send({})
    })
  }

  /** In the middle of it. */
  at(place: { readonly lat: number; readonly lon: number }, accuracyM = 10): Effect.Effect<Uploaded> {
    return this.fix({ lat: place.lat, lon: place.lon, accuracyM })
  }

  /** What the operating system tells of a stay. */
  visit(visit: PhoneVisit): Effect.Effect<Uploaded> {
    return Effect.suspend(() => {
      this.visits.push(visit)
      return this.send({})
    })
  }

  get offline(): Effect.Effect<void> {
    return Effect.sync(() => {
      this.isOnline = false
    })
  }

  /** Sends what was kept, all in one upload. */
  online(how: Flush = {}): Effect.Effect<Uploaded> {
    return Effect.suspend(() => {
      this.isOnline = true
      return this.send(how)
    })
  }

  /** Lives through a recorded log, each reading at its time, so many milliseconds later than it was taken. */
  replay(log: ReadonlyArray<Measured & { readonly capturedAt: number }>, offsetMillis = 0): Effect.Effect<void> {
    return Effect.forEach(
      log.toSorted((a, b) => a.capturedAt - b.capturedAt),
      ({ accuracyM, capturedAt, lat, lon }) =>
        Effect.zipRight(
          this.world.advanceTo(capturedAt + offsetMillis),
          this.fix({ lat, lon, accuracyM, capturedAt: capturedAt + offsetMillis })
        ),
      { discard: true }
    )
  }

  /** The user removes it; what it sends from then on is refused. */
  remove(): Effect.Effect<Ended<"removeDevice">> {
    const { actor, deviceId, userId } = this.owner
    return this.world.perform("removeDevice", { userId, deviceId }, actor)
  }

  /** Uploads exactly this. */
  upload(fixes: ReadonlyArray<Reading>, visits: ReadonlyArray<PhoneVisit> = []): Effect.Effect<Ended<"upload">> {
    const { actor, deviceId, userId } = this.owner
    return this.world.perform("upload", { userId, deviceId, fixes, visits }, actor)
  }

  private send({ duplicate = 1, shuffle = false }: Flush): Effect.Effect<Uploaded> {
    return Effect.gen(this, function* () {
      if (!this.isOnline || this.backlog.length + this.visits.length === 0) return undefined
      const { faults } = this.world
      const isReordered = faults.strikes("upload.reorder")
      if (isReordered) {
        yield* this.world.note("upload.reorder", this.deviceId)
        // The next one overtakes it.
        if (this.backlog.length === 1) return undefined
      }
      const [kept, told] = [this.backlog, this.visits]
      this.backlog = []
      this.visits = []
      const copies = Array.from({ length: duplicate }, () => kept).flat()
      const order = shuffle ? this.world.random : isReordered ? faults.random : undefined
      const fixes = order === undefined ? copies : order.shuffle(copies)
      let outcome = yield* this.upload(fixes, told)
      if (faults.strikes("upload.duplicate")) {
        yield* this.world.note("upload.duplicate", this.deviceId)
        outcome = yield* this.upload(fixes, told)
      }
      if (outcome._tag === "unknown") {
        this.backlog = [...kept, ...this.backlog]
        this.visits = [...told, ...this.visits]
      }
      return outcome
    })
  }
}
