import { AccountStore } from "../accounts/AccountStore.js"
import type { NoticeKind } from "../accounts/NoticeKind.js"
import { program, type UserId } from "../shared/index.js"

/** The notices that the person chose. Empty when the person never chose. */
export const listChosenNotices = program("listChosenNotices", function* (userId: UserId) {
  return yield* (yield* AccountStore).notices(userId)
})

/** Replaces the notices that the person chose. The next sweep already uses the new choice. */
export const chooseNotices = program("chooseNotices", function* (userId: UserId, kinds: ReadonlyArray<NoticeKind>) {
  yield* (yield* AccountStore).chooseNotices(userId, [...new Set(kinds)].sort())
})
