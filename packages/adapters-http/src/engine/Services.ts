import { Context, Effect, FiberRef } from "effect"
import { Layered } from "./Layered.js"

/**
 * The services that one request runs with. `NodeServer` begins each request with a context of its own, which looks up
 * missing services among the server's services (`Layered`). Services are added to this context in place while the
 * request goes on: the matched route, the caller, and what a handler needs. Adding them with `Effect.provide` would
 * copy the whole context and take the fiber some twenty steps.
 *
 * On the platform's own server a request has an ordinary context. There, `over` and `provide` do the same as Effect's
 * own functions. `put` and `lay` change a context in place, so only modules of this folder may call them, and only with
 * a context that `ofRequest` made.
 */

/** Marks a context that `ofRequest` made. A copy has the mark too, so `owned` recognises the copies. */
const BEGAN_OWN = "@place-access/adapters-http/engine/Services/beganOwn"

/** Makes a context for one request. It looks up missing services among the services of the server. */
export const ofRequest = <A>(below: Context.Context<A>): Context.Context<A> => {
  const own = new Layered(below.unsafeMap)
  own.set(BEGAN_OWN, true)
  return Context.unsafeMake<A>(own)
}

/** Whether the context belongs to one request and may be changed in place. */
const isOwn = ({ unsafeMap }: Context.Context<never>): boolean => unsafeMap instanceof Layered

/** Adds a service to the context of a request, for the rest of the request. */
export const put = (own: Context.Context<never>, key: string, service: unknown): void =>
  void layeredOf(own).set(key, service)

/** For the rest of the request, looks up in `services` each service that the request itself does not have. */
export const lay = <A>(own: Context.Context<never>, services: Context.Context<A>): void =>
  void (layeredOf(own).below = services.unsafeMap)

/**
 * Runs `self` with `services` added. When the request has a service of the same name, `self` gets the service of the
 * request.
 */
export const over =
  <A>(services: Context.Context<A>) =>
  <X, E, R>(self: Effect.Effect<X, E, R>): Effect.Effect<X, E, Exclude<R, A>> =>
    Effect.withFiberRuntime((fiber) => {
      if (!isOwn(fiber.currentContext)) {
        return Effect.mapInputContext(
          self,
          (own: Context.Context<Exclude<R, A>>) =>
            Context.merge(services, own) as Context.Context<never> as Context.Context<R>
        )
      }
      lay(fiber.currentContext, services)
      return self as Effect.Effect<X, E, Exclude<R, A>>
    })

/**
 * Runs `self` with the services `added`. When the request has a service of the same name, `self` gets the service of
 * `added`.
 */
export const provide =
  <A>(added: Context.Context<A>) =>
  <X, E, R>(self: Effect.Effect<X, E, R>): Effect.Effect<X, E, Exclude<R, A>> =>
    Effect.withFiberRuntime((fiber) => {
      if (!isOwn(fiber.currentContext)) return Effect.provide(self, added)
      for (const [key, service] of added.unsafeMap) put(fiber.currentContext, key, service)
      return self as Effect.Effect<X, E, Exclude<R, A>>
    })

/**
 * Runs `self` in a context that `put` may change. A span copies the context of the request, and `put` refuses a copy,
 * because the request would not see the change. So this function replaces a copy by a new context of the request with
 * the same services.
 */
export const owned = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext
    if (isOwn(context) || !context.unsafeMap.has(BEGAN_OWN)) return self
    const own = ofRequest(Context.empty() as Context.Context<never>)
    for (const [key, service] of context.unsafeMap) put(own, key, service)
    // The fiber gets an empty context before it gets the new context. Effect compares contexts by content, and the
    // present context (a copy that `put` refuses) has the same content as the new one. Without the empty context in
    // between, the fiber would keep the copy.
    return FiberRef.set(FiberRef.currentContext, Context.empty() as Context.Context<never>).pipe(
      Effect.zipRight(FiberRef.set(FiberRef.currentContext, own)),
      Effect.zipRight(self)
    )
  })

const layeredOf = ({ unsafeMap }: Context.Context<never>): Layered => {
  if (unsafeMap instanceof Layered) return unsafeMap
  throw new Error("the services of a request are changed outside of it")
}
