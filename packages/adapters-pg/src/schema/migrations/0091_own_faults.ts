/**
 * The time since which faults of the service itself have delayed the present attempt of a delivery (decision W3); null
 * without such faults. The service gives up a delivery after three days of such faults, and not three days after the
 * delivery was made.
 */
export const statements = [`ALTER TABLE deliveries ADD COLUMN faults_since timestamptz(3)`]
