import type { HttpRouter } from "@effect/platform"
import { type Context, Effect } from "effect"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as Services from "../edge/Services.js"

type Request = HttpRouter.HttpRouter.Provided

/**
 * What decides whether a request is let through, with `services` below the request's own. It is given these, and what the edge is to
 * know of the request: one step of the fibre for all of them.
 */
export const guard = <S, A, E, R>(
  services: Context.Context<S>,
  decide: (own: Context.Context<Request>, cell: CurrentRequest.Cell) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, S> | Request> =>
  Effect.withFiberRuntime((fiber) => {
    Services.lay(fiber.currentContext, services)
    const cell = fiber.getFiberRef(CurrentRequest.ref)
    return decide(fiber.currentContext as Context.Context<Request>, cell) as Effect.Effect<A, E, Exclude<R, S>>
  })
