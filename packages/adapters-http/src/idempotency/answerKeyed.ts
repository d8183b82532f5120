import { answerOnce, type KeyedRequest, type Work } from "@place-access/domain/idempotency"
import { Context, Deferred, Effect } from "effect"

const NOTHING: Work<undefined> = { answer: null, value: undefined }

/** The requests with `count` that this process is answering, by subject and key. Each ends when its answer is ready. */
class Answering extends Context.Reference<Answering>()("@place-access/adapters-http/idempotency/Answering", {
  defaultValue: () => new Map<string, Deferred.Deferred<void>>()
}) {}

/**
 * `answerOnce`, also for work that consists of several transactions (`severalCommits`). One transaction around all of
 * them would keep the locks of the first one until the last one ends. So for such work, a first transaction only looks
 * whether there is an answer, and another transaction stores the answer after the work. Two equal requests that run at
 * the same time both do the work, and both get the answer that was stored first.
 *
 * `count` counts the request towards a limit, outside of the transactions, if there is no answer yet. Two equal
 * requests that run at the same time in one process are counted once: the second request waits until the first request
 * has its answer. The store cannot refuse the second request, because the store has no lock while `count` runs.
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

/** Waits until this process answers no other request with the key. */
const alone = <A, E, R>({ key, subject }: KeyedRequest, answer: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Answering, (requests) => {
    const name = `${subject} ${key}`
    const turn: Effect.Effect<Deferred.Deferred<void>> = Effect.suspend(() => {
      const before = requests.get(name)
      if (before !== undefined) return Effect.zipRight(Effect.interruptible(Deferred.await(before)), turn)
      return Effect.tap(Deferred.make<void>(), (own) => requests.set(name, own))
    })
    return Effect.acquireUseRelease(
      turn,
      () => answer,
      (own) => Effect.suspend(() => (requests.delete(name), Deferred.succeed(own, undefined)))
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
