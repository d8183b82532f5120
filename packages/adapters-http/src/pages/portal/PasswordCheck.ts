import type { TooManyAttempts } from "@place-access/domain/accounts"
import { Schema } from "effect"
import type { Html } from "../../html/Html.js"
import { texts, textsIn } from "../../languages/index.js"
import type * as Fields from "../kit/Fields.js"

// This module is for pages on which a signed-in person types the password once more, before a dangerous operation such
// as the deletion of the account.

const words = texts.settings.passwordFaults

/** The problems, the status and the headers with which the form is shown again after a refusal. */
export interface Rejected {
  readonly problems: ReadonlyArray<Fields.ShownProblem>
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export const FIRST_TIME: Rejected = { problems: [], status: 200 }

/**
 * The content of the password field: any text that is not empty. The schema has no other minimum length, because an old
 * account may have a short password. The schema's message is in English; the page shows it in the reader's language.
 */
export const Given = Schema.String.pipe(
  Schema.minLength(1, { message: () => textsIn("en").settings.passwordFaults.missing })
)

const refused = (message: Html, status: number, headers: Readonly<Record<string, string>> = {}): Rejected => ({
  problems: [{ field: "password", message }],
  status,
  headers
})

/** The answer to each error of a refused password, by the tag of the error. */
export const refusals = <A>(showAgain: (rejected: Rejected) => A) => ({
  WrongCredentials: () => showAgain(refused(words.wrong, 403)),
  TooManyAttempts: ({ retryAfterMillis }: TooManyAttempts) =>
    showAgain(
      refused(words.tooOften, 429, {
        "retry-after": String(Math.ceil(retryAfterMillis / 1000))
      })
    )
})
