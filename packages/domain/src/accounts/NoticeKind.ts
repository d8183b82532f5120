import { Schema } from "effect"

/** The notices that a person can choose to get by mail (decision owner-notices-1). */
export const NoticeKind = Schema.Literal("asked_often", "phone_silent", "ends", "weekly")
export type NoticeKind = typeof NoticeKind.Type
