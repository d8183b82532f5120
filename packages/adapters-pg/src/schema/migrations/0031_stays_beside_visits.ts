/**
 * Phones that tell their visits have derived stays, too. Their mark made the release before delete the stays: without
 * it that release goes on deriving them. Everything of theirs is due again.
 */
export const statements = [
  `UPDATE devices SET sends_visits = false, stays_due_from = timestamptz '2010-01-01 00:00:00+00' WHERE sends_visits`
]
