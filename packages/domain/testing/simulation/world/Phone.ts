import { Effect } from "effect"
import type { Ended, PhoneVisit, Reading } from "../Operations.js"
import type { Stage } from "./Stage.js"

interface Owner {
  readonly userId: string
  readonly deviceId: string
  readonly actor: string
}

/**
 * A reading of a phone. Default of `capturedAt`: the present time, in milliseconds since 1970. Default of `accuracyM`:
 * 10 metres. Like the service, the phone cuts off fractions of a millisecond.
 */
export interface Measured {
  readonly lat: number
  readonly lon: number
  readonly accuracyM?: number | null | undefined
  readonly capturedAt?: number | undefined
}

export interface Flush {
  /** Whether the phone sends the stored readings in random order. */
  readonly shuffle?: boolean | undefined
  /** The number of times that the phone sends each reading. Default: 1. */
  readonly duplicate?: number | undefined
}

type Uploaded = Ended<"upload"> | undefined

/**
 * A phone. An online phone sends each reading immediately. An offline phone stores its readings until it is online.
 * When the outcome of an upload is unknown, the phone sends the readings and visits of this upload again, with the next
 * upload.
 */
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

  /**
   * Sends a reading, together with all readings and visits that the phone has stored. Returns undefined when nothing
   * was sent, because the phone is offline or a fault delays the upload.
   */
  fix({ accuracyM = 10, capturedAt, lat, lon }: Measured): Effect.Effect<Uploaded> {
    return Effect.flatMap(this.world.now, (now) => {
      this.backlog.push({ capturedAt: capturedAt ?? now, lat, lon, accuracyM })
      return this.send({})
    })
  }

  /** Sends a reading at the centre of a place. */
  at(place: { readonly lat: number; readonly lon: number }, accuracyM = 10): Effect.Effect<Uploaded> {
    return this.fix({ lat: place.lat, lon: place.lon, accuracyM })
  }

  /**
   * Sends a visit that the phone's operating system has reported, together with all readings and visits that the phone
   * has stored.
   */
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

  /** Goes online and sends all stored readings and visits in one upload. */
  online(how: Flush = {}): Effect.Effect<Uploaded> {
    return Effect.suspend(() => {
      this.isOnline = true
      return this.send(how)
    })
  }

  /** Sends the readings of a recorded log, each at its capture time plus `offsetMillis`. */
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

  /** The user removes the phone. From then on the service refuses its uploads. */
  remove(): Effect.Effect<Ended<"removeDevice">> {
    const { actor, deviceId, userId } = this.owner
    return this.world.perform("removeDevice", { userId, deviceId }, actor)
  }

  /** Uploads exactly these readings and visits. Capture times lose their fractions of a millisecond. */
  upload(fixes: ReadonlyArray<Reading>, visits: ReadonlyArray<PhoneVisit> = []): Effect.Effect<Ended<"upload">> {
    const { actor, deviceId, userId } = this.owner
    const whole = fixes.map((fix) => ({ ...fix, capturedAt: Math.trunc(fix.capturedAt) }))
    return this.world.perform("upload", { userId, deviceId, fixes: whole, visits }, actor)
  }

  private send({ duplicate = 1, shuffle = false }: Flush): Effect.Effect<Uploaded> {
    return Effect.gen(this, function* () {
      if (!this.isOnline || this.backlog.length + this.visits.length === 0) return undefined
      const { faults } = this.world
      const isReordered = faults.strikes("upload.reorder")
      if (isReordered) {
        yield* this.world.note("upload.reorder", this.deviceId)
        // The fault `upload.reorder` struck, but a single reading has no order. So the phone stores the reading and
        // sends it with the next reading. If `upload.reorder` also strikes at that time, the phone sends both readings
        // in random order.
        if (this.backlog.length === 1) return undefined
      }
      const [kept, visits] = [this.backlog, this.visits]
      this.backlog = []
      this.visits = []
      const copies = Array.from({ length: duplicate }, () => kept).flat()
      const order = shuffle ? this.world.random : isReordered ? faults.random : undefined
      const fixes = order === undefined ? copies : order.shuffle(copies)
      let outcome = yield* this.upload(fixes, visits)
      if (faults.strikes("upload.duplicate")) {
        yield* this.world.note("upload.duplicate", this.deviceId)
        outcome = yield* this.upload(fixes, visits)
      }
      if (outcome._tag === "unknown") {
        this.backlog = [...kept, ...this.backlog]
        this.visits = [...visits, ...this.visits]
      }
      return outcome
    })
  }
}
