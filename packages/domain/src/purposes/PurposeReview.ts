import { Schema } from "effect"
import { PurposeId } from "../shared/Ids.js"
import { PurposeKey, type Purpose, PurposeTerms } from "./Purpose.js"

/** The purpose that a review decision was about, with the terms that were approved or rejected. */
export const PurposeUnderReview = Schema.Struct({
  kind: Schema.Literal("purpose"),
  id: PurposeId,
  key: PurposeKey,
  terms: Schema.typeSchema(PurposeTerms)
})
export type PurposeUnderReview = typeof PurposeUnderReview.Type

/** The subject of a review: the purpose with its newest terms. */
export const of = (purpose: Purpose): PurposeUnderReview => ({
  kind: "purpose",
  id: purpose.id,
  key: purpose.key,
  terms: purpose.terms
})
