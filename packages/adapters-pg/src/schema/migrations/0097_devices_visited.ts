/**
 * An index of the devices with `sends_visits`. A program of an earlier release sets this mark on a device that reports
 * visits, and deletes its stays, so the stays must be derived anew. Workers look every few minutes for devices whose
 * stays are due. Without this index, they would read the whole table to find the marked devices.
 */
export const statements = [`CREATE INDEX devices_visited ON devices (user_id, device_id) WHERE sends_visits`]
