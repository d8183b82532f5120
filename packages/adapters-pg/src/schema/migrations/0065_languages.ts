/** The languages of pages and mails. */
export const statements = [
  // The language that the owner chose. Null: no choice.
  `ALTER TABLE accounts ADD COLUMN language text`,
  // The language of the first browser that signed in and named a language of the service. Null: there was none.
  `ALTER TABLE accounts ADD COLUMN browser_language text`,
  // Citus 12.1 refuses an unnamed check in ADD COLUMN.
  `ALTER TABLE accounts ADD CONSTRAINT accounts_language CHECK (language IN ('en', 'de'))`,
  `ALTER TABLE accounts ADD CONSTRAINT accounts_browser_language CHECK (browser_language IN ('en', 'de'))`
]
