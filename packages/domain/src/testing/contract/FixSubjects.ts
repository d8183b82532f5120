import { Context, Effect, Layer } from "effect"
import type { OutboxEvent } from "../../events/Event.js"
import type { Circle } from "../../places/Geometry.js"
import type { Rule } from "../../rules/Rule.js"
import type { DeviceId, UserId } from "../../shared/Ids.js"
import * as Fixtures from "../fixtures.js"
import * as Samples from "./ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

/** Whose uploads they are. */
export interface Phone {
  readonly userId: UserId
  readonly id: DeviceId
}

/** A rule that stands, with the circle that it is about. */
export interface Standing {
  readonly phone: Phone
  readonly rule: Rule
  readonly circle: Circle
}

/**
 * What `fixStoreContract` is about and cannot make by a `FixStore`: people, phones and rules, as whoever runs it makes them, and the
 * outbox as they read it. Where your store keeps no users or phones, new ids will do.
 */
export class FixSubjects extends Context.Tag("@place-access/domain/testing/FixSubjects")<
  FixSubjects,
  {
    /** A phone of a new person, who has no rule and never uploaded anything. */
    readonly phone: Effect.Effect<Phone, unknown>
    /** Another phone of that person. */
    readonly another: (phone: Phone) => Effect.Effect<Phone, unknown>
    /** A new person with a phone and one rule, which `FixStore.view` shows from now on. */
    readonly withRule: Effect.Effect<Standing, unknown>
    /** The person's events that `FixStore.commit` has written and nobody has taken yet, in any order. */
    readonly outbox: (phone: Phone) => Effect.Effect<ReadonlyArray<OutboxEvent>, unknown>
  }
>() {}

/** `FixSubjects.phone`, for a case. */
export const phone = Effect.flatMap(FixSubjects, (subjects) => subjects.phone)
/** `FixSubjects.another`, for a case. */
export const another = (one: Phone) => Effect.flatMap(FixSubjects, (subjects) => subjects.another(one))
/** `FixSubjects.withRule`, for a case. */
export const withRule = Effect.flatMap(FixSubjects, (subjects) => subjects.withRule)
/** `FixSubjects.outbox`, for a case. */
export const outbox = (one: Phone) => Effect.flatMap(FixSubjects, (subjects) => subjects.outbox(one))

/** Made through the ports of users, devices, connections and rules. */
export const layer: Layer.Layer<FixSubjects, never, Uploads.Needs> = Layer.effect(
  FixSubjects,
  Effect.map(Effect.context<Uploads.Needs>(), (ports) =>
    FixSubjects.of({
      phone: Effect.flatMap(Fixtures.user, ({ id }) => Samples.device(id)).pipe(Effect.provide(ports)),
      another: ({ userId }) => Samples.device(userId).pipe(Effect.provide(ports)),
      withRule: Effect.gen(function* () {
        const { connection, place } = yield* Samples.sharing()
        const rule = yield* Samples.rule(connection, Samples.onPlace(place))
        return { phone: yield* Samples.device(connection.userId), rule, circle: place.circle }
      }).pipe(Effect.provide(ports)),
      outbox: ({ userId }) => Uploads.outbox(userId).pipe(Effect.provide(ports))
    })
  )
)
