import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import type { UserId } from "@place-access/domain/shared"
import { Context, Effect, Option } from "effect"
import type { Around } from "../engine/Around.js"
import * as RateLimit from "../limits/RateLimit.js"
import { SignedIn } from "./SessionAuth.js"

/**
 * A limit of an account: `of` makes the subject under which the account's actions are counted, and `rate` says how many
 * actions are allowed (decision limits-9).
 */
interface Counted {
  readonly of: (id: UserId) => Subject.LimitSubject
  readonly rate: Rate.Rate
}

export const CREATION: Counted = { of: Subject.madeBy, rate: Rate.CREATIONS }
export const INVITATION: Counted = { of: Subject.invitedBy, rate: Rate.INVITATIONS }
export const HAND_OVER: Counted = { of: Subject.handedOverBy, rate: Rate.HAND_OVERS }
export const NEW_SECRET: Counted = { of: Subject.secretsOf, rate: Rate.NEW_SECRETS }
export const REDELIVERY: Counted = { of: Subject.redeliveriesOf, rate: Rate.REDELIVERIES }
export const NAME: Counted = { of: Subject.namedBy, rate: Rate.NAME_CHANGES }
export const TEST: Counted = { of: Subject.testsOf, rate: Rate.TESTS }
export const WEBHOOK_ADDRESS: Counted = { of: Subject.webhooksOf, rate: Rate.WEBHOOK_ADDRESSES }
export const CONSENT: Counted = { of: Subject.consentsOf, rate: Rate.CONSENTS_OF_ACCOUNT }

/**
 * Counts one action of the account, or refuses the action. Pages call this function, and so do endpoints that count
 * only some of their calls. An endpoint that counts every call has the annotation `RateOfAccount` instead.
 */
export const take = ({ of, rate }: Counted, id: UserId) => RateLimit.take(of(id), rate)

/** Like `take`, for a second limit of the same request (`RateLimit.takeFurther`). */
export const takeFurther = ({ of, rate }: Counted, id: UserId) => RateLimit.takeFurther(of(id), rate)

/** Annotation of endpoints behind `SessionAuth` whose calls are counted: `.annotate(RateOfAccount, CREATION)`. */
export class RateOfAccount extends Context.Tag("@place-access/adapters-http/security/RateOfAccount")<
  RateOfAccount,
  Counted
>() {}

/**
 * Counts the call after the guards and before `inner`, the function that wraps the endpoint next. So a call that gets a
 * stored answer (`Idempotency-Key`) counts too, and the count is never part of a transaction.
 */
export const around =
  (inner: Around): Around =>
  (wrapped) => {
    const counted = Context.getOption(wrapped.annotations, RateOfAccount)
    const within = inner(wrapped)
    if (Option.isNone(counted)) return within
    return (own, run) => {
      const { id } = Context.unsafeGet(own as Context.Context<SignedIn>, SignedIn)
      const taken = Effect.provide(take(counted.value, id), own as Context.Context<LimitStore>)
      return Effect.zipRight(taken, within === undefined ? run : within(own, run))
    }
  }
