/** The address, the request headers and the response headers of an attempt. Null in rows from before this migration. */
export const statements = [`ALTER TABLE delivery_attempts ADD COLUMN exchange jsonb`]
