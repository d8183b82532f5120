import type { TooManyAttempts } from "@place-access/domain/accounts"
import { Schema } from "effect"
import type { FieldProblem } from "../../wire/Issues.js"

// Pages on which a signed-in person gives the password once more, before something that cannot be undone.

/** How the form is shown again after a refusal. */
export interface Rejected {
  readonly problems: ReadonlyArray<FieldProblem>
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export const FIRST_TIME: Rejected = { problems: [], status: 200 }

/** What is in the field: the present password. A short one of an old account counts. */
export const Given = Schema.String.pipe(Schema.minLength(1, { message: () => "must be given" }))

const refused = (message: string, status: number, headers: Readonly<Record<string, string>> = {}): Rejected => ({
  problems: [{ field: "password", message }],
  status,
  headers
})

/** The answers to a password that does not count, by tag. */
export const refusals = <A>(showAgain: (rejected: Rejected) => A) => ({
  WrongCredentials: () => showAgain(refused("is wrong", 403)),
  TooManyAttempts: ({ retryAfterMillis }: TooManyAttempts) =>
    showAgain(
      refused("was wrong too often. Try again later", 429, {
        "retry-after": String(Math.ceil(retryAfterMillis / 1000))
      })
    )
})
