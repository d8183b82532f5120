import type { TooManyAttempts } from "@place-access/domain/accounts"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Fields from "../kit/Fields.js"
import type { Html } from "../kit/Html.js"

// The field for a second factor's code, and the answers to a factor that does not count.

export const LABELS = { code: "Code", passkey: "The passkey" }

/** How the form is shown again after a refusal. */
export interface RejectedFactor {
  readonly problems: ReadonlyArray<FieldProblem>
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export const FIRST_TIME: RejectedFactor = { problems: [], status: 200, headers: {} }

export const refused = (problems: ReadonlyArray<FieldProblem>): RejectedFactor => ({
  problems,
  status: 400,
  headers: {}
})

export const REJECTED: FieldProblem = {
  field: "passkey",
  message: "was not accepted. Load the page again, or use a code"
}

export const codeField = (form: Fields.Shown): Html =>
  Fields.input(form, {
    name: "code",
    label: LABELS.code,
    hint: "The six digits of your app, or a recovery code.",
    autocomplete: "one-time-code",
    maxlength: 40
  })

/** By the tag of the error. `field`: what the person used. */
export const refusals = <A>(field: "code" | "passkey", showAgain: (rejected: RejectedFactor) => A) => ({
  WrongFactor: () =>
    showAgain({
      problems: [field === "passkey" ? REJECTED : { field, message: "is wrong, or was used before" }],
      status: 401,
      headers: {}
    }),
  TooManyAttempts: ({ retryAfterMillis }: TooManyAttempts) =>
    showAgain({
      problems: [{ field, message: "was wrong too often. Try again later" }],
      status: 429,
      headers: { "retry-after": String(Math.ceil(retryAfterMillis / 1000)) }
    })
})
