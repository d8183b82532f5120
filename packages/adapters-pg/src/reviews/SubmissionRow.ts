import type { Submission } from "@place-access/domain/reviews"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** The columns of `apps` and `purposes` that describe a submission for review. */
export const fields = {
  revision: Schema.Int,
  submitted_at: Rows.NullableAt,
  submitted_revision: Schema.NullOr(Schema.Int)
}

const Fields = Schema.Struct(fields)

export const toSubmittable = (row: typeof Fields.Type): Submission.Submittable => ({
  revision: row.revision,
  submission:
    row.submitted_at === null || row.submitted_revision === null
      ? null
      : { at: row.submitted_at, revision: row.submitted_revision }
})

/** The columns of a submission as parameters of a statement. */
export const columnsOf = ({ revision, submission }: Submission.Submittable) => ({
  revision,
  submittedAt: Rows.nullableAt(submission?.at ?? null),
  submittedRevision: submission?.revision ?? null
})
