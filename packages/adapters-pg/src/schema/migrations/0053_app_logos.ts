/** Logos of apps. */
export const statements = [
  `ALTER TABLE apps
    -- The SHA-256 of the logo in force; null: none
    ADD COLUMN logo text,
    -- {digest: PNG in base64}: the logo in force and the one that waits for a reviewer
    ADD COLUMN logos jsonb NOT NULL DEFAULT '{}'`
]
