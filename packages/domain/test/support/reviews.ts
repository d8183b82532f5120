import { MemoryReviewStore, MemoryWorkSignal } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { inWorld as inWorldOfConnections, type World } from "./connections.js"

const reviews = Layer.merge(MemoryReviewStore.layer, MemoryWorkSignal.layer)

export type ReviewWorld = World | Layer.Layer.Success<typeof reviews>

/** As `inWorld` of connections, with reviews. */
export const inWorld = <A, E>(program: Effect.Effect<A, E, ReviewWorld>): Promise<A> =>
  inWorldOfConnections(Effect.provide(program, reviews))
