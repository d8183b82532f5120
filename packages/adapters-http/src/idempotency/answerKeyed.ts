import { answerOnce, Idempotency, type KeyedRequest, type Work } from "@place-access/domain/idempotency"
import { Context, Effect } from "effect"

const NOTHING: Work<undefined> = { answer: null, value: undefined }

/** The requests with `count` that this process is answering: the subject and the key of each. */
class Counted extends Context.Reference<Counted>()("@place-access/adapters-http/idempotency/Counted", {
  defaultValue: () => new Set<string>()
}) {}

/**
 * `answerOnce`, also for work that consists of several transactions (`severalCommits`). One transaction around all of
 * them would keep the locks of the first one until the last one ends. So for such work, a first transaction only looks
 * whether there is an answer, and another transaction stores the answer after the work. Two equal requests that run at
 * the same time both do the work, and both get the answer that was stored first.
 *
 * `count` counts the request towards a limit, outside of the transactions, if there is no answer yet. Two equal requests
 * that run at the same time in one process are counted once: the second request fails with `KeyInUse` until the first
 * request has its answer. The store cannot refuse the second request, because it has no lock while `count` runs.
 */
export const answerKeyed = <A, E, R>(
  request: KeyedRequest,
  work: Effect.Effect<Work<A>, E, R>,
  severalCommits: boolean,
  count?: Effect.Effect<void, E, R>
): ReturnType<typeof answerOnce<A, E, R>> => {
  if (count !== undefined) return alone(request, afterLook(request, work, severalCommits, count))
  return severalCommits ? afterLook(request, work, severalCommits, Effect.void) : answerOnce(request, work)
}

/** Fails with `KeyInUse` while this process answers another request with the key. */
const alone = <A, E, R>({ key, subject }: KeyedRequest, answer: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Counted, (counted) => {
    const name = `${subject} ${key}`
    return Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (counted.has(name)) return new Idempotency.KeyInUse()
        return Effect.sync(() => counted.add(name))
      }),
      () => answer,
      () => Effect.sync(() => counted.delete(name))
    )
  })

const afterLook = <A, E, R>(
  request: KeyedRequest,
  work: Effect.Effect<Work<A>, E, R>,
  severalCommits: boolean,
  count: Effect.Effect<void, E, R>
): ReturnType<typeof answerOnce<A, E, R>> =>
  Effect.gen(function* () {
    const earlier = yield* answerOnce(request, Effect.succeed(NOTHING))
    if (earlier._tag === "Replayed") return earlier
    yield* count
    if (!severalCommits) return yield* answerOnce(request, work)
    const done = yield* work
    // The work is done, so a key that another request took meanwhile is no reason to refuse this one.
    const worked = Effect.succeed({ _tag: "Worked", value: done.value } as const)
    const taken = { KeyInUse: () => worked, KeyReused: () => worked }
    return yield* Effect.catchTags(answerOnce(request, Effect.succeed(done)), taken)
  })
