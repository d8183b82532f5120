import { Purpose, PurposeLife } from "@place-access/domain/purposes"
import { AppId, PurposeId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as SubmissionRow from "../reviews/SubmissionRow.js"

const Terms = Schema.typeSchema(Purpose.PurposeTerms)

/** The columns of `purposes` that make a `Purpose`. */
export const PurposeRow = Schema.Struct({
  app_id: AppId,
  purpose_id: PurposeId,
  key: Purpose.PurposeKey,
  /**
   * The status. For an archived purpose, the last status before it was archived: the column `archived_at`, and not this
   * column, says that a purpose is archived.
   */
  status: Purpose.LiveStatus,
  terms: Terms,
  approved_terms: Schema.NullOr(Terms),
  review_note: Schema.NullOr(Schema.String),
  ...SubmissionRow.fields,
  created_at: Rows.At,
  archived_at: Rows.NullableAt
})

export const COLUMNS = Rows.columns(PurposeRow)

export const toPurpose = (row: typeof PurposeRow.Type): Purpose.Purpose => {
  const live: Purpose.Live = {
    appId: row.app_id,
    id: row.purpose_id,
    key: row.key,
    status: row.status,
    terms: row.terms,
    approved: row.approved_terms,
    reviewNote: row.review_note,
    ...SubmissionRow.toSubmittable(row),
    createdAt: row.created_at,
    archivedAt: null
  }
  return row.archived_at === null ? live : PurposeLife.archive(live, row.archived_at)
}

/**
 * The value to write into the column `status`; null leaves the stored value. `archived` is never written, because older
 * releases cannot read that status.
 */
export const statusColumn = ({ status }: Purpose.Purpose): Purpose.LiveStatus | null =>
  status === "archived" ? null : status
