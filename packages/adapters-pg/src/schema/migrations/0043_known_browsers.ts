/** Attempts to sign in from a browser that the account's owner used before are counted separately. */
export const statements = [
  // The id in the browser's signed cookie. Null: the browser is not known to the account.
  `ALTER TABLE sign_in_tries ADD COLUMN browser text`,
  `CREATE INDEX sign_in_tries_by_browser ON sign_in_tries (browser, tried_at) WHERE browser IS NOT NULL`
]
