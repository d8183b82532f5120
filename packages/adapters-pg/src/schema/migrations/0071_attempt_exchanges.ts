/** Address, request headers and response headers of an attempt. Null in rows from before. */
export const statements = [`ALTER TABLE delivery_attempts ADD COLUMN exchange jsonb`]
