import { WorkSignal } from "@place-access/domain/events"
import { Idempotency } from "@place-access/domain/idempotency"
import { Vault } from "@place-access/domain/shared"
import { Effect, Schedule, Schema } from "effect"
import { afterCommit } from "../idempotency/afterCommit.js"
import { answerKeyed } from "../idempotency/answerKeyed.js"
import * as Errors from "../wire/Errors.js"
import type * as Form from "./kit/Form.js"
import * as Visitor from "./kit/Visitor.js"

/** A value that JSON can write completely. The type excludes `Map`, because JSON writes every `Map` as `{}`. */
type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/**
 * A form that adds something, such as an endpoint or a replay. When a browser sends the same form twice, the thing must
 * be added only once.
 */
interface Addition<A, I, E, R, CE, CR> {
  /** What the person typed. */
  readonly typed: Json
  /**
   * The part of the result that is stored for a repeated form: ids, and secrets that are shown once. The page reads all
   * other values again, because they may have changed.
   */
  readonly kept: Schema.Schema<A, I>
  /**
   * The step that adds the thing. Unless `severalCommits`, the step runs in a transaction, so it must not use the
   * network.
   */
  readonly add: Effect.Effect<A, E, R>
  /** True when `add` consists of several transactions (`answerKeyed`). */
  readonly severalCommits?: true
  /** Counts the addition towards a limit. A form that is sent again is not counted again. */
  readonly count?: Effect.Effect<void, CE, CR>
}

const isInUse = (error: unknown): error is Idempotency.KeyInUse => error instanceof Idempotency.KeyInUse

/** While the first of two equal requests is running, the second request tries again every 200 ms, at most ten times. */
const WAIT = { while: isInUse, schedule: Schedule.spaced(200), times: 10 }

/**
 * Runs `add` once for one form with `Visitor.onceField`. A person who presses the button twice sends the form twice,
 * and the browser drops the first answer. The second request gets the result of the first request. The result is stored
 * like the answer to a request with an `Idempotency-Key` (decision idempotency-6).
 */
export const addOnce = <A, I, E, R, CE = never, CR = never>(
  { account }: Visitor.Visitor,
  form: Form.Form,
  { add, count, kept, severalCommits, typed }: Addition<A, I, E, R, CE, CR>
) =>
  Effect.gen(function* () {
    const sent = Visitor.sentForm(form)
    if (sent === undefined) return yield* Effect.zipRight(count ?? Effect.void, add)
    // A person who goes back in the browser can send the same form with other texts, to add another thing. So the key
    // by which the service recognises a repeated form contains the typed texts.
    const content = JSON.stringify([sent, typed])
    const key = Idempotency.IdempotencyKey.make(`form-${(yield* Vault.Vault).sha256(content)}`)
    const request = { userId: account.id, subject: Idempotency.account(account.id), key, content }
    const Kept = Schema.parseJson(kept)
    const signal = afterCommit(yield* WorkSignal)
    const work = Effect.map(Effect.provideService(add, WorkSignal, signal.inside), (value) => ({
      answer: { status: 200, contentType: null, body: Schema.encodeSync(Kept)(value), disclosed: null },
      value
    }))
    const answered = yield* answerKeyed<A, E | CE, R | CR>(request, work, severalCommits === true, count).pipe(
      Effect.retry(WAIT),
      Effect.catchIf(isOfKey, (error) =>
        error._tag === "KeyInUse" ? Effect.fail(Errors.unavailable) : Effect.die(error)
      ),
      Effect.ensuring(signal.pass)
    )
    if (answered._tag === "Worked") return answered.value
    return yield* Effect.orDie(Schema.decode(Kept)(answered.answer.body))
  })

const isOfKey = (error: unknown): error is Idempotency.KeyInUse | Idempotency.KeyReused =>
  isInUse(error) || error instanceof Idempotency.KeyReused
