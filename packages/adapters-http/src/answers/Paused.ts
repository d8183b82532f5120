import { Schema } from "effect"

// A user can pause an app. The app learns of the pause from the field `reason` of its answers (decision connection-4).

/**
 * The field `reason` of an answer about the user. It is present only while the user has paused the app and the answer
 * is unknown because of the pause.
 */
export const Reason = {
  reason: Schema.optionalWith(Schema.Literal("paused"), { exact: true }).annotations({
    description:
      "Present while the user has paused the app: the answer says nothing about where the user is or was. A pause ends when the user resumes the app, or at an end that the user chose. Do not bother the user; ask again later."
  })
}
