import { Option } from "effect"
import { latestFix } from "../fixes/readFixes.js"
import { program, type UserId } from "../shared/index.js"

/**
 * The capture time of the user's newest reading; null without readings. After this time it is unknown whether an open
 * visit goes on.
 */
export const lastHeard = program("lastHeard", function* (userId: UserId) {
  return Option.match(yield* latestFix(userId), { onNone: () => null, onSome: ({ capturedAt }) => capturedAt })
})
