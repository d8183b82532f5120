/** The time zone in which pages show times. */
export const statements = [
  // An IANA name. Null: no browser has named a time zone yet.
  `ALTER TABLE accounts ADD COLUMN time_zone text`
]
