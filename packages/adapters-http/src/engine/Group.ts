import type { HttpApiBuilder } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Engine } from "./Engine.js"

/** Takes the handlers of a group of endpoints, like `HttpApiBuilder.group`. The `Engine` runs them. */
export const group = ((...given: Parameters<typeof HttpApiBuilder.group>) =>
  Layer.unwrapEffect(Effect.map(Engine, (engine) => engine.group(...given)))) as unknown as typeof HttpApiBuilder.group
