import { Context, Effect, Layer } from "effect"
import type { OutboxEvent } from "../../../src/events/Event.js"
import type { Circle } from "../../../src/places/Geometry.js"
import type { Rule } from "../../../src/rules/Rule.js"
import type { DeviceId, UserId } from "../../../src/shared/Ids.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

/** A phone that uploads, and its user. */
export interface Phone {
  readonly userId: UserId
  readonly id: DeviceId
}

/** An enabled rule with its circle, and a phone of the rule's user. */
export interface Standing {
  readonly phone: Phone
  readonly rule: Rule
  readonly circle: Circle
}

/**
 * The people, phones and rules for the cases of `fixStoreContract`, because a `FixStore` cannot make them. The test
 * that runs the contract must provide this service. The service makes the people, phones and rules, and reads the
 * outbox. If your store keeps no users or phones, `phone` and `another` can return ids that were never used.
 */
export class FixSubjects extends Context.Tag("@place-access/domain/testing/FixSubjects")<
  FixSubjects,
  {
    /** Makes a person with a phone. The person has no rules and has uploaded nothing. */
    readonly phone: Effect.Effect<Phone, unknown>
    /** Makes another phone of the same person. */
    readonly another: (phone: Phone) => Effect.Effect<Phone, unknown>
    /** Makes a person with a phone and one rule. From now on `FixStore.view` shows the rule. */
    readonly withRule: Effect.Effect<Standing, unknown>
    /** The person's events that `FixStore.commit` wrote and that no worker has fanned out, in any order. */
    readonly outbox: (phone: Phone) => Effect.Effect<ReadonlyArray<OutboxEvent>, unknown>
  }
>() {}

/** Makes a person with a phone (`FixSubjects.phone`). */
export const phone = Effect.flatMap(FixSubjects, (subjects) => subjects.phone)
/** Makes another phone of the same person (`FixSubjects.another`). */
export const another = (one: Phone) => Effect.flatMap(FixSubjects, (subjects) => subjects.another(one))
/** Makes a person with a phone and one rule (`FixSubjects.withRule`). */
export const withRule = Effect.flatMap(FixSubjects, (subjects) => subjects.withRule)
/** The events of the phone's user that no worker has fanned out (`FixSubjects.outbox`). */
export const outbox = (one: Phone) => Effect.flatMap(FixSubjects, (subjects) => subjects.outbox(one))

/** Makes the people, phones and rules through the ports of users, devices, connections and rules. */
export const layer: Layer.Layer<FixSubjects, never, Uploads.UploadSamplePorts> = Layer.effect(
  FixSubjects,
  Effect.map(Effect.context<Uploads.UploadSamplePorts>(), (ports) =>
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
