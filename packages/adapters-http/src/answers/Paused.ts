import { Schema } from "effect"

// A user can pause an app. The app learns of the pause from the field `reason` of its answers (decision connection-4).

/**
 * The field `reason` of an answer about the user. It is present only while the user has paused the app and the answer
 * is unknown because of the pause.
 */
export const Reason = {
  reason: Schema.optionalWith(Schema.Literal("paused"), { exact: true }).annotations({
    description:
      "Present while the user has paused the app: nothing is known until the user resumes. Leave the user alone and ask again later."
  })
}
