import { Fixtures, MemoryReviewStore, MemoryWorkSignal } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { inWorld as inWorldOfConnections, type World } from "./connections.js"

const reviews = Layer.merge(MemoryReviewStore.layer, MemoryWorkSignal.layer)

export type ReviewWorld = World | Layer.Layer.Success<typeof reviews>

/** Runs a program with the in-memory stores of connections (`inWorld` of `connections.ts`) and the store of reviews. */
export const inWorld = <A, E>(program: Effect.Effect<A, E, ReviewWorld>): Promise<A> =>
  inWorldOfConnections(Effect.provide(program, reviews))

/**
 * Stores four users: one without roles, who owns the apps of a test; one of each role that can decide about apps
 * (`reviewer` and `admin`); and one with the role `developer`, who owns no app.
 */
export const people = Effect.gen(function* () {
  return {
    owner: yield* Fixtures.user,
    reviewer: yield* Fixtures.userWith({ roles: ["reviewer"] }),
    admin: yield* Fixtures.userWith({ roles: ["admin"] }),
    developer: yield* Fixtures.userWith({ roles: ["developer"] })
  }
})

/** The tag of the error with which a program fails. */
export const refused = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(program), ({ _tag }) => _tag)
