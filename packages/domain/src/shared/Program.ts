import { Context, Effect, Either, type Fiber, Utils } from "effect"
import { isTraced, spanned } from "./Telemetry.js"

/**
 * The type of a program's generator. A program declares this type only where it tells a reader more than the inferred
 * type.
 */
export type Program<A, E = never, R = never> = Generator<Utils.YieldWrap<Effect.Effect<unknown, E, R>>, A, never>

type Yielded = Utils.YieldWrap<Effect.Effect<unknown, unknown, unknown>>
type Run<Y, A> = [Y] extends [never]
  ? Effect.Effect<A>
  : [Y] extends [Utils.YieldWrap<Effect.Effect<infer _A, infer E, infer R>>]
    ? Effect.Effect<A, E, R>
    : never

/**
 * Declares a program by its name and a generator. Every program is declared in this way, except loops that run until
 * they are interrupted, such as `runWorker`.
 *
 * ```ts
 * export const listPlaces = program("listPlaces", function* (
 *   userId: UserId
 * ): Program<ReadonlyArray<Place>, StoreError, PlaceStore> {
 *   return yield* (yield* PlaceStore).list(userId)
 * })
 * ```
 *
 * While tracing is on, each run has a span of this name. While tracing is off, the name costs one look-up: `Effect.fn`
 * and `Effect.withSpan` take a stack trace each time, which takes longer than most programs. `end` wraps the whole
 * program, for example to change how it fails.
 */
export const program: {
  <Args extends ReadonlyArray<unknown>, Y extends Yielded, A>(
    name: string,
    body: (...args: Args) => Generator<Y, A, never>
  ): (...args: Args) => Run<Y, A>
  <Args extends ReadonlyArray<unknown>, Y extends Yielded, A, B extends Effect.Effect<unknown, unknown, unknown>>(
    name: string,
    body: (...args: Args) => Generator<Y, A, never>,
    end: (run: Run<Y, A>, ...args: Args) => B
  ): (...args: Args) => B
} =
  <Args extends ReadonlyArray<unknown>>(
    name: string,
    body: (...args: Args) => Generator<Yielded, unknown, never>,
    end?: (run: Effect.Effect<unknown, unknown, unknown>, ...args: Args) => Effect.Effect<unknown, unknown, unknown>
  ) =>
  (...args: Args) =>
    Effect.withFiberRuntime<unknown, unknown, unknown>((fiber) => {
      const generated = running(() => body(...args), fiber)
      const run = end === undefined ? generated : end(generated, ...args)
      return isTraced(fiber) ? spanned(name, {}, () => run) : run
    })

/**
 * Like `Effect.gen`, for handlers and guards. `yield*` of a port costs only one look-up in the context (`Body`); with
 * `Effect.gen` it takes several steps of the fiber.
 */
export const gen = <Y extends Yielded, A>(body: () => Generator<Y, A, never>): Run<Y, A> =>
  Effect.withFiberRuntime<unknown, unknown, unknown>((fiber) => running(body, fiber)) as Run<Y, A>

/**
 * A function whose body is a generator, as in `gen`, for code that runs once for each request. When a function calls
 * `gen`, each call makes a new generator function. V8 keeps everything that this generator function references, for
 * example the request, in memory until the next major garbage collection. `fn` uses one generator function for all
 * calls.
 */
export const fn =
  <Args extends ReadonlyArray<unknown>, Y extends Yielded, A>(
    body: (...args: Args) => Generator<Y, A, never>
  ): ((...args: Args) => Run<Y, A>) =>
  (...args) =>
    Effect.withFiberRuntime<unknown, unknown, unknown>((fiber) => running(() => body(...args), fiber)) as Run<Y, A>

/** Runs `f` with a port, in one step of the fiber. `Effect.flatMap(port, f)` takes four steps. */
export const withPort = <I, S, A, E, R>(
  port: Context.Tag<I, S>,
  f: (service: S) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | I> => Effect.withFiberRuntime((fiber) => f(Context.unsafeGet(fiber.currentContext, port)))

const running = (body: () => Generator<Yielded, unknown, never>, fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
  Effect.gen(() => new Body(body(), fiber) as unknown as Generator<Yielded, unknown, never>)

/**
 * A generator that answers `yield*` of a port or a `Right` itself, and gives all other yielded values to Effect. For a
 * port it makes one look-up in the fiber's context. Effect would take three steps of its loop and make two objects for
 * each port, and a request yields a dozen ports.
 */
class Body implements Iterator<Yielded, unknown, never> {
  private readonly body: Generator<Yielded, unknown, never>
  private readonly fiber: Fiber.RuntimeFiber<unknown, unknown>

  constructor(body: Generator<Yielded, unknown, never>, fiber: Fiber.RuntimeFiber<unknown, unknown>) {
    this.body = body
    this.fiber = fiber
  }

  next(value: never): IteratorResult<Yielded, unknown> {
    let step = this.body.next(value)
    while (step.done !== true) {
      const yielded: unknown = Utils.yieldWrapGet(step.value)
      if (Context.isTag(yielded)) step = this.body.next(Context.unsafeGet(this.fiber.currentContext, yielded) as never)
      else if (Either.isEither(yielded) && Either.isRight(yielded)) step = this.body.next(yielded.right as never)
      else break
    }
    return step
  }
}
