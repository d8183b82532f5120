import type { TooManyAttempts } from "@place-access/domain/accounts"
import { Factors } from "@place-access/domain/factors"
import { Timestamp } from "@place-access/domain/shared"
import * as Fields from "../kit/Fields.js"
import type { Html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"

const words = texts.factors.asked

// The form field for the code of a second factor, and the answers when the service refuses a factor.

export const LABELS = { code: words.code, passkey: words.passkey }

/** The problems, the status and the headers with which the form is shown again after a refusal. */
export interface RejectedFactor {
  readonly problems: ReadonlyArray<Fields.ShownProblem>
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export const FIRST_TIME: RejectedFactor = { problems: [], status: 200, headers: {} }

export const refused = (problems: ReadonlyArray<Fields.ShownProblem>): RejectedFactor => ({
  problems,
  status: 400,
  headers: {}
})

export const REJECTED: Fields.ShownProblem = { field: "passkey", message: words.rejected }

/**
 * The field for a code. `factors`: the factors of the person who signs in or confirms. Without an app for one-time
 * codes, the field takes recovery codes only.
 */
export const codeField = (form: Fields.Shown, factors: Factors.Factors): Html =>
  Fields.input(form, {
    name: "code",
    label: LABELS.code,
    hint: hintOf(factors),
    autocomplete: "one-time-code",
    maxlength: 40
  })

const hintOf = (factors: Factors.Factors): Html =>
  Factors.isCodeAppClosed(factors) ? words.closedHint : Factors.hasCodeApp(factors) ? words.hint : words.recoveryHint

/** The answer to each error of a refused factor, by the tag of the error. `field`: the factor that the person used. */
export const refusals = <A>(field: "code" | "passkey", showAgain: (rejected: RejectedFactor) => A) => ({
  WrongFactor: () =>
    showAgain({
      problems: [field === "passkey" ? REJECTED : { field, message: words.wrong }],
      status: 401,
      headers: {}
    }),
  TooManyAttempts: ({ retryAfterMillis }: TooManyAttempts) =>
    showAgain({
      problems: [{ field, message: words.tooOften(Math.ceil(retryAfterMillis / Timestamp.MINUTE)) }],
      status: 429,
      headers: { "retry-after": String(Math.ceil(retryAfterMillis / 1000)) }
    })
})
