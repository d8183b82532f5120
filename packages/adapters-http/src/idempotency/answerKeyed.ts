import { answerOnce, type KeyedRequest, type Work } from "@place-access/domain/idempotency"
import { Effect } from "effect"

const NOTHING: Work<undefined> = { answer: null, value: undefined }

/**
 * Like `answerOnce`, but the work may also consist of several transactions (`severalCommits`). One transaction around
 * all of them would keep the locks of the first transaction until the last transaction ends. So for such work, a first
 * transaction only looks whether an answer is stored, and another transaction stores the answer after the work. Two
 * equal requests that run at the same time both do the work, and both get the answer that was stored first.
 *
 * `count` counts the request towards a limit, outside of the transactions, if no answer is stored yet.
 */
export const answerKeyed = <A, E, R>(
  request: KeyedRequest,
  work: Effect.Effect<Work<A>, E, R>,
  severalCommits: boolean,
  count?: Effect.Effect<void, E, R>
): ReturnType<typeof answerOnce<A, E, R>> =>
  Effect.gen(function* () {
    if (!severalCommits && count === undefined) return yield* answerOnce(request, work)
    const earlier = yield* answerOnce(request, Effect.succeed(NOTHING))
    if (earlier._tag === "Replayed") return earlier
    if (count !== undefined) yield* count
    if (!severalCommits) return yield* answerOnce(request, work)
    const done = yield* work
    // The work is done, so this request is not refused, even if another request has taken the key meanwhile.
    const worked = Effect.succeed({ _tag: "Worked", value: done.value } as const)
    const taken = { KeyInUse: () => worked, KeyReused: () => worked }
    return yield* Effect.catchTags(answerOnce(request, Effect.succeed(done)), taken)
  })
