/**
 * The suspensions of an account that are over, and a copy for each app whose holder the account is. No event from the
 * time of a suspension is ever sent (decision staff-1). A range contains its beginning, and not its end.
 */
export const statements = [
  `ALTER TABLE accounts ADD COLUMN suspensions tstzmultirange NOT NULL DEFAULT '{}'`,
  `ALTER TABLE apps ADD COLUMN suspensions tstzmultirange NOT NULL DEFAULT '{}'`
]
