import type { Page } from "@place-access/domain/shared"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"

/** The cursor of a page: time and id of its last row. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)
export type ReviewPosition = typeof Position.Type

/** Decodes the cursor of a page; undefined on the first page. */
export const position = (after: Page.PagePosition | undefined) =>
  after === undefined ? Effect.succeed(undefined) : Schema.decodeUnknown(Position)(after)
