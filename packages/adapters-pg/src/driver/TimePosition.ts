import { type Page, Timestamp } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"

/**
 * The end of a page in a list that is sorted by time and id: the time and the id of the page's last row. The next page
 * begins after this row.
 */
const TimePosition = Schema.Tuple(Timestamp.Timestamp, Schema.String)
export type TimePosition = typeof TimePosition.Type

/** Decodes the end of the previous page. Undefined: the caller asks for the first page. */
export const decode = (after: Page.PagePosition | undefined) =>
  after === undefined ? Effect.succeed(undefined) : Schema.decodeUnknown(TimePosition)(after)
