import { Layered } from "@place-access/domain/shared"
import { Context, Effect, FiberRef } from "effect"

/**
 * The services of one request: its own over those of whoever works on it. A context's map is copied whole to add something to it, and
 * every port there is takes longer to copy than a request to route; a fibre takes some twenty steps to work in another context and to put
 * the old one back. So each request has one map that is looked through, and it changes in place as the request goes on. Only
 * towards the handler, never back: what a handler leaves behind (a stream, a daemon) finds what it was made with.
 */
export const ofRequest = <A>(below: Context.Context<A>): Context.Context<A> =>
  Context.unsafeMake<A>(new Layered.Layered(below.unsafeMap))

/** Over what is below, for all that comes after. */
export const put = (context: Context.Context<never>, key: string, service: unknown): void =>
  void layeredOf(context).set(key, service)

/** Goes on with `services` below the request's own. */
export const over =
  <A>(services: Context.Context<A>) =>
  <X, E, R>(self: Effect.Effect<X, E, R>): Effect.Effect<X, E, Exclude<R, A>> =>
    Effect.withFiberRuntime((fiber) => {
      lay(fiber.currentContext, services)
      return self as Effect.Effect<X, E, Exclude<R, A>>
    })

/** From here on `services` are below the request's own. */
export const lay = <A>(own: Context.Context<never>, services: Context.Context<A>): void =>
  void (layeredOf(own).below = services.unsafeMap)

/** Goes on in services that are the request's own again, where somebody had to copy them: a span is added to a context like anything else. */
export const owned = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext
    if (context.unsafeMap instanceof Layered.Layered) return self
    const own = ofRequest(Context.empty() as Context.Context<never>)
    for (const [key, service] of context.unsafeMap) put(own, key, service)
    // In two steps: a context is left alone that equals the new one.
    return FiberRef.set(FiberRef.currentContext, Context.empty() as Context.Context<never>).pipe(
      Effect.zipRight(FiberRef.set(FiberRef.currentContext, own)),
      Effect.zipRight(self)
    )
  })

const layeredOf = ({ unsafeMap }: Context.Context<never>): Layered.Layered => {
  if (unsafeMap instanceof Layered.Layered) return unsafeMap
  throw new Error("the services of a request are changed outside of it")
}
