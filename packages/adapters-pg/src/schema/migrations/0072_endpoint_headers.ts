/** Headers that a developer adds to the webhooks of an endpoint: names, and encrypted values. */
export const statements = [`ALTER TABLE endpoints ADD COLUMN headers jsonb NOT NULL DEFAULT '[]'`]
