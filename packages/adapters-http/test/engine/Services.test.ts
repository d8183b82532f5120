import * as Services from "@place-access/adapters-http/engine/Services"
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"

class Guards extends Context.Tag("test/Guards")<Guards, string>() {}
class Handlers extends Context.Tag("test/Handlers")<Handlers, string>() {}
class Own extends Context.Tag("test/Own")<Own, string>() {}

/** Runs `program` like a request, with a separate map of services. */
const asRequest = <A, E>(program: Effect.Effect<A, E, Own>) => {
  const context = Services.ofRequest(Context.empty())
  Services.put(context, Own.key, "the request's")
  return Effect.runSync(Effect.mapInputContext(program, () => context as Context.Context<Own>))
}

describe("the services of a request", () => {
  it("each ring finds its own services and the request's; what a guard provides is there from then on", () => {
    const guard = Effect.all([Guards, Own, Effect.serviceOption(Handlers)]).pipe(
      Services.over(Context.make(Guards, "a guard's"))
    )
    const provide = Effect.withFiberRuntime<void>((fiber) => {
      Services.put(fiber.currentContext, Own.key, "the guard's")
      return Effect.void
    })
    const handler = Effect.all([Handlers, Own, Effect.serviceOption(Guards)]).pipe(
      Services.over(Context.make(Handlers, "a handler's"))
    )
    const [guarded, , handled] = asRequest(Effect.all([guard, provide, handler]))
    expect(guarded).toMatchObject(["a guard's", "the request's", { _tag: "None" }])
    expect(handled).toMatchObject(["a handler's", "the guard's", { _tag: "None" }])
  })

  it("what a handler leaves behind finds what it was made with", () => {
    const captured = asRequest(
      Effect.context<Handlers | Own>().pipe(Services.over(Context.make(Handlers, "a handler's")))
    )
    expect([Context.get(captured, Handlers), Context.get(captured, Own)]).toEqual(["a handler's", "the request's"])
  })

  it("two requests have nothing of each other's", () => {
    const one = Services.ofRequest(Context.make(Guards, "both"))
    const other = Services.ofRequest(Context.make(Guards, "both"))
    Services.put(one as Context.Context<never>, Own.key, "one's")
    expect(other.unsafeMap.has(Own.key)).toBe(false)
    expect(one.unsafeMap.get(Guards.key)).toBe("both")
  })

  it("are the request's own again where a span was added to a copy of them", () => {
    const handler = Effect.all([Handlers, Own]).pipe(Services.over(Context.make(Handlers, "a handler's")))
    const copied = Effect.provideService(Services.owned(handler), Guards, "copied")
    expect(asRequest(copied)).toEqual(["a handler's", "the request's"])
    expect(asRequest(Services.owned(handler))).toEqual(["a handler's", "the request's"])
  })

  it("outside of a request a context is never changed: more services are provided as Effect provides them", () => {
    const context = Context.make(Own, "ordinary")
    const program = Effect.all([Own, Guards]).pipe(
      Services.over(Context.make(Guards, "below").pipe(Context.add(Own, "below"))),
      Services.provide(Context.make(Guards, "added"))
    )
    expect(Effect.runSync(Effect.provide(program, context))).toEqual(["ordinary", "added"])
    expect([...context.unsafeMap.keys()]).toEqual([Own.key])
    expect(() => Services.put(context as Context.Context<never>, Guards.key, "added")).toThrow("outside of it")
  })
})
