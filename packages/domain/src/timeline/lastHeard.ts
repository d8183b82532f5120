import { Option } from "effect"
import { latestFix } from "../fixes/readFixes.js"
import { program, type UserId } from "../shared/index.js"

/** The moment of the user's newest reading; null without readings. An open visit is known until then only. */
export const lastHeard = program("lastHeard", function* (userId: UserId) {
  return Option.match(yield* latestFix(userId), { onNone: () => null, onSome: ({ capturedAt }) => capturedAt })
})
