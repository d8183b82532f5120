import { fn, gen, program, type Program, Telemetry, withPort } from "@place-access/domain/shared"
import { Context, Effect, Either, Exit, Option, Tracer } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"

class Port extends Context.Tag("test/Port")<Port, { readonly attempt: number }>() {}

const given: Array<number> = []
const inner = program("inner", function* (more: number): Program<number, never, Port> {
  const { attempt } = yield* Port
  given.push(attempt)
  yield* Telemetry.annotate({ attempt })
  return attempt + more
})
const outer = program("outer", function* () {
  return yield* inner(10)
})
const failing = program("failing", function* (why: "late" | "lost") {
  return yield* Effect.fail(why)
})

describe("a program", () => {
  it("takes arguments, asks for its ports and answers", () => {
    const answer = Effect.runSync(Effect.provideService(outer(), Port, { attempt: 3 }))
    expect(answer).toBe(13)
  })

  it("begins anew each time it is run", () => {
    const once = Effect.provideService(inner(1), Port, { attempt: 1 })
    given.length = 0
    expect(Effect.runSync(Effect.all([once, once]))).toEqual([2, 2])
    expect(given).toEqual([1, 1])
  })

  it("fails as its generator does, and a program's end may change how", () => {
    expect(Effect.runSyncExit(failing("late"))).toEqual(Exit.fail("late"))
    const patient = program(
      "patient",
      function* (why: "late" | "lost") {
        return yield* failing(why)
      },
      (run, why) => Effect.orElseSucceed(run, () => `was ${why}`)
    )
    expect(Effect.runSync(patient("lost"))).toBe("was lost")
    expectTypeOf(patient).returns.toEqualTypeOf<Effect.Effect<string>>()
  })

  it("goes on with the right of an Either, and fails with its left", () => {
    const checked = program("checked", function* (given: Either.Either<number, "refused">) {
      return (yield* given) + (yield* Either.right(1))
    })
    expect(Effect.runSync(checked(Either.right(2)))).toBe(3)
    expect(Effect.runSyncExit(checked(Either.left("refused")))).toEqual(Exit.fail("refused"))
  })

  it("dies when nobody gave it its port", () => {
    const run = inner(1) as Effect.Effect<number>
    expect(Exit.isFailure(Effect.runSyncExit(run))).toBe(true)
  })

  it("asks for its ports in `fn` as in a program, and gets the arguments of each call", () => {
    const added = fn(function* (more: number) {
      return (yield* Port).attempt + more + (yield* Effect.succeed(100))
    })
    const run = Effect.all([added(1), added(2)]).pipe(Effect.provideService(Port, { attempt: 10 }))
    expect(Effect.runSync(run)).toEqual([111, 112])
  })

  it("asks for its ports in `gen` and `withPort` as in a program", () => {
    const summed = gen(function* () {
      return (yield* Port).attempt + (yield* withPort(Port, ({ attempt }) => Effect.succeed(attempt * 10)))
    })
    expectTypeOf(summed).toEqualTypeOf<Effect.Effect<number, never, Port>>()
    expect(Effect.runSync(Effect.provideService(summed, Port, { attempt: 3 }))).toBe(33)
  })

  it("has the type of its generator, also where that is for any type", () => {
    const both = program("both", function* <A, E, R>(one: Effect.Effect<A, E, R>) {
      yield* failing("late")
      return [yield* one, (yield* Port).attempt] as const
    })
    expectTypeOf(both(Effect.fail(7 as const))).toEqualTypeOf<
      Effect.Effect<readonly [never, number], "late" | "lost" | 7, Port>
    >()
    expectTypeOf(outer).toEqualTypeOf<() => Effect.Effect<number, never, Port>>()
  })
})

describe("the span of a program", () => {
  const names: Array<string> = []
  let sampled = true
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      names.push(`${Option.isSome(parent) ? "child" : "root"} ${name}`)
      return {
        _tag: "Span",
        name,
        spanId: "1",
        traceId: "2",
        parent,
        context,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        links,
        sampled,
        kind,
        end: () => undefined,
        attribute: (key, value) => void names.push(`${key}=${String(value)}`),
        event: () => undefined,
        addLinks: () => undefined
      }
    },
    context: (f) => f()
  })
  const run = (isOn: boolean, work = outer()) => {
    names.length = 0
    const provided = Effect.provideService(work, Port, { attempt: 3 })
    Effect.runSync(provided.pipe(Effect.withTracer(tracer), Effect.withTracerEnabled(isOn)))
    return [...names]
  }

  it("is made where somebody traces, and what the program says is said of it", () => {
    expect(run(true)).toEqual(["root outer", "child inner", "attempt=3"])
  })

  it("is not made below one that the sampler left out", () => {
    sampled = false
    expect(run(true)).toEqual(["root outer"])
    sampled = true
  })

  it("is asked for anew in a trace of its own, below one that the sampler left out", () => {
    sampled = false
    const pass = program("pass", function* () {
      return yield* Telemetry.inOwnTrace(outer())
    })
    expect(run(true, pass())).toEqual(["root pass", "root outer"])
    sampled = true
  })

  it("is asked for anew after one that the sampler left out", () => {
    sampled = false
    expect(run(true, Effect.zipRight(outer(), outer()))).toEqual(["root outer", "root outer"])
    sampled = true
  })

  it("is not made at all where nobody traces", () => {
    expect(run(false)).toEqual([])
  })
})
